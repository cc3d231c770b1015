"""EMAIL_URL: one line for the operator, checked when the service starts."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from atlantis_site.email_url import _ANYMAIL, parse_email_url

VAR = Path("/srv/atlantis/var")


@pytest.mark.parametrize("url", ["", "folder:", "folder://"])
def test_without_an_address_mails_are_files_under_var(url: str) -> None:
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
def test_smtp_knows_three_ways_of_tls(url: str, port: int, starttls: bool, ssl: bool) -> None:
    settings = parse_email_url(url, VAR)
    assert settings["EMAIL_BACKEND"] == "django.core.mail.backends.smtp.EmailBackend"
    assert settings["EMAIL_HOST"] == "mail.example.org"
    assert (settings["EMAIL_PORT"], settings["EMAIL_USE_TLS"], settings["EMAIL_USE_SSL"]) == (
        port,
        starttls,
        ssl,
    )
    assert settings["EMAIL_TIMEOUT"] == 20


def test_user_and_password_may_hold_any_sign() -> None:
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


@pytest.mark.parametrize("name", sorted(set(_ANYMAIL) - {"amazon_ses"}))  # that one needs boto3
def test_every_provider_starts_with_what_its_url_gives(name: str) -> None:
    url = f"anymail+{name.replace('_', '-')}://key:second@mail.example.org"
    if name in {"postal", "unisender_go"}:  # those have no address of their own
        url += "?api_url=https://post.example.org"
    settings = parse_email_url(url, VAR)
    module, cls = settings["EMAIL_BACKEND"].rsplit(".", 1)
    with override_settings(ANYMAIL=settings["ANYMAIL"]):
        assert getattr(importlib.import_module(module), cls)() is not None


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("sendmail://localhost", "begins with sendmail://"),
        ("mail.example.org", "begins with nothing://"),
        ("smtp://", "names no mail server"),
        ("smtp://u:secret@mx.example.org:port", "port is not a number"),
        ("smtp://u:secret@mx.example.org/more", "goes on after"),
        ("smtp://u:sec#ret@mx.example.org", "goes on after|port is not a number"),
        ("anymail+pigeon://secret@example.org", "provider that is none of amazon-ses, brevo"),
        ("anymail+mailgun://secret@", "needs sender domain: anymail.mailgun://api-key@sender"),
        ("anymail+mailjet://secret@", "needs secret key: anymail.mailjet://api-key:secret-key@"),
        ("anymail+postmark://", "needs server token"),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence_without_the_password(
    url: str, sentence: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match=sentence) as refused:
        parse_email_url(url, VAR)
    assert "secret@" not in str(refused.value).replace("api-key:secret-key@", "")
