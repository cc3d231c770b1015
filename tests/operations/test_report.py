"""`manage.py check_site` and the admin's first page: all is well, or what to do.

Each mistake that an installation can make without noticing has a test of its own.
"""

import re
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import StringIO
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.core.checks import run_checks
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

import games
from games.mail import dkim_signing, dns_lookup
from games.models import (
    Game,
    Heartbeat,
    InboundMail,
    MailReport,
    MailTransport,
    OutboxMail,
    User,
    database_clock,
)
from games.operations import report, sender
from games.operations.findings import Finding, Severity
from tests.support import name_server
from tests.support.moderators import moderating
from tests.support.pages import text
from tests.support.processes import LiveSite
from tests.support.verification import verify

Zone = dict[tuple[str, str], list[str]]

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
KEY, _KEY_TEXT = dkim_signing.new_key()
ZONE = {
    ("example.org", "TXT"): ["v=spf1 include:spf.mtasv.net -all"],
    ("example.org", "MX"): ["10 mx.example.org."],
    ("mx.example.org", "A"): ["127.0.0.1"],
    ("reply.example.org", "MX"): ["10 inbound.postmarkapp.com."],
    ("inbound.postmarkapp.com", "A"): ["127.0.0.1"],
    ("_dmarc.example.org", "TXT"): ["v=DMARC1; p=reject"],
    ("k1._domainkey.example.org", "TXT"): [dkim_signing.record_text(KEY)],
}


@pytest.fixture
def installed(db: None, settings: Settings) -> Settings:
    """A service with a provider and replies by webhook, that has worked for a year."""
    now = database_clock.now()
    settings.MAIL_FROM = "Atlantis by Mail <games@example.org>"
    for name in ("sweep", "worker@one", "bots@one", "beat@one"):
        Heartbeat.objects.create(name=name, at=now, started_at=now)
    for name in (Heartbeat.BACKUP, Heartbeat.VERIFY):
        Heartbeat.objects.create(name=name, at=now - 5 * HOUR)
    MigrationRecorder.Migration.objects.update(applied=now - 365 * DAY)
    settings.LOCAL_MODE = False
    settings.EMAIL_BACKEND = "anymail.backends.postmark.EmailBackend"
    settings.DKIM_SELECTOR, settings.DKIM_PRIVATE_KEY = "k1", ""
    settings.MAIL_REPLY_DOMAIN, settings.MAIL_AUTHSERV_ID = "reply.example.org", ""
    settings.INBOUND_SECRET = ["user:word"]
    came_in("first", "pass")
    return settings


@pytest.fixture
def zone() -> Zone:
    """The zone of a service in order, which a test may change."""
    return {key: list(values) for key, values in ZONE.items()}


@pytest.fixture
def server(zone: Zone) -> Iterator[str]:
    """A name server on loopback; its address:port."""
    with name_server.running(zone) as place:
        yield place


def came_in(key: str, check: str, **more: Any) -> None:
    values = {"channel": "webhook", "recipient": "x", "raw": b"", **more}
    InboundMail.objects.create(key=key, sender_check=check, **values)


def failures(findings: list[Finding]) -> list[str]:
    return [finding.text for finding in findings if finding.severity is Severity.FAIL]


def faults() -> list[str]:
    """What is wrong, as seen from inside."""
    return failures(report.look_inside())


# -- an unharmed service -----------------------------------------------------------------------


def test_an_unharmed_service_passes(live_site: LiveSite, installed: Settings, server: str) -> None:
    installed.SITE_URL = live_site.url
    out = StringIO()
    call_command("check_site", dns=server, stdout=out)
    said = out.getvalue()
    assert "FAIL" not in said
    for words in (
        f"ok   Version {games.__version__}.",
        "ok   These work: mail, mail_server, incoming_mail, database, beat, worker, bots",
        "ok   Dump of the database: the last good one was made 5 hours ago.",
        "ok   Check of the logs: the last good one was made 5 hours ago.",
        "ok   Email is sent through postmark.",
        f"ok   The site answers at {live_site.url}/.",
        "ok   SPF: v=spf1 include:spf.mtasv.net -all",
        "ok   DKIM: there is a key at k1._domainkey.example.org.",
        "ok   MX: replies with moves go to inbound.postmarkapp.com.",
        "All is well.",
    ):
        assert words in said
    out = StringIO()
    call_command("check_site", "--quiet", dns=server, stdout=out)
    assert out.getvalue() == ""


def test_a_local_service_passes_before_its_first_reply(
    live_site: LiveSite, installed: Settings
) -> None:
    """It has no domain, no provider, no backup and no reply yet."""
    installed.LOCAL_MODE, installed.SITE_URL = True, live_site.url
    installed.EMAIL_BACKEND = "games.mail.backends.FolderBackend"
    installed.MAIL_FROM, installed.MAIL_REPLY_DOMAIN = "games@localhost", "reply.localhost"
    InboundMail.objects.all().delete()
    Heartbeat.objects.filter(name__in=["backup", "verify"]).delete()
    out = StringIO()
    call_command("check_site", dns="127.0.0.1:9", stdout=out)
    assert "note This is a local service: DNS was not checked." in out.getvalue()
    assert "note No reply has come in yet.\n" in out.getvalue()
    assert "All is well." in out.getvalue()


def test_a_local_service_that_does_not_run_is_named(installed: Settings) -> None:
    def no_answer(*_query: object) -> None:
        raise OperationalError

    installed.LOCAL_MODE = True
    with connection.execute_wrapper(no_answer):
        assert faults() == ["PostgreSQL does not answer: `make play` is not running."]


def test_a_fault_ends_the_command_with_what_to_do(installed: Settings, server: str) -> None:
    installed.SITE_URL = "http://127.0.0.1:9"
    out = StringIO()
    with pytest.raises(CommandError, match="1 check failed") as ended:
        call_command("check_site", "--quiet", dns=server, stdout=out)
    assert ended.value.returncode == 1
    (line,) = out.getvalue().splitlines()
    assert line.startswith("FAIL http://127.0.0.1:9/ cannot be reached from here")
    assert line.endswith("and the web server in front running?")


def test_replies_that_are_verified_pass(installed: Settings) -> None:
    assert faults() == []


def test_the_list_costs_the_same_however_much_there_is(installed: Settings) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            report.look_inside()
        return len(queries)

    cost()
    before = cost()
    for number in range(30):
        came_in(str(number), "pass")
        Heartbeat.objects.create(name=f"worker@{number}", at=database_clock.now())
    assert cost() == before <= 12


# -- what fails in silence without it ---------------------------------------------------------


def test_a_webhook_that_verifies_no_sender(installed: Settings) -> None:
    InboundMail.objects.all().delete()
    came_in("1", "unknown")
    (fault,) = faults()
    assert fault.startswith("None of the last replies (1) came from a sender who could be verified")


@pytest.mark.parametrize(
    ("host", "port"), [("mailpit", 25), ("127.0.0.1", 1025), ("sandbox.smtp.mailtrap.io", 587)]
)
def test_emails_that_go_to_a_test_mailbox(installed: Settings, host: str, port: int) -> None:
    installed.EMAIL_BACKEND = "games.mail.transport.SMTPBackend"
    installed.EMAIL_HOST, installed.EMAIL_PORT = host, port
    installed.SITE_URL = "https://games.example.org"
    (fault,) = faults()
    assert fault.startswith(f"EMAIL_URL names a test mailbox ({host}:{port}), so nobody gets")
    assert [error.id for error in run_checks(include_deployment_checks=True)].count("games.E001")
    assert Severity.FAIL in [found.severity for found in sender.check_settings()]


def test_a_listener_that_died(installed: Settings) -> None:
    then = database_clock.now() - 4 * timedelta(minutes=1)
    Heartbeat.objects.create(name="listener@one", at=then, started_at=then)
    (fault,) = faults()
    assert fault.startswith("replies: no sign of life")


def test_replies_that_never_arrive(installed: Settings) -> None:
    InboundMail.objects.all().delete()
    (fault,) = faults()
    assert fault.startswith("No reply has come in yet. Does the MX record")
    assert "that the listener refused" not in fault


def test_replies_that_the_provider_hands_over_in_a_form_that_nobody_can_read(
    installed: Settings, server: str
) -> None:
    InboundMail.objects.all().delete()
    came_in("1", "unknown", state="failed", outcome="broken", error="Postmark: KeyError")
    unread, none = faults()
    assert unread.startswith("failed_replies: some of the last two days failed")
    assert "a provider that has to hand over the raw email" in unread
    assert none.startswith("No reply has come in yet.")
    assert not [fault for fault in failures(report.look_inside(replies=False)) if "repl" in fault]


def test_replies_that_the_listener_refuses(installed: Settings) -> None:
    InboundMail.objects.all().delete()
    now = database_clock.now()
    Heartbeat.objects.create(name="listener@one", at=now, started_at=now, refused=7)
    (fault,) = faults()
    assert "that the listener refused because they are not addresses of ours: 7." in fault


@pytest.mark.parametrize(
    ("name", "kind", "values", "words", "record"),
    [
        ("reply.example.org", "MX", [], "MX: reply.example.org cannot receive email",
         "reply.example.org. IN MX 10 inbound.postmarkapp.com."),
        ("reply.example.org", "MX", ["10 mx.example.org."],
         "MX: replies with moves go to mx.example.org and not to postmark",
         "reply.example.org. IN MX 10 inbound.postmarkapp.com."),
        ("example.org", "TXT", [], "SPF: example.org does not say who may send",
         'example.org. IN TXT "v=spf1 include:spf.mtasv.net -all"'),
        ("example.org", "TXT", ["v=spf1 ip4:1.2.3.4 ~all"], "does not let postmark send",
         'example.org. IN TXT "v=spf1 ip4:1.2.3.4 include:spf.mtasv.net ~all"'),
        ("k1._domainkey.example.org", "TXT", [], "there is no key at k1._domainkey", "None"),
        ("k1._domainkey.example.org", "TXT", ["v=DKIM1; p=AAAA"], "is no key", "None"),
        ("k1._domainkey.example.org", "TXT", ["v=DKIM1; p=§"], "is no key", "None"),
        ("_dmarc.example.org", "TXT", [], "DMARC: large providers require it",
         '_dmarc.example.org. IN TXT "v=DMARC1; p=none"'),
    ],
)  # fmt: skip
def test_a_record_of_the_dns_that_is_missing_or_wrong(
    installed: Settings,
    server: str,
    zone: Zone,
    name: str,
    kind: str,
    values: list[str],
    words: str,
    record: str,
) -> None:
    installed.SITE_URL = "http://127.0.0.1:9"
    zone[name, kind] = values
    _address, fault = [f for f in look_from_outside(server) if f.severity is Severity.FAIL]
    assert words in fault.text
    assert str(fault.record) == record


def test_an_address_of_ones_own_takes_no_replies_for_a_provider(
    installed: Settings, server: str, zone: Zone
) -> None:
    installed.SITE_URL = "http://127.0.0.1:9"
    zone["reply.example.org", "MX"], zone["reply.example.org", "A"] = [], ["127.0.0.1"]
    (_address, fault) = failures(look_from_outside(server))
    assert fault.startswith("MX: replies with moves go to reply.example.org and not to postmark")


@pytest.mark.parametrize("domain", ["reply.example.org", "example.org"])
def test_email_to_the_sender_that_ends_at_the_webhook_for_replies(
    installed: Settings, server: str, zone: Zone, domain: str
) -> None:
    installed.SITE_URL, installed.MAIL_REPLY_DOMAIN = "http://127.0.0.1:9", domain
    zone["example.org", "MX"] = zone["reply.example.org", "MX"]
    (_address, fault) = failures(look_from_outside(server))
    assert "so nobody reads email to Atlantis by Mail <games@example.org>" in fault
    assert "Set MAIL_REPLY_DOMAIN to a name of its own, as in reply.example.org" in fault


def test_a_route_may_pass_on_email_to_the_sender(
    installed: Settings, server: str, zone: Zone
) -> None:
    installed.EMAIL_BACKEND = "anymail.backends.mailgun.EmailBackend"
    zone["example.org", "MX"] = ["10 mxa.mailgun.org."]
    zone["mxa.mailgun.org", "A"] = ["127.0.0.1"]
    (said,) = [f for f in look_from_outside(server) if "drops what is no reply" in f.text]
    assert said.severity is Severity.NOTE


@pytest.mark.parametrize("region", ["", ".eu"])
def test_both_regions_of_mailgun_take_replies(
    installed: Settings, server: str, zone: Zone, region: str
) -> None:
    installed.EMAIL_BACKEND = "anymail.backends.mailgun.EmailBackend"
    installed.ANYMAIL = {"MAILGUN_API_URL": f"https://api{region}.mailgun.net/v3"}
    zone["reply.example.org", "MX"] = []
    (said,) = [f for f in look_from_outside(server) if "cannot receive email" in f.text]
    assert str(said.record) == f"reply.example.org. IN MX 10 mxa{region}.mailgun.org."
    zone["reply.example.org", "MX"] = [f"10 mxb{region}.mailgun.org."]
    zone[f"mxb{region}.mailgun.org", "A"] = ["127.0.0.1"]
    assert not [fault for fault in failures(look_from_outside(server)) if "MX:" in fault]


@pytest.mark.parametrize(("provider", "secret"), [("brevo", ["user:word"]), ("postmark", [])])
def test_no_record_is_advised_before_it_is_known_how_replies_come_in(
    installed: Settings, server: str, zone: Zone, provider: str, secret: list[str]
) -> None:
    installed.EMAIL_BACKEND = f"anymail.backends.{provider}.EmailBackend"
    installed.INBOUND_SECRET = secret
    zone["reply.example.org", "MX"] = []
    (said,) = [f for f in look_from_outside(server) if "cannot receive email" in f.text]
    assert said.text.endswith(
        "Decide how replies come in, and let its MX record lead there: docs/other-ways.md, "
        "“Replies by email”."
    )
    assert said.record is None


def test_with_a_listener_replies_may_go_to_our_own_server(
    installed: Settings, server: str, zone: Zone
) -> None:
    now = database_clock.now()
    Heartbeat.objects.create(name="listener@one", at=now, started_at=now)
    installed.SITE_URL = "http://127.0.0.1:9"
    zone["reply.example.org", "MX"] = ["10 mx.example.org."]
    assert len(failures(look_from_outside(server))) == 1  # the address


def test_a_provider_whose_key_nobody_named(installed: Settings, server: str) -> None:
    installed.SITE_URL, installed.DKIM_SELECTOR = "http://127.0.0.1:9", ""
    (_address, fault) = failures(look_from_outside(server))
    assert fault.startswith("DKIM was not checked: set DKIM_SELECTOR")


def test_a_provider_that_cannot_report_bounces(installed: Settings) -> None:
    installed.INBOUND_SECRET, installed.MAIL_REPLY_DOMAIN = [], ""
    (fault,) = faults()
    assert fault.startswith("The provider cannot report bounces and complaints: set INBOUND_SECRET")
    assert "/anymail/postmark/tracking/" in fault


def test_webhooks_without_the_keys_of_their_provider(installed: Settings) -> None:
    installed.EMAIL_BACKEND = "anymail.backends.mailersend.EmailBackend"
    installed.ANYMAIL = {"MAILERSEND_SIGNING_SECRET": "word"}
    (fault,) = faults()
    assert fault.startswith("Our webhooks refuse what mailersend sends: set INBOUND_SETTINGS")
    assert "to MAILERSEND_INBOUND_SECRET=…, as" in fault
    installed.MAIL_REPLY_DOMAIN = ""
    assert faults() == []


def test_emails_of_which_more_than_one_in_twenty_bounce(installed: Settings) -> None:
    now = database_clock.now()
    OutboxMail.objects.bulk_create(
        OutboxMail(
            kind="turn", to_address="ann@example.org", dedupe_key=f"{number}", message_id=f"<{number}>",
            state="sent", sent_at=now,
        )
        for number in range(119)
    )  # fmt: skip
    for number in range(5):
        MailReport.objects.create(key=f"{number}", provider="postmark", meaning="bounce")
    assert faults() == []
    MailReport.objects.create(key="6", provider="postmark", meaning="bounce")
    (fault,) = faults()
    assert fault.startswith("bounces: 6 of the 119 emails of the last seven days bounced")


@pytest.mark.parametrize(
    ("name", "hours", "words"),
    [
        (
            "backup",
            40,
            "Dump of the database: no good one for 40 hours. Let cron run docs/backup.sh",
        ),
        ("verify", 72, "Check of the logs: no good one for 3 days. Let cron run manage.py verify"),
    ],
)
def test_a_nightly_task_that_has_stopped(
    installed: Settings, name: str, hours: int, words: str
) -> None:
    Heartbeat.objects.filter(name=name).update(at=database_clock.now() - hours * HOUR)
    (fault,) = faults()
    assert fault.startswith(words)


def test_nightly_tasks_that_never_ran_are_missed_after_the_first_days(installed: Settings) -> None:
    Heartbeat.objects.filter(name__in=["backup", "verify"]).delete()
    assert len(faults()) == 2
    MigrationRecorder.Migration.objects.update(applied=database_clock.now() - HOUR)
    assert faults() == []


def test_emails_that_are_refused_again_and_again(installed: Settings) -> None:
    OutboxMail.objects.create(
        kind="turn", to_address="ann@example.org", dedupe_key="a", message_id="<a>", state="parked"
    )
    (fault,) = faults()
    assert fault.startswith("parked_emails: 1 refused by the mail server again and again")


def test_a_disk_that_is_nearly_full(installed: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage(NamedTuple):
        total: int = 1000
        free: int = 99

    monkeypatch.setattr("shutil.disk_usage", lambda _folder: Usage())
    (fault,) = faults()
    assert fault.startswith("10% of the disk that holds")
    assert "Make room before it is full" in fault


# -- the address ------------------------------------------------------------------------------


class Answer(NamedTuple):
    status: int = 200
    headers: dict[str, str] = {"Request-Id": "1"}  # never changed


class Front(NamedTuple):
    url: str
    context: ssl.SSLContext


@contextmanager
def front(folder: Path, *, days: float = 60, answer: Answer | None = None) -> Iterator[Front]:
    """A web server with TLS. Without an answer of its own it passes requests to the service,
    and does not say that they came by https."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = answer
            if found is None:
                response = Client().get(self.path, headers={"host": self.headers["Host"]})
                found = Answer(response.status_code, dict(response.items()))
            self.send_response_only(found.status)
            for name, value in found.headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *words: Any) -> None:
            pass

    paths = certificate(folder, days)
    inside = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    inside.load_cert_chain(*paths)
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.socket = inside.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        context = ssl.create_default_context(cafile=paths[0])
        yield Front(f"https://127.0.0.1:{server.server_port}", context)
        server.shutdown()


def certificate(folder: Path, days: float) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that expires in this number of days, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - 100 * DAY)
        .not_valid_after(now + days * DAY)
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), False
        )
        .sign(key, hashes.SHA256())
    )
    paths = folder / "certificate.pem", folder / "key.pem"
    paths[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return paths


def look_from_outside(server: str, context: ssl.SSLContext | None = None) -> list[Finding]:
    lookup = dns_lookup.lookup_at(dns_lookup.parse_name_server(server))
    return list(report.look_from_outside(lookup, database_clock.now(), context))


def address(installed: Settings, front: Front) -> list[Finding]:
    """What is found at the address of this web server."""
    installed.SITE_URL = front.url
    with name_server.running(ZONE) as server:
        found = look_from_outside(server, front.context)
    return [finding for finding in found if not re.match("SPF|DKIM|DMARC|MX", finding.text)]


def test_a_site_behind_tls_passes(installed: Settings, tmp_path: Path) -> None:
    with front(tmp_path, answer=Answer()) as tls:
        found = address(installed, tls)
    assert [finding.text for finding in found] == [
        f"The site answers at {tls.url}/.",
        "The certificate is valid for 60 days.",
    ]
    assert failures(found) == []


def test_a_site_that_does_not_trust_its_proxy(installed: Settings, tmp_path: Path) -> None:
    installed.SECURE_SSL_REDIRECT, installed.ALLOWED_HOSTS = True, ["127.0.0.1"]
    with front(tmp_path) as tls:
        (fault,) = failures(address(installed, tls))
    assert fault.startswith(f"{tls.url}/ redirects to itself, so nobody sees a page")
    assert "set TRUST_PROXY=1" in fault


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(502, {}), "Another program answers at"),
        (Answer(301, {"Location": "https://www.example.org/"}), "set SITE_URL to the address"),
        (Answer(400), "add its host name to ALLOWED_HOSTS"),
        (Answer(503), "answers with status 503"),
    ],
)
def test_an_address_at_which_there_is_no_site(
    installed: Settings, tmp_path: Path, answer: Answer, words: str
) -> None:
    with front(tmp_path, answer=answer) as tls:
        (fault,) = failures(address(installed, tls))
    assert words in fault


@pytest.mark.parametrize(("seconds", "number"), [(20, 0), (-90, 1), (90, 1)])
def test_a_clock_that_differs_from_that_of_the_web_server(
    installed: Settings, tmp_path: Path, seconds: int, number: int
) -> None:
    date = format_datetime(database_clock.now() + timedelta(seconds=seconds), usegmt=True)
    with front(tmp_path, answer=Answer(headers={"Request-Id": "1", "Date": date})) as tls:
        found = failures(address(installed, tls))
    assert ["let both machines follow a time server" in fault for fault in found] == [True] * number


def test_a_certificate_that_is_not_renewed(installed: Settings, tmp_path: Path) -> None:
    with front(tmp_path, days=5.1, answer=Answer()) as tls:
        (fault,) = failures(address(installed, tls))
    assert fault.startswith("The certificate is valid for 5 days. Your web server has not renewed")


def test_a_certificate_that_has_expired(installed: Settings, tmp_path: Path) -> None:
    with front(tmp_path, days=-1, answer=Answer()) as tls:
        (fault,) = failures(address(installed, tls))
    assert fault.startswith(f"The certificate at {tls.url} is not valid (certificate has expired)")


# -- the check of logs, and the first page of the admin -----------------------------------------


def test_a_check_of_all_logs_is_noted_and_a_fault_as_well(installed: Settings, game: Game) -> None:
    Heartbeat.objects.filter(name="verify").delete()
    assert verify()[0] == 0
    assert database_clock.now() - Heartbeat.objects.get(name="verify").at < HOUR
    Game.objects.update(version=F("version") + 1)
    assert verify()[0] == 1
    (fault,) = faults()
    assert fault.startswith("Check of the logs: the last one found a fault. Run manage.py verify")
    Game.objects.update(version=F("version") - 1)
    assert verify()[0] == 0
    assert faults() == []


def test_the_first_page_of_the_admin_shows_what_to_do(installed: Settings, mona: User) -> None:
    installed.EMAIL_BACKEND = "games.mail.transport.SMTPBackend"
    installed.EMAIL_HOST, installed.EMAIL_PORT = "mailpit", 587
    said = text(moderating(mona).get(reverse("admin:index")))
    assert "State of the service" in said
    assert "EMAIL_URL names a test mailbox (mailpit:587), so nobody gets any email" in said
    assert f"Version {games.__version__}." in said


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", "mail_server: seit"),
        ("fr", "mail_server\u202f: aucun e\u2011mail"),
    ],
)
def test_the_state_of_the_service_is_in_the_language_of_the_moderator(
    installed: Settings, mona: User, language: str, words: str
) -> None:
    at = database_clock.now()
    MailTransport.objects.create(name="all", closed_at=at, retry_at=at, words="550 no")
    User.objects.filter(pk=mona.pk).update(language=language)
    said = text(moderating(mona).get(reverse("admin:index")))
    assert words in said
    assert "550 no" in said


def test_the_first_page_of_the_admin_says_that_all_is_well(installed: Settings, mona: User) -> None:
    assert "All is well." in text(moderating(mona).get(reverse("admin:index")))


def test_the_report_names_the_version(client: Client, installed: Settings) -> None:
    assert client.get("/readyz").json()["version"] == games.__version__
