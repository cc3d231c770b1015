"""`manage.py check_mail`, with a real name server and a real SMTP server."""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from typing import Any

import dkim
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from pytest_django import Settings

from games.inbound import intake
from games.mail import dkim_signing, dns_lookup
from games.mail.compose import MailComposer
from games.mail.transport import Transport
from games.models import InboundMail, User
from games.operations import sender
from games.operations.findings import Severity
from tests.factories import table_of
from tests.support import name_server
from tests.support.emails import Kind, read, row_for
from tests.support.smtp_sink import SmtpSink

pytestmark = pytest.mark.django_db

Zone = dict[tuple[str, str], list[str]]

KEY, KEY_TEXT = dkim_signing.new_key()
DAY = timedelta(days=1)
ADDRESS = "127.0.0.1"  # of the mail server, which the check asks

GOOD: Zone = {
    ("example.org", "TXT"): ["unrelated", "v=spf1 a:mx.example.org -all"],
    ("example.org", "MX"): ["20 second.example.org.", "10 mx.example.org."],
    ("play.example.org", "MX"): ["10 mx.example.org."],
    ("_dmarc.example.org", "TXT"): ["v=DMARC1; p=reject; rua=mailto:dmarc@example.org"],
    ("k1._domainkey.example.org", "TXT"): [f"{dkim_signing.record_text(KEY)}; n={'x' * 300}"],
    ("mx.example.org", "A"): [ADDRESS],
}


@pytest.fixture
def zone() -> Zone:
    """The zone of a sender without faults."""
    return {key: list(values) for key, values in GOOD.items()}


@pytest.fixture
def server(zone: Zone) -> Iterator[str]:
    """A name server on loopback; its address:port."""
    with name_server.running(zone) as place:
        yield place


@pytest.fixture(autouse=True)
def installed(settings: Settings) -> None:
    """A service as it should be."""
    settings.LOCAL_MODE = False
    settings.MAIL_FROM = "Atlantis by Mail <games@example.org>"
    settings.SITE_URL = "https://play.example.org"
    settings.EMAIL_BACKEND = "games.mail.transport.SMTPBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "mx.example.org", 1  # nobody answers there
    settings.EMAIL_USE_TLS, settings.EMAIL_USE_SSL = True, False
    settings.MAIL_REPLY_DOMAIN = "play.example.org"
    settings.MAIL_AUTHSERV_ID = "mx.example.org"


def examined(*words: str, **options: Any) -> tuple[str, str]:
    """(the report, the error that ends the command or "")."""
    out = io.StringIO()
    try:
        call_command("check_mail", *words, stdout=out, **options)
    except CommandError as error:
        return out.getvalue(), str(error)
    return out.getvalue(), ""


def test_all_is_well(server: str) -> None:
    said, end = examined(dns=server, selector=["k1"])
    assert end == ""
    assert "FAIL" not in said
    for words in (
        "ok   SPF: v=spf1 a:mx.example.org -all",
        "ok   DKIM: there is a key at k1._domainkey.example.org.",
        "ok   DMARC: v=DMARC1; p=reject",
        "ok   MX: bounces and replies to the sender go to mx.example.org.",
        "ok   MX: replies with moves go to mx.example.org.",
        "All checks passed.",
    ):
        assert words in said


@pytest.mark.parametrize(
    ("place", "answers", "words", "record"),
    [
        (("example.org", "TXT"), [], "SPF: example.org does not say who may send for it.",
         'example.org. IN TXT "v=spf1 a:mx.example.org -all"'),
        (("example.org", "TXT"), ["v=spf1 mx +all"], "lets anyone send",
         'example.org. IN TXT "v=spf1 mx -all"'),
        (("example.org", "TXT"), ["v=spf1 a:x.example.org"], "lets anyone send",
         'example.org. IN TXT "v=spf1 a:x.example.org -all"'),
        (("example.org", "TXT"), ["v=spf1 a -all", "v=spf1 mx -all"], "so none counts",
         'example.org. IN TXT "v=spf1 a mx -all"'),
        (("example.org", "TXT"), ["v=spf1" + " include:x.example.org" * 11 + " -all"],
         "needs 11 lookups", ""),
        (("example.org", "MX"), [], "Let its MX record lead to a mailbox that somebody reads.", ""),
        (("example.org", "MX"), ["0 ."], "declares that it accepts no email", ""),
        (("play.example.org", "MX"), [], "Decide how replies come in, and let its MX record", ""),
        (("play.example.org", "MX"), ["10 gone.example.org."], "which has no address", ""),
        (("k1._domainkey.example.org", "TXT"), ["v=DKIM1; p="], "is empty", ""),
        (("k1._domainkey.example.org", "TXT"), [], "there is no key at k1", ""),
    ],
)  # fmt: skip
def test_what_is_wrong_in_the_dns_is_said_with_the_record_to_add(
    server: str, zone: Zone, place: tuple[str, str], answers: list[str], words: str, record: str
) -> None:
    if "play" in place[0]:
        zone["second.example.org", "A"] = [ADDRESS]
    zone[place] = answers
    said, end = examined(dns=server, selector=["k1"])
    (line,) = [line for line in said.splitlines() if line.startswith("FAIL")]
    assert words in line
    assert f"{line}\n     {record}" in said if record else f"{line}\n     " not in said
    assert end == "1 check failed."


@pytest.mark.parametrize(
    ("record", "is_told"),
    [
        ("v=spf1 mx -all", True),
        ("v=spf1 a:relay.example.org -all", True),
        ("v=spf1 a:other.example.org ip4:192.0.2.1 -all", True),  # whose address that is, who knows
        ("v=spf1 include:example.net -all", True),
        ("v=spf1 a:other.example.org -all", False),
        ("v=spf1 -all", False),
    ],
)
def test_a_mail_server_that_the_record_does_not_permit(
    server: str, zone: Zone, settings: Settings, record: str, is_told: bool
) -> None:
    zone["relay.example.org", "A"], zone["other.example.org", "A"] = [ADDRESS], ["127.0.0.2"]
    zone["example.org", "TXT"], settings.EMAIL_HOST = [record], "relay.example.org"
    said, _end = examined(dns=server, selector=["k1"])
    assert ("does not let relay.example.org send. Change it" in said) is not is_told
    zone["mx.example.org", "A"] = ["127.0.0.3"]
    if " mx" in record:
        said, _end = examined(dns=server, selector=["k1"])
        assert '     example.org. IN TXT "v=spf1 mx a:relay.example.org -all"' in said


@pytest.mark.parametrize(
    ("policies", "words"),
    [([], "large providers require it."), (["v=DMARC1; p=maybe"], "has no p=")],
)
def test_a_domain_without_dmarc_gets_its_record(
    server: str, zone: Zone, policies: list[str], words: str
) -> None:
    zone["_dmarc.example.org", "TXT"] = policies
    said, end = examined(dns=server, selector=["k1"])
    assert re.search(rf"^FAIL DMARC: .*{words}", said, re.MULTILINE)
    assert '     _dmarc.example.org. IN TXT "v=DMARC1; p=none"' in said
    assert end == "1 check failed."


def test_a_policy_that_asks_for_nothing_comes_with_the_next_one(server: str, zone: Zone) -> None:
    zone["_dmarc.example.org", "TXT"] = ["v=DMARC1; p=none; rua=mailto:x@example.org"]
    said, end = examined(dns=server, selector=["k1"])
    assert "note DMARC: example.org asks for nothing (p=none)." in said
    record = '"v=DMARC1; p=quarantine; rua=mailto:x@example.org"'
    assert f"     _dmarc.example.org. IN TXT {record}" in said
    assert end == ""


# -- our own signatures ----------------------------------------------------------------------


@pytest.fixture
def signing(settings: Settings) -> None:
    """This service signs its email itself."""
    settings.DKIM_PRIVATE_KEY, settings.DKIM_SELECTOR = KEY_TEXT, "k1"
    settings.DKIM_DOMAIN = "example.org"


@pytest.mark.usefixtures("signing")
def test_an_email_that_was_sent_has_a_signature_that_everybody_can_check(
    next_door: SmtpSink, server: str, settings: Settings, alice: User, bob: User
) -> None:
    game = table_of(alice, bob, name="Übers Meer")
    row = row_for(game, Kind.TURN)
    with closing(Transport()) as transport:
        transport.send(MailComposer().compose(row))
    (raw,) = next_door.raw
    lookup = dns_lookup.lookup_at(dns_lookup.parse_name_server(server))

    def is_valid(email: bytes) -> bool:
        def text_at(name: bytes, timeout: float) -> bytes:
            return lookup(name.decode().rstrip("."), "TXT")[0].encode()

        return bool(dkim.verify(email, dnsfunc=text_at))

    assert is_valid(raw)
    assert is_valid(b"Received: from x by y; Sat, 2 Jan 2027 03:04:09 +0000\r\n" + raw)
    signed = raw[: raw.index(b"\r\nContent-Type")].replace(b"\r\n ", b"")
    covered = re.search(rb"; h=([^;]*);", signed)
    assert covered is not None
    assert {b"list-unsubscribe", b"list-unsubscribe-post"} <= set(
        covered[1].replace(b" ", b"").split(b":")
    )
    for forged in (
        raw.replace(b"/mail/off/", b"/mail/never/", 1),
        raw.replace(b"One-Click", b"Two-Click"),
        b"From: Somebody <else@example.net>\r\n" + raw,
        raw.replace(b"--\r\n", b"-- \r\nAdded\r\n", 1),
    ):
        assert forged != raw
        assert not is_valid(forged)


@pytest.mark.usefixtures("signing")
def test_the_key_of_this_service_is_looked_up_without_being_named(server: str, zone: Zone) -> None:
    said, _end = examined(dns=server)
    assert "ok   DKIM: the key at k1._domainkey.example.org is ours." in said
    zone["k1._domainkey.example.org", "TXT"] = []
    said, _end = examined(dns=server)
    assert "FAIL DKIM: this service signs its email, but there is no key" in said
    assert f'     k1._domainkey.example.org. IN TXT ( "v=DKIM1; k=rsa; p={KEY.public[:200]}' in said


def test_a_new_key_comes_with_its_settings_and_its_record(
    settings: Settings, zone: Zone, server: str
) -> None:
    out = io.StringIO()
    settings.DKIM_DOMAIN = "example.org"
    call_command("make_dkim_key", selector="s2", stdout=out)
    printed = out.getvalue()
    settings.DKIM_PRIVATE_KEY = re.findall(r"^DKIM_PRIVATE_KEY=(.+)$", printed, re.MULTILINE)[0]
    settings.DKIM_SELECTOR = re.findall(r"^DKIM_SELECTOR=(.+)$", printed, re.MULTILINE)[0]
    (strings,) = re.findall(
        r"^s2\._domainkey\.example\.org\. IN TXT \( (.+) \)$", printed, re.MULTILINE
    )
    zone["s2._domainkey.example.org", "TXT"] = ["".join(strings.strip('"').split('" "'))]
    dkim_signing.check_setting()
    said, _end = examined(dns=server)
    assert "ok   DKIM: the key at s2._domainkey.example.org is ours." in said
    with pytest.raises(CommandError, match="s2 is the key in use"):
        call_command("make_dkim_key", selector="s2", stdout=out)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"DKIM_SELECTOR": ""}, "needs DKIM_SELECTOR"),
        ({"DKIM_SELECTOR": "two words"}, "use letters, digits and hyphens"),
        ({"DKIM_PRIVATE_KEY": "bm8ga2V5"}, "neither base64 of a DER key nor PEM"),
    ],
)
@pytest.mark.usefixtures("signing")
def test_settings_of_dkim_that_cannot_work_stop_the_service(
    settings: Settings, change: dict[str, str], words: str
) -> None:
    for name, value in change.items():
        setattr(settings, name, value)
    with pytest.raises(ImproperlyConfigured, match=words):
        dkim_signing.check_setting()


# -- settings --------------------------------------------------------------------------------


def test_the_policy_of_the_parent_domain_counts(
    server: str, zone: Zone, settings: Settings
) -> None:
    settings.MAIL_FROM = "games@mail.example.org"
    said, _end = examined(dns=server)
    assert "ok   DMARC: v=DMARC1; p=reject" in said


def test_of_a_local_service_only_the_test_email_is_checked(settings: Settings) -> None:
    settings.LOCAL_MODE, settings.MAIL_FROM = True, "games@localhost"
    settings.EMAIL_BACKEND = "games.mail.backends.FolderBackend"
    said, end = examined(dns="127.0.0.1:9")
    assert [line[:4] for line in said.splitlines()] == ["note", "note", "note", "All "]
    assert end == ""


def test_a_silent_name_server_is_reported_but_is_no_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dns_lookup, "SECONDS", 0.2)
    said, end = examined(dns="127.0.0.1:9")
    assert "DNS was not checked any further: The resolution lifetime expired" in said
    assert end == ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"MAIL_FROM": "games@127.0.0.1"}, "No mail server accepts 127.0.0.1"),
        ({"MAIL_FROM": "nobody"}, "is not an address"),
        ({"MAIL_FROM": "atlantis@gmail.com"}, "gmail.com belongs to an email provider"),
        ({"MAIL_REPLY_DOMAIN": "gmx.de"}, "replies with moves would go to strangers"),
        ({"EMAIL_BACKEND": "games.mail.backends.FolderBackend"}, "EMAIL_URL saves emails to a folder"),
        ({"EMAIL_HOST": "mailpit"}, "EMAIL_URL names a test mailbox (mailpit:1)"),
        ({"EMAIL_USE_TLS": False}, "is not encrypted"),
        ({"SITE_URL": "http://play.example.org"}, "without https, others can read codes, links"),
        ({"EMAIL_BACKEND": "anymail.backends.postmark.EmailBackend", "INBOUND_SECRET": []},
         "cannot report bounces"),
    ],
)  # fmt: skip
def test_what_can_be_seen_without_asking_is_seen(
    settings: Settings, change: dict[str, Any], words: str
) -> None:
    for name, value in change.items():
        setattr(settings, name, value)
    (fault,) = [found for found in sender.check_settings() if found.severity is Severity.FAIL]
    assert words in fault.text


@pytest.fixture
def next_door(outgoing: SmtpSink, settings: Settings) -> SmtpSink:
    """The mail server of this very machine, to which nothing needs to be encrypted."""
    settings.EMAIL_USE_TLS = False
    return outgoing


VERIFIED = b"Authentication-Results: mx.example.org; dmarc=pass header.from=example.net\r\n"


Comes = Callable[[str, bytes], object]


def answer_comes(address: str, head: bytes = VERIFIED) -> None:
    """A reply by SMTP, as the listener keeps it."""
    intake.store(
        head + b"From: me@example.net\r\nSubject: Re\r\n\r\nhello\r\n",
        channel=InboundMail.Channel.RELAY,
        sender="me@example.net",
        recipients=[address],
    )


def answered(
    next_door: SmtpSink, server: str, head: bytes = VERIFIED, comes: Comes = answer_comes
) -> tuple[str, str]:
    """What the check says if the test email is answered by one with these headers."""

    def reply(message: Any) -> str:
        addresses.append(str(message["Reply-To"]))
        return "250 kept"

    addresses: list[str] = []
    next_door.answer = reply
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.sleep", lambda _seconds: comes(addresses[0], head))
        return examined(to="me@example.net", wait=20, dns=server)


def test_a_test_email_is_sent_and_its_reply_waited_for(next_door: SmtpSink, server: str) -> None:
    said, end = answered(next_door, server)
    received = read(next_door.messages[0])
    assert received["To"] == "me@example.net"
    assert "reply to this email" in received.text
    assert "ok   The test email to me@example.net was accepted." in said
    assert "ok   The reply arrived (SMTP, trusted mail server)." in said
    assert "ok   Its sender is verified, so a move needs no confirmation." in said
    assert end == ""


def test_a_reply_whose_sender_cannot_be_verified_is_a_failure(
    next_door: SmtpSink, server: str, settings: Settings
) -> None:
    settings.MAIL_AUTHSERV_ID = ""
    said, end = answered(next_door, server)
    assert "FAIL Its sender could not be verified, so each move by reply would have to" in said
    assert "no DKIM signature, and Authentication-Results of mx.example.org." in said
    assert end == "1 check failed."


@pytest.mark.parametrize(
    ("provider", "severity", "words"),
    [
        ("brevo", "FAIL", "brevo does not hand over raw emails"),
        ("mailjet", "FAIL", "mailjet does not hand over raw emails"),
        ("mailgun", "note", "the URL that ends in /inbound_mime/"),
        ("postmark", "note", "tick “Include raw email"),
        ("mailersend", "note", "only if the provider passes the email on unchanged;"),
    ],
)
def test_replies_by_a_webhook_without_raw_emails_are_a_failure(
    server: str, settings: Settings, provider: str, severity: str, words: str
) -> None:
    settings.MAIL_AUTHSERV_ID, settings.INBOUND_SECRET = "", ["user:word"]
    settings.EMAIL_BACKEND = f"anymail.backends.{provider}.EmailBackend"
    said, _end = examined(dns=server, selector=["k1"])
    (line,) = [line for line in said.splitlines() if words in line]
    assert line.startswith(severity)


def came(key: str, check: str, **more: Any) -> None:
    InboundMail.objects.create(
        channel="webhook", recipient="x", key=key, raw=b"", sender_check=check, **more
    )


def test_replies_none_of_which_was_verified_are_a_failure(server: str) -> None:
    came("1", "unknown")
    came("2", "stranger")
    came("3", "unknown")
    said, end = examined(dns=server, selector=["k1"])
    assert "FAIL None of the last replies (2) came from a sender who could be verified" in said
    assert end == "1 check failed."
    came("4", "pass")
    said, end = examined(dns=server, selector=["k1"])
    assert "ok   Senders of replies are verified." in said
    assert end == ""


def test_a_reply_that_nobody_can_read_is_a_failure(next_door: SmtpSink, server: str) -> None:
    def comes(address: str, _head: bytes) -> None:
        intake.store_unreadable(f'{{"To": "{address}"}}'.encode(), "Postmark: KeyError")

    said, end = answered(next_door, server, comes=comes)
    assert "FAIL Nobody can read it: let the provider hand over the raw email." in said
    assert end == "1 check failed."


def test_a_reply_that_never_comes_is_a_failure(next_door: SmtpSink, server: str) -> None:
    said, end = examined(to="me@example.net", wait=0.3, dns=server)
    assert "FAIL No reply arrived at play.example.org." in said
    assert end.endswith("failed.")


def test_a_test_email_that_is_refused_says_what_the_server_said(
    next_door: SmtpSink, server: str
) -> None:
    next_door.answer = "554 we do not know you"
    said, end = examined(to="me@example.net", dns=server)
    assert "FAIL The test email was not accepted:" in said
    assert "554 we do not know you" in said
    assert end


def test_a_reply_can_be_waited_for_only_after_a_test_email() -> None:
    with pytest.raises(CommandError, match="--wait needs --to"):
        call_command("check_mail", "--wait", "5")


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("192.0.2.1", ("192.0.2.1", 53)),
        ("192.0.2.1:5353", ("192.0.2.1", 5353)),
        ("2001:db8::1", ("2001:db8::1", 53)),
        ("[2001:db8::1]:5353", ("2001:db8::1", 5353)),
    ],
)
def test_a_name_server_is_an_address_with_or_without_a_port(
    text: str, server: tuple[str, int]
) -> None:
    assert dns_lookup.parse_name_server(text) == server
