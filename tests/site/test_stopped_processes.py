"""A process that is stopped (SIGSTOP) blocks nobody for good, and nothing is lost by it."""

import http.cookiejar
import os
import re
import signal
import smtplib
import socket
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

import pytest
from django.core.signing import TimestampSigner
from django.db.models import F
from django.test import Client
from pytest_django import Settings

from atlantis_site.celery import app
from atlantis_site.supervisor.children import Child, wait_until
from atlantis_site.supervisor.postgres import DATABASE, OWNER
from atlantis_site.supervisor.stack import ServiceStack
from games.mail.reply_addresses import reply_address
from games.models import Heartbeat, User, database_clock
from games.table_stamps import CHANNEL, TICKET_SALT, ticket_body
from tests.factories import fresh, play_one, table_of
from tests.support.emails import read
from tests.support.process_tree import descendants_of
from tests.support.processes import (
    PATIENCE,
    CeleryProcess,
    LiveSite,
    rows_in,
    stacks,
    wait_for,
    warm_child,
)
from tests.support.replies import DOMAIN, reply_email
from tests.support.smtp_sink import SmtpSink, free_port
from tests.support.warm_processes import run_python

pytestmark = pytest.mark.processes
ANSWER = 60  # seconds that a request may take on a busy machine


class Service:
    """PostgreSQL, broker, web, worker, beat and, at mail_port, the listener, with a mail server."""

    def __init__(self, stack: ServiceStack, site: LiveSite, sink: SmtpSink, mail_port: int) -> None:
        self.stack, self.site, self.sink, self.mail_port = stack, site, sink, mail_port

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"{self.site.url}{path}", timeout=ANSWER) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def says_ok(self, *parts: str) -> bool:
        """Return whether /readyz reports that these parts work."""
        report = self.get("/readyz")[1]
        return all(f'"{part}": "ok"' in report for part in parts)

    def takes_replies(self) -> bool:
        """Return whether the listener greets who connects."""
        address = ("127.0.0.1", self.mail_port)
        with suppress(OSError), socket.create_connection(address, timeout=5) as connection:
            return connection.recv(4).startswith(b"220")
        return False

    def ask_for_code(self, address: str) -> None:
        """Ask for a sign-in code on the page, as a browser does."""
        browser = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        )
        url = f"{self.site.url}/accounts/login/"
        page = browser.open(url, timeout=ANSWER).read().decode()
        token = re.search(r'name="csrfmiddlewaretoken"\s+value="(\w+)"', page)
        assert token
        form = urllib.parse.urlencode({"csrfmiddlewaretoken": token[1], "login": address})
        assert browser.open(url, form.encode(), timeout=ANSWER).status == 200

    def has_mail_for(self, address: str) -> bool:
        return any(read(mail)["To"] == address for mail in self.sink.messages)


@pytest.fixture(scope="module")
def started(
    prepared_postgres: Path, collected_static: Path, smtp_server: SmtpSink
) -> Iterator[Service]:
    with stacks(prepared_postgres) as make:
        port, mail_port = free_port(), free_port()
        stack = make(
            EMAIL_URL=smtp_server.url,
            SWEEP_SECONDS="1",
            DATABASE_ANSWER_SECONDS="1",
            BIND=f"127.0.0.1:{port}",
            SITE_URL=f"http://127.0.0.1:{port}",
            SITE_CHECK_URL=f"http://127.0.0.1:{port}",
            STATIC_ROOT=str(collected_static),
            MAIL_REPLY_DOMAIN=DOMAIN,
            MAIL_LISTEN=f"127.0.0.1:{mail_port}",
        )
        site = LiveSite(stack.parts["web"], port)
        for name in ("web", "events", "worker", "beat", "listener"):
            stack.start(name)
        wait_until(site.answers, site.child, PATIENCE, "the site")
        yield Service(stack, site, smtp_server, mail_port)


@pytest.fixture
def service(started: Service) -> Service:
    """The service, whose processes work, whichever of them the test before has stopped."""
    parts = ("database", "broker", "beat", "events", "sweep")
    wait_for(lambda: started.says_ok(*parts), "the return of all parts", pause=0.2)
    wait_for(started.takes_replies, "the listener", pause=0.2)
    return started


@contextmanager
def stopped(child: Child) -> Iterator[None]:
    """Stop every process of the child, and let them go on at the end."""
    pids = descendants_of(child.reaper_pid)
    try:
        for pid in pids:
            send_signal(pid, signal.SIGSTOP)
        yield
    finally:
        for pid in pids:
            send_signal(pid, signal.SIGCONT)


def send_signal(pid: int, number: signal.Signals) -> None:
    """A process of PostgreSQL may end with its connection after it was listed."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def test_pages_are_503_while_postgresql_is_stopped_and_come_back(service: Service) -> None:
    assert service.get("/")[0] == 200
    with stopped(service.stack.postgres.child):
        status, page = service.get("/")
        assert status == 503
        assert "Not available right now" in page
        assert service.get("/healthz")[0] == 200
    wait_for(lambda: service.get("/")[0] == 200, "the return of the pages", pause=0.1)
    service.ask_for_code("postgres@example.org")
    wait_for(lambda: service.has_mail_for("postgres@example.org"), "the code")


def test_a_code_can_be_asked_for_while_the_broker_is_stopped_and_arrives_later(
    service: Service,
) -> None:
    with stopped(service.stack.broker.child):
        service.ask_for_code("broker@example.org")
    wait_for(lambda: service.has_mail_for("broker@example.org"), "the code")


def test_a_code_arrives_by_another_worker_while_one_is_stopped(service: Service) -> None:
    stack = service.stack
    with stopped(stack.parts["worker"]):
        other = warm_child("worker", stack.logs / "other.log", stack.env)
        other.start()
        try:
            service.ask_for_code("worker@example.org")
            wait_for(lambda: service.has_mail_for("worker@example.org"), "the code")
        finally:
            other.stop()


def test_a_code_arrives_while_the_scheduler_is_stopped(service: Service) -> None:
    with stopped(service.stack.parts["beat"]):
        service.ask_for_code("beat@example.org")
        wait_for(lambda: service.has_mail_for("beat@example.org"), "the code")
        with service.stack.postgres.connect(OWNER, DATABASE) as connection:
            connection.execute("UPDATE games_heartbeat SET at = at - interval '4 minutes'")
        assert '"beat": "no sign of life for' in service.get("/readyz")[1]
    wait_for(lambda: service.says_ok("beat"), "the scheduler", pause=0.1)


def listener_is_healthy(service: Service) -> bool:
    env = {**os.environ, **service.stack.env}
    return run_python("-m", "atlantis_site.healthcheck", "listener", env=env).returncode == 0


def test_a_reply_waits_at_its_own_mail_server_while_the_listener_is_stopped(
    service: Service, replies: Settings
) -> None:
    to = reply_address("nosuchgameab", 0, 1)
    assert to is not None
    with stopped(service.stack.parts["listener"]):
        with pytest.raises(OSError), smtplib.SMTP("127.0.0.1", service.mail_port, timeout=0.3):
            pass  # no greeting: the sending server tries again later
        assert not listener_is_healthy(service)
        assert service.get("/")[0] == 200
        service.ask_for_code("listener@example.org")
        wait_for(lambda: service.has_mail_for("listener@example.org"), "the code")
        with service.stack.postgres.connect(OWNER, DATABASE) as connection:
            connection.execute(
                "UPDATE games_heartbeat SET at = at - interval '4 minutes'"
                " WHERE name LIKE 'listener@%'"
            )
        assert '"replies": "no sign of life for' in service.get("/readyz")[1]
    with smtplib.SMTP("127.0.0.1", service.mail_port, timeout=ANSWER) as server:
        server.sendmail("bob@example.org", [to], reply_email("E", to))
    states = "SELECT state FROM games_inboundmail"
    wait_for(lambda: rows_in(service.stack, states) == [("done",)], "the reading of the reply")


@pytest.mark.django_db(transaction=True)
def test_bots_do_not_move_while_their_worker_is_stopped_and_everybody_else_plays_on(
    celery_worker: CeleryProcess, smtp_sink: SmtpSink, alice: User, bob: User, client: Client
) -> None:
    bots = CeleryProcess("bots", celery_worker.env)
    bots.start()
    try:
        rounds = Heartbeat.objects.filter(name="play_bots", at__gt=F("started_at"))
        wait_for(rounds.exists, "the first round of the bots")
        with stopped(bots.child):
            with_bot = table_of(alice, bots=1)
            play_one(with_bot)
            seen = fresh(with_bot).version
            play_one(table_of(alice, bob))
            wait_for(lambda: ["bob@example.org"] in smtp_sink.recipients, "the email to Bob")
            assert fresh(with_bot).version == seen
            begun = database_clock.now() - timedelta(minutes=11)
            Heartbeat.objects.filter(name="play_bots").update(
                started_at=begun, at=begun + timedelta(seconds=1)
            )
            hung = Heartbeat.objects.filter(name__startswith="bots@")
            hung.update(at=F("at") - timedelta(minutes=4))
            Heartbeat.objects.create(name="beat@here", at=database_clock.now())
            report = client.get("/readyz").json()
            assert report["bots"].endswith("start or restart bots")
            assert "restart bots" in report["play_bots"]
        wait_for(lambda: fresh(with_bot).version > seen, "the bot's move")
    finally:
        bots.stop()


def test_no_deadline_passes_while_the_web_server_is_stopped(service: Service) -> None:
    """Worker, beat and PostgreSQL go on. The pages were last there an hour ago."""
    stack = service.stack
    with stack.postgres.connect(OWNER, DATABASE) as connection:

        def run_deadlines() -> None:
            (before,) = one("SELECT max(started_at) FROM games_heartbeat WHERE name = 'deadlines'")
            with app.connection_for_write(stack.env["BROKER_URL"]) as broker:
                app.send_task("games.tasks.deadlines", connection=broker)
            wait_for(
                lambda: one(
                    "SELECT at >= started_at AND (started_at > %s) IS NOT FALSE"
                    " FROM games_heartbeat WHERE name = 'deadlines'",
                    before,
                )[0],
                "the task of deadlines",
            )

        def one(query: str, *values: object) -> tuple[Any, ...]:
            return connection.execute(query, values).fetchone() or (None,)

        def outages() -> list[tuple[Any, ...]]:
            query = "SELECT starts FROM games_outage WHERE ends > %s + interval '1 hour'"
            return connection.execute(query, [mark]).fetchall()

        run_deadlines()
        with stopped(stack.parts["web"]):
            wait_for(
                lambda: (
                    connection.execute(
                        "UPDATE games_heartbeat SET at = at - interval '1 hour' WHERE name = 'service'"
                        " AND NOT EXISTS (SELECT FROM games_heartbeat"
                        "                 WHERE name = 'deadlines' AND started_at > at)"
                    ).rowcount
                ),
                "the end of a run that found the pages",
            )
            (mark,) = one("SELECT at FROM games_heartbeat WHERE name = 'service'")
            run_deadlines()
            assert one("SELECT at FROM games_heartbeat WHERE name = 'service'") == (mark,)
            assert outages() == []
        run_deadlines()
        assert outages() == [(mark,)]


def open_stream(service: Service) -> IO[bytes]:
    """A page that follows the table "one"."""
    signer = TimestampSigner(key=os.environ["SECRET_KEY"], salt=TICKET_SALT)
    ticket = signer.sign(ticket_body("", "", ["one"]))
    url = f"{service.site.url}/events/?ticket={ticket}"
    stream: IO[bytes] = urllib.request.urlopen(url, timeout=ANSWER)
    return stream


def test_open_pages_are_notified_of_changes_while_the_web_server_is_stopped(
    service: Service,
) -> None:
    postgres = service.stack.postgres
    with open_stream(service) as stream, stopped(service.stack.parts["web"]):
        assert b"gone" in b"".join(
            stream.readline() for _line in range(4)
        )  # there is no such table
        with postgres.connect(OWNER, DATABASE) as connection:
            connection.execute(f"NOTIFY {CHANNEL}, 'one 7.0'")
        while stream.readline() != b"data: 7.0\n":
            pass


def test_pages_are_served_while_the_event_process_is_stopped(service: Service) -> None:
    with stopped(service.stack.parts["events"]):
        assert service.get("/")[0] == 200
        assert 'events": "does not answer' in service.get("/readyz")[1]
    wait_for(lambda: service.says_ok("events"), "the event process", pause=0.1)


def test_a_task_that_hangs_ends_its_worker_with_the_stacks_in_the_log() -> None:
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "atlantis_site.settings"}
    done = run_python("-m", "tests.support.children.hung_task", env=env)
    assert done.returncode == 1
    assert b"Timeout" in done.stderr
    assert b"hung_task.py" in done.stderr
