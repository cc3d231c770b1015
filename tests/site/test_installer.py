"""`make setup`: asks for what is missing, says what to enter elsewhere, starts and checks."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.urls import resolve

from atlantis_site import installer
from atlantis_site.email_url import parse_email_url
from games.operations import providers

ANSWERS = ["games.example.org", "anymail+postmark://token@postmark", "", "20261128pm", ""]


def setup(folder: Path, *answers: str) -> list[str]:
    """What is to be entered elsewhere, after these answers and no other question."""
    rest: Iterator[str] = iter(answers)
    found = installer.configure(folder, lambda _question: next(rest))
    assert next(rest, None) is None
    return found


def secret(folder: Path, name: str) -> str:
    return (folder / "secrets" / name).read_text().strip()


def test_five_answers_make_an_installation(tmp_path: Path) -> None:
    setup(tmp_path, *ANSWERS)
    assert (tmp_path / ".env").read_text().splitlines() == [
        "SITE_URL=https://games.example.org",
        "TRUST_PROXY=1",
        "MAIL_FROM=Atlantis by Mail <games@games.example.org>",
        "DKIM_SELECTOR=20261128pm",
        "MAIL_REPLY_DOMAIN=reply.games.example.org",
    ]
    assert secret(tmp_path, "email_url") == ANSWERS[1]
    assert parse_email_url(ANSWERS[1], tmp_path)["ANYMAIL"]["POSTMARK_SERVER_TOKEN"] == "token"
    assert secret(tmp_path, "inbound_secret").startswith("atlantis:")
    assert len(secret(tmp_path, "secret_key")) == 64
    assert stat.S_IMODE((tmp_path / "secrets").stat().st_mode) == 0o700


def test_it_says_which_records_and_webhooks_to_enter(tmp_path: Path) -> None:
    said = "\n".join(setup(tmp_path, *ANSWERS))
    word = secret(tmp_path, "inbound_secret")
    for line in (
        "games.example.org. IN A <the address of this machine>",
        "games.example.org. IN MX <the server of a mailbox that you read: people write to games@",
        "reply.games.example.org. IN MX 10 inbound.postmarkapp.com.",
        'games.example.org. IN TXT "v=spf1 include:spf.mtasv.net -all"',
        "20261128pm._domainkey.games.example.org. IN <TXT or CNAME, as postmark shows it",
        '_dmarc.games.example.org. IN TXT "v=DMARC1; p=none"',
        f"https://{word}@games.example.org/anymail/postmark/tracking/",
        f"https://{word}@games.example.org/anymail/postmark/inbound/",
    ):
        assert line in said


def test_the_webhook_of_mailgun_is_the_one_that_gets_raw_emails(tmp_path: Path) -> None:
    said = setup(tmp_path, ANSWERS[0], "anymail+mailgun://key@games.example.org", "", "", "yes")
    assert any(line.endswith("/anymail/mailgun/inbound_mime/") for line in said)


@pytest.mark.parametrize("name", [name for name in providers.PROVIDERS if name != "amazon_ses"])
def test_every_webhook_that_is_named_exists(tmp_path: Path, name: str) -> None:
    url = f"anymail+{name.replace('_', '-')}://key:more@example.org?api_url=https://api.example.org"
    answers = iter([ANSWERS[0], url, "", "", "yes"])
    said = installer.configure(tmp_path, lambda _question: next(answers))
    for line in said:
        if "/anymail/" in line:
            resolve(line[line.index("/anymail/") :])


def test_keys_that_webhooks_need_are_named_until_they_are_there(tmp_path: Path) -> None:
    url = "anymail+mailersend://token@mailersend"
    said = setup(tmp_path, ANSWERS[0], url, "", "", "yes")
    assert "secrets/inbound_settings" in said[-2]
    assert said[-1] == (
        "    MAILERSEND_SIGNING_SECRET=<its value>,MAILERSEND_INBOUND_SECRET=<its value>"
    )
    (tmp_path / "secrets" / "inbound_settings").write_text("MAILERSEND_SIGNING_SECRET=word\n")
    assert setup(tmp_path, "k1")[-1] == "    MAILERSEND_INBOUND_SECRET=<its value>"


def test_a_second_run_asks_nothing_and_changes_nothing(tmp_path: Path) -> None:
    first = setup(tmp_path, *ANSWERS)
    (tmp_path / ".env").write_text((tmp_path / ".env").read_text() + "# mine\nTIME_ZONE=UTC\n")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    before = {path: path.read_bytes() for path in files}
    assert setup(tmp_path) == first
    assert {path: path.read_bytes() for path in files} == before


def test_the_name_of_a_key_that_was_not_known_yet_is_asked_for_again(tmp_path: Path) -> None:
    setup(tmp_path, *ANSWERS[:3], "", "")
    setup(tmp_path, "20261128pm")
    assert (tmp_path / ".env").read_text().count("DKIM_SELECTOR=") == 1
    assert "DKIM_SELECTOR=20261128pm\n" in (tmp_path / ".env").read_text()


def test_an_answer_of_the_wrong_form_is_asked_for_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = [f"https://{ANSWERS[0]}/", ""], ["", "postmark"], ["a@b", ANSWERS[1], "me@gmail.com"]
    hosts, urls, senders = wrong
    answers = [
        *hosts,
        "Games.Example.Org.",
        *urls,
        ANSWERS[1],
        *senders,
        "",
        "k 1",
        "K1",
        "y",
        "Yes",
    ]
    setup(tmp_path, *answers)
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == ["Enter a host name such as games.example.org, without https://."] * 2
    assert said[2:4] == [said[2]] * 2 and said[2].endswith(f"as in {providers.EXAMPLE}.")
    assert said[4:6] == ["Enter an address, as in Atlantis by Mail <games@games.example.org>."] * 2
    assert said[6].startswith("gmail.com lets only its own servers send for it")
    assert said[7:] == ["Enter the part before ._domainkey alone.", "Enter yes or no."]
    assert "DKIM_SELECTOR=k1\nMAIL_REPLY_DOMAIN=reply.games" in (tmp_path / ".env").read_text()
    assert "SITE_URL=https://games.example.org\n" in (tmp_path / ".env").read_text()


def test_with_a_mail_server_of_ones_own_nobody_is_asked_about_a_webhook(tmp_path: Path) -> None:
    said = setup(tmp_path, "games.example.org", "smtp+tls://u:p@mx.example.org:587", "")
    assert "MAIL_REPLY_DOMAIN" not in (tmp_path / ".env").read_text()
    assert secret(tmp_path, "inbound_secret") == ""
    assert not any("webhook" in line or "reply." in line for line in said)
    assert said[-1].startswith("Replies with moves need a server that hands them over")
    assert '    games.example.org. IN TXT "v=spf1 a:mx.example.org -all"' in said
    assert any("`manage.py make_dkim_key` if it does not sign" in line for line in said)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("anymail+postmrk://token@postmark", "names a provider that is none of"),
        ("anymail+postmark://postmark", "needs server token"),
        ("smtp+tls://u:p/w@mx.example.org:587", "cannot be read"),
        ("folder:///tmp/mail", "nobody would get an email"),
        ("anymail+mailgun://key@mailgun", "needs sender domain"),
        ("anymail+amazon-ses://id:key@eu-west-1", "needs the package boto3"),
    ],
)
def test_a_url_that_the_service_refuses_is_refused_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], url: str, words: str
) -> None:
    setup(tmp_path, ANSWERS[0], url, *ANSWERS[1:])
    assert words in capsys.readouterr().out
    assert secret(tmp_path, "email_url") == ANSWERS[1]


def test_replies_can_be_declined(tmp_path: Path) -> None:
    said = setup(tmp_path, *ANSWERS[:4], "no")
    assert "MAIL_REPLY_DOMAIN=\n" in (tmp_path / ".env").read_text()
    assert not any("reply." in line for line in said)
    setup(tmp_path)


@pytest.mark.parametrize("name", ["brevo", "unisender-go"])
def test_a_provider_without_raw_emails_is_named_as_one_that_brings_no_replies(
    tmp_path: Path, name: str
) -> None:
    url = f"anymail+{name}://key@x?api_url=https://api.example.org"
    said = setup(tmp_path, ANSWERS[0], url, "", "")
    assert said[-1].startswith(
        f"{name.replace('-', '_')} does not hand over raw email. Replies with"
    )
    assert not any("reply." in line for line in said)


def test_european_servers_of_mailgun_are_named_to_its_european_customers(tmp_path: Path) -> None:
    url = "anymail+mailgun://key@games.example.org?api_url=https://api.eu.mailgun.net/v3"
    said = setup(tmp_path, ANSWERS[0], url, "", "", "yes")
    assert "    reply.games.example.org. IN MX 10 mxa.eu.mailgun.org." in said


@pytest.mark.parametrize("status", [0, 1])
def test_it_starts_the_containers_and_ends_by_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    docker = tmp_path / "docker"
    docker.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/log\n[ "$2" != exec ] || exit {status}\n'
    )
    docker.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert installer.start(tmp_path) == status
    assert (tmp_path / "log").read_text().splitlines() == [
        "compose version",
        "compose up --detach --wait",
        "compose exec -T web python manage.py check_site",
    ]


def test_docker_without_compose_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    docker = tmp_path / "docker"
    docker.write_text("#!/bin/sh\nexit 125\n")
    docker.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert installer.start(tmp_path) == 1
    assert "install the package docker-compose-v2" in capsys.readouterr().out


def test_an_installation_that_is_interrupted_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_folder: Path) -> list[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(installer, "configure", interrupted)
    assert installer.main() == 1
    assert capsys.readouterr().err == "The installation was not finished: no answer\n"
