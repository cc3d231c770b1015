"""A process that is stopped (SIGSTOP) blocks nobody for good, and nothing is lost by it."""

import http.cookiejar
import os
import re
import signal
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import pytest
from django.core.signing import TimestampSigner

from atlantis_site.celery import app
from atlantis_site.supervisor.children import Child, wait_until
from atlantis_site.supervisor.postgres import DATABASE, OWNER
from atlantis_site.supervisor.stack import ServiceStack
from games.table_stamps import CHANNEL, TICKET_SALT, ticket_body

from .support.emails import read
from .support.processes import PATIENCE, LiveSite, stacks, wait_for, warm_child
from .support.smtp_sink import SmtpSink, free_port
from .test_reaper import descendants_of

pytestmark = pytest.mark.processes
ANSWER = 60  # seconds that a request may take on a busy machine


class Service:
    """PostgreSQL, broker, web, worker and beat, with a mail server."""

    def __init__(self, stack: ServiceStack, site: LiveSite, sink: SmtpSink) -> None:
        self.stack, self.site, self.sink = stack, site, sink

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"{self.site.url}{path}", timeout=ANSWER) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

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
def service(
    prepared_postgres: Path, collected_static: Path, smtp_server: SmtpSink
) -> Iterator[Service]:
    with stacks(prepared_postgres) as make:
        port = free_port()
        stack = make(
            EMAIL_URL=smtp_server.url,
            SWEEP_SECONDS="0.5",
            DATABASE_ANSWER_SECONDS="1",
            BIND=f"127.0.0.1:{port}",
            SITE_URL=f"http://127.0.0.1:{port}",
            SITE_CHECK_URL=f"http://127.0.0.1:{port}",
            STATIC_ROOT=str(collected_static),
        )
        site = LiveSite(stack.parts["web"], port)
        for name in ("web", "events", "worker", "beat"):
            stack.start(name)
        wait_until(site.answers, site.child, PATIENCE, "the site")
        yield Service(stack, site, smtp_server)


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
    wait_for(lambda: service.get("/")[0] == 200, "the return of the pages")
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
            return connection.execute("SELECT starts FROM games_outage").fetchall()

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
    wait_for(lambda: '"events": "ok"' in service.get("/readyz")[1], "the event process")
    signer = TimestampSigner(key=os.environ["SECRET_KEY"], salt=TICKET_SALT)
    ticket = signer.sign(ticket_body("", ["one"]))
    url = f"{service.site.url}/events/?ticket={ticket}"
    stream: IO[bytes] = urllib.request.urlopen(url, timeout=ANSWER)
    return stream


def test_open_pages_are_told_of_changes_while_the_web_server_is_stopped(service: Service) -> None:
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
    wait_for(lambda: '"events": "ok"' in service.get("/readyz")[1], "the event process")
