"""`manage.py check_mail`, with a real name server and a real SMTP server."""

import io
import socketserver
import struct
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from games.inbound import intake
from games.mail import deliverability
from games.models import InboundMail

from .support.emails import read
from .support.smtp_sink import SmtpSink

pytestmark = pytest.mark.django_db

Zone = dict[tuple[str, str], list[str]]

RECORD_TYPES = {"A": 1, "PTR": 12, "MX": 15, "TXT": 16, "AAAA": 28}
NXDOMAIN = 3

GOOD: Zone = {
    ("example.org", "TXT"): ["unrelated", "v=spf1 mx -all"],
    ("example.org", "MX"): ["20 second.example.org", "10 mx.example.org"],
    ("play.example.org", "MX"): ["10 mx.example.org"],
    ("_dmarc.example.org", "TXT"): ["v=DMARC1; p=reject; rua=mailto:dmarc@example.org"],
    ("k1._domainkey.example.org", "TXT"): ["v=DKIM1; k=rsa; p=" + "MIIB" * 300],  # needs TCP
    ("mx.example.org", "A"): ["192.0.2.7"],
    ("7.2.0.192.in-addr.arpa", "PTR"): ["mx.example.org"],
}


def _labels(name: str) -> bytes:
    labels = [label.encode() for label in name.split(".") if label]
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def _data(kind: str, text: str) -> bytes:
    match kind:
        case "A":
            return bytes(map(int, text.split(".")))
        case "PTR":
            return _labels(text)
        case "MX":
            rank, host = text.split()
            return struct.pack(">H", int(rank)) + _labels(host)
    words = text.encode()
    return b"".join(
        bytes([len(words[at : at + 255])]) + words[at : at + 255]
        for at in range(0, len(words), 255)
    )


def reply_to(question: bytes, zone: Zone, most: int) -> bytes:
    """A name server's answer; the name is said by reference, and cut where it is longer than `most`."""
    end = question.index(b"\0", 12)
    kind = {number: name for name, number in RECORD_TYPES.items()}[
        struct.unpack(">H", question[end + 1 : end + 3])[0]
    ]
    labels, at = [], 12
    while question[at]:
        labels.append(question[at + 1 : at + 1 + question[at]].decode())
        at += 1 + question[at]
    name = ".".join(labels)
    found = [_data(kind, text) for text in zone.get((name, kind), [])]
    known = any(name == other for other, _kind in zone)
    flags = 0x8180 | (0 if known else NXDOMAIN)
    body = b"".join(
        b"\xc0\x0c" + struct.pack(">2HIH", RECORD_TYPES[kind], 1, 60, len(data)) + data
        for data in found
    )
    asked = question[12 : end + 5]
    if 12 + len(asked) + len(body) > most:
        return question[:2] + struct.pack(">5H", flags | 0x200, 1, 0, 0, 0) + asked
    return question[:2] + struct.pack(">5H", flags, 1, len(found), 0, 0) + asked + body


@pytest.fixture
def zone() -> Zone:
    """What the name server knows: a sender with whom all is well."""
    return {key: list(values) for key, values in GOOD.items()}


@pytest.fixture
def server(zone: Zone) -> Iterator[str]:
    """A name server on loopback, by UDP and TCP; its address:port."""

    class ByUdp(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            question, line = self.request
            line.sendto(reply_to(question, zone, 512), self.client_address)

    class ByTcp(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            (length,) = struct.unpack(">H", self.rfile.read(2))
            answer = reply_to(self.rfile.read(length), zone, 65535)
            self.wfile.write(struct.pack(">H", len(answer)) + answer)

    with socketserver.TCPServer(("127.0.0.1", 0), ByTcp) as tcp:
        port = tcp.server_address[1]
        with socketserver.UDPServer(("127.0.0.1", port), ByUdp) as udp:
            for one in (tcp, udp):
                threading.Thread(target=one.serve_forever, args=(0.05,), daemon=True).start()
            yield f"127.0.0.1:{port}"
            udp.shutdown()
            tcp.shutdown()


@pytest.fixture(autouse=True)
def sender(settings: Settings) -> None:
    """A service as it should be, with a mail server of its own."""
    settings.MAIL_FROM = "Atlantis by Mail <games@example.org>"
    settings.SITE_URL = "https://play.example.org"
    settings.EMAIL_BACKEND = "games.mail.smtp.SMTPBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "mx.example.org", 587
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
        "ok   SPF: v=spf1 mx -all",
        "ok   DKIM: there is a key at k1._domainkey.example.org.",
        "ok   DMARC: v=DMARC1; p=reject",
        "ok   MX: bounces and replies to the sender go to mx.example.org.",
        "ok   MX: replies with moves go to mx.example.org.",
        "ok   PTR: 192.0.2.7 is mx.example.org, and back.",
        "All checks passed.",
    ):
        assert words in said


@pytest.mark.parametrize(
    ("place", "answers", "words"),
    [
        (("example.org", "TXT"), [], "SPF: example.org does not say who may send for it."),
        (("example.org", "TXT"), ["v=spf1 mx +all"], "lets anyone send"),
        (("example.org", "TXT"), ["v=spf1 mx"], "lets anyone send"),
        (("example.org", "TXT"), ["v=spf1 -all", "v=spf1 mx -all"], "has 2 records, so none counts"),
        (("example.org", "MX"), [], "MX: example.org cannot receive email"),
        (("example.org", "MX"), ["0 ."], "declares that it accepts no email"),
        (("_dmarc.example.org", "TXT"), [], "DMARC: large providers require it."),
        (("_dmarc.example.org", "TXT"), ["v=DMARC1; p=maybe"], "has no p=none"),
        (("k1._domainkey.example.org", "TXT"), ["v=DKIM1; p="], "is empty"),
        (("k1._domainkey.example.org", "TXT"), [], "there is no key at k1"),
        (("7.2.0.192.in-addr.arpa", "PTR"), [], "has no name that resolves back to it"),
        (("7.2.0.192.in-addr.arpa", "PTR"), ["example.org"], "has no name that resolves back to it"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_the_dns_is_said_with_what_to_do(
    server: str, zone: Zone, place: tuple[str, str], answers: list[str], words: str
) -> None:
    zone[place] = answers
    said, end = examined(dns=server, selector=["k1"])
    (line,) = [line for line in said.splitlines() if line.startswith("FAIL")]
    assert words in line
    assert end == "1 check failed."


def test_the_policy_of_the_parent_domain_counts(
    server: str, zone: Zone, settings: Settings
) -> None:
    settings.MAIL_FROM = "games@mail.example.org"
    said, _end = examined(dns=server)
    assert "ok   DMARC: v=DMARC1; p=reject" in said


def test_a_silent_name_server_is_reported_but_is_no_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deliverability, "DNS_TIMEOUT_SECONDS", 0.2)
    said, end = examined(dns="127.0.0.1:9")
    assert "DNS was not checked any further: The resolution lifetime expired" in said
    assert end == ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"MAIL_FROM": "games@127.0.0.1"}, "No mail server accepts 127.0.0.1"),
        ({"MAIL_FROM": "nobody"}, "is not an address"),
        ({"EMAIL_BACKEND": "games.mail.backends.FolderBackend"}, "not delivered: set EMAIL_URL"),
        ({"EMAIL_USE_TLS": False}, "is not encrypted"),
        ({"EMAIL_BACKEND": "anymail.backends.postmark.EmailBackend", "INBOUND_SECRET": []},
         "cannot report bounces"),
    ],
)  # fmt: skip
def test_what_can_be_seen_without_asking_is_seen(
    settings: Settings, change: dict[str, Any], words: str
) -> None:
    for name, value in change.items():
        setattr(settings, name, value)
    (fault,) = [
        f for f in deliverability.check_settings() if f.severity is deliverability.Severity.FAIL
    ]
    assert words in fault.text


@pytest.fixture
def next_door(outgoing: SmtpSink, settings: Settings) -> SmtpSink:
    """The mail server of this very machine, to which nothing needs to be encrypted."""
    settings.EMAIL_USE_TLS = False
    return outgoing


def answer_comes(address: str) -> None:
    """A reply by SMTP, as the listener keeps it."""
    intake.store(
        b"From: me@example.net\r\nSubject: Re\r\n\r\nhello\r\n",
        channel=InboundMail.Channel.RELAY,
        sender="me@example.net",
        recipients=[address],
    )


def test_a_test_mail_is_sent_and_its_reply_waited_for(next_door: SmtpSink, server: str) -> None:
    def reply(message: Any) -> str:
        addresses.append(str(message["Reply-To"]))
        return "250 kept"

    addresses: list[str] = []
    next_door.answer = reply
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.sleep", lambda _seconds: answer_comes(addresses[0]))
        said, _end = examined(to="me@example.net", wait=20, dns=server)
    letter = read(next_door.messages[0])
    assert letter["To"] == "me@example.net"
    assert "reply to this email" in letter.text
    assert "ok   The test email to me@example.net was accepted." in said
    assert "ok   The reply arrived (SMTP, trusted mail server)." in said


def test_a_reply_that_never_comes_is_a_failure(next_door: SmtpSink, server: str) -> None:
    said, end = examined(to="me@example.net", wait=0.3, dns=server)
    assert "FAIL No reply arrived at play.example.org." in said
    assert end.endswith("failed.")


def test_a_test_mail_that_is_refused_says_what_the_server_said(
    next_door: SmtpSink, server: str
) -> None:
    next_door.answer = "554 we do not know you"
    said, end = examined(to="me@example.net", dns=server)
    assert "FAIL The test email was not accepted:" in said
    assert "554 we do not know you" in said
    assert end
