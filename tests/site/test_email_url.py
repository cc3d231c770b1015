"""EMAIL_URL: one line for the operator, checked when the service starts."""

import pkgutil
import tomllib
from pathlib import Path

import anymail.backends
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import get_connection
from django.test import override_settings

from atlantis_site.email_url import parse_email_url
from atlantis_site.supervisor.stack import BASE_DIR
from games.operations.providers import PROVIDERS

VAR = Path("/srv/atlantis/var")


@pytest.mark.parametrize("url", ["", "folder:", "folder://"])
def test_without_a_url_emails_are_files_under_var(url: str) -> None:
    assert parse_email_url(url, VAR) == {
        "EMAIL_BACKEND": "games.mail.backends.FolderBackend",
        "EMAIL_FILE_PATH": "/srv/atlantis/var/mail",
    }


def test_a_folder_is_named_by_its_path() -> None:
    settings = parse_email_url("folder:///data/out%20going", VAR)
    assert settings["EMAIL_FILE_PATH"] == "/data/out going"


@pytest.mark.parametrize(
    ("url", "port", "starttls", "ssl"),
    [
        ("smtp://mail.example.org", 25, False, False),
        ("smtp://mail.example.org:1025", 1025, False, False),
        ("smtp+tls://mail.example.org", 587, True, False),
        ("smtp+ssl://mail.example.org", 465, False, True),
        ("smtps://mail.example.org:4650", 4650, False, True),
    ],
)
def test_smtp_is_plain_with_starttls_or_over_tls(
    url: str, port: int, starttls: bool, ssl: bool
) -> None:
    settings = parse_email_url(url, VAR)
    assert settings["EMAIL_BACKEND"] == "games.mail.transport.SMTPBackend"
    assert settings["EMAIL_HOST"] == "mail.example.org"
    assert (settings["EMAIL_PORT"], settings["EMAIL_USE_TLS"], settings["EMAIL_USE_SSL"]) == (
        port,
        starttls,
        ssl,
    )
    assert settings["EMAIL_TIMEOUT"] == 20


def test_user_and_password_may_hold_any_character() -> None:
    settings = parse_email_url("smtp+tls://club%40example.org:p%40ss%2Fw%3Ard@mx.example.org", VAR)
    assert settings["EMAIL_HOST_USER"] == "club@example.org"
    assert settings["EMAIL_HOST_PASSWORD"] == "p@ss/w:rd"


def test_a_provider_gets_its_key_and_domain() -> None:
    settings = parse_email_url(
        "anymail+mailgun://key-1@mg.example.org?api_url=https://api.eu.mailgun.net/v3", VAR
    )
    assert settings["EMAIL_BACKEND"] == "anymail.backends.mailgun.EmailBackend"
    assert settings["ANYMAIL"] == {
        "REQUESTS_TIMEOUT": 20,
        "MAILGUN_API_KEY": "key-1",
        "MAILGUN_SENDER_DOMAIN": "mg.example.org",
        "MAILGUN_API_URL": "https://api.eu.mailgun.net/v3",
    }


NEEDS_BOTO3 = "amazon_ses"


# anymail has no account at SendGrid to test with any more, and says so.
@pytest.mark.filterwarnings("ignore::anymail.exceptions.AnymailNotSupportedWarning")
@pytest.mark.parametrize("name", sorted(set(PROVIDERS) - {NEEDS_BOTO3}))
def test_every_provider_opens_with_what_its_url_gives(name: str) -> None:
    url = f"anymail+{name.replace('_', '-')}://key:second@mail.example.org"
    if name in {"postal", "unisender_go"}:  # these have no API address of their own
        url += "?api_url=https://post.example.org"
    with override_settings(**parse_email_url(url, VAR)):
        connection = get_connection()
        connection.open()
        connection.close()


def test_the_providers_are_those_of_anymail() -> None:
    assert {"amazon_ses", "brevo", "mailgun", "postmark", "sendgrid"} <= set(PROVIDERS)


def test_amazon_ses_says_at_the_start_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("atlantis_site.email_url.find_spec", lambda _name: None)
    with pytest.raises(ImproperlyConfigured, match="install the extra amazon-ses"):
        parse_email_url("anymail+amazon-ses://", VAR)
    extras = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["project"]
    assert "amazon-ses" in extras["optional-dependencies"]


@pytest.mark.parametrize(
    ("url", "client"),
    [
        ("anymail+amazon-ses://", {}),
        (
            "anymail+amazon-ses://ID:a%2Fkey@eu-west-1",
            {
                "aws_access_key_id": "ID",
                "aws_secret_access_key": "a/key",
                "region_name": "eu-west-1",
            },
        ),
    ],
)
def test_amazon_ses_takes_its_credentials_from_the_url_or_from_its_environment(
    url: str, client: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("atlantis_site.email_url.find_spec", lambda _name: True)
    settings = parse_email_url(f"{url}?configuration_set_name=games", VAR)
    assert settings["ANYMAIL"]["AMAZON_SES_CONFIGURATION_SET_NAME"] == "games"
    assert settings["ANYMAIL"]["AMAZON_SES_CLIENT_PARAMS"] == {
        "config": {"connect_timeout": 20, "read_timeout": 20},
        **client,
    }


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("sendmail://localhost", "begins with sendmail://"),
        ("mail.example.org", "has nothing before ://"),
        ("smtp://", "names no mail server"),
        ("smtp://u:secret@mx.example.org:port", "port is not a number"),
        ("smtp://u:secret@mx.example.org/more", "continues after"),
        ("smtp://u:sec#ret@mx.example.org", "continues after|port is not a number"),
        ("anymail+pigeon://secret@example.org", "provider that is none of amazon-ses, brevo"),
        ("anymail+mailgun://secret@", "needs sender domain: anymail.mailgun://api-key@sender"),
        ("anymail+mailjet://secret@", "needs secret key: anymail.mailjet://api-key:secret-key@"),
        ("anymail+postmark://", "needs server token"),
        ("anymail+postal://secret@", "needs the address of its API: .*[?]api_url="),
    ],
)
def test_an_error_is_one_sentence_without_the_password(url: str, sentence: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=sentence) as refused:
        parse_email_url(url, VAR)
    assert "secret@" not in str(refused.value).replace("api-key:secret-key@", "")


def test_every_provider_of_anymail_is_known() -> None:
    modules = {module.name for module in pkgutil.iter_modules(anymail.backends.__path__)}
    assert set(PROVIDERS) == modules - {
        "base",
        "base_requests",
        "console",
        "sendinblue",
        "test",
    }
