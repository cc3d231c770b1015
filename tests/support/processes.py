"""Real processes for tests: a Celery worker, the web server, and whole services of their own.

They run as the app role, with the rights the service has in earnest, not as the owner under which
the tests themselves make and empty tables.
"""

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
from django.db import connection

from atlantis_site.celery import app
from atlantis_site.supervisor.children import Child, wait_until
from atlantis_site.supervisor.postgres import OWNER, binaries
from atlantis_site.supervisor.reaper import children_of
from atlantis_site.supervisor.stack import (
    BASE_DIR,
    COLLECT,
    SETUP_FILES,
    ServiceStack,
    command_child,
    fingerprint,
)
from atlantis_site.supervisor.stack import COMMANDS as PLAY
from tests.plugins.process_logs import watch
from tests.plugins.servers import VOLATILE_SETTINGS

from .compose_file import COMMANDS as COMPOSE
from .smtp_sink import SmtpSink, free_port
from .warm_processes import WarmChild, prepare, run_python, unprepare

COMMANDS = {**COMPOSE, "one-worker": PLAY["worker"]}
TEST_FOLDER = Path(os.environ["TEST_FOLDER"])
# Seconds after which waiting is called a hang. Nothing is said by it of how long things take: the
# machine may have much else to do.
PATIENCE = 180.0
EVENTS_SOCKET = str(Path(os.environ["VAR_DIR"]) / "events.sock")


def service_env() -> dict[str, str]:
    """Variables of a process that works on this test run's database as the app role."""
    name = connection.settings_dict["NAME"]
    url = os.environ["TEST_APP_DATABASE_URL"].rpartition("/")[0]
    return {"DATABASE_URL": f"{url}/{name}"}


def wait_for(
    true: Callable[[], object], what: str, seconds: float = PATIENCE, pause: float = 0.1
) -> None:
    """Look until `true()`, with pauses that grow up to `pause`; fail in the words of `what`."""
    end = time.monotonic() + seconds
    wait = min(0.02, pause)
    while not true():
        assert time.monotonic() < end, f"{what} did not happen in {seconds:.0f} seconds"
        time.sleep(wait)
        wait = min(wait * 1.5, pause)


def pid_of(child: Child) -> int:
    """The pid of the command itself, not of its reaper, which starts it (Linux only)."""
    wait_for(lambda: children_of(child.reaper_pid), f"the start of {child.name}")
    return min(children_of(child.reaper_pid))


def kill(child: Child) -> None:
    """Kill the command as a crash would; its reaper kills the processes that it leaves."""
    os.kill(pid_of(child), signal.SIGKILL)
    child.wait()


def worker_answers(env: dict[str, str]) -> bool:
    with app.connection_for_write(env.get("BROKER_URL", os.environ["BROKER_URL"])) as broker:
        return bool(app.control.ping(timeout=0.3, limit=1, connection=broker))


def warm_child(name: str, log: Path, env: Mapping[str, str], *, grace: float = 8) -> WarmChild:
    """A process of the service, one of COMMANDS, forked from the warm template."""
    cold = command_child(name, COMMANDS[name], log, env, grace=grace)
    log.parent.mkdir(parents=True, exist_ok=True)
    return WarmChild(
        name, cold.command, log=log, env=cold.env, folder=cold.folder, grace=cold.grace
    )


def warm_program(*words: str, log: Path, env: Mapping[str, str]) -> WarmChild:
    """`python <words>` with the settings of the service, forked from the warm template."""
    variables = {**os.environ, "DJANGO_SETTINGS_MODULE": "atlantis_site.settings", **env}
    command = [sys.executable, *words]
    return WarmChild(words[-1], command, log=log, env=variables, folder=BASE_DIR)


def run_warm(command: tuple[str, ...], env: Mapping[str, str], log: Path) -> str:
    """Run a Python command to its end, as `stack.run_command`, forked from the warm template."""
    done = run_python(*command[1:], env={**os.environ, **env})
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as file:
        file.write(done.stdout + done.stderr)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()
    return done.stdout.decode()


class CeleryProcess:
    """A real worker (or beat) of the test database; "one-worker" is that of `make play`.

    `kill` is kill -9; `start` brings it back.
    """

    def __init__(self, name: str, env: dict[str, str]) -> None:
        self.env = env
        log = Path(os.environ["VAR_DIR"]) / f"{name}.log"
        self.child = warm_child(name, log, env, grace=PATIENCE)
        self.name = name

    def start(self) -> None:
        if self.child.running:
            return
        prepare({**os.environ, **self.env})
        self.child.start()
        if "worker" in self.name:
            wait_until(lambda: worker_answers(self.env), self.child, PATIENCE, "the worker")

    def kill(self) -> None:
        kill(self.child)

    def stop(self) -> None:
        self.child.stop()


@pytest.fixture
def celery_worker(transactional_db: None, smtp_sink: SmtpSink) -> Iterator[CeleryProcess]:
    """A real worker on the test database, sending to `smtp_sink`; the queue begins empty."""
    empty_queue()
    worker = CeleryProcess("worker", {**service_env(), "EMAIL_URL": smtp_sink.url})
    worker.start()
    yield worker
    worker.stop()
    empty_queue()


@pytest.fixture
def start_beat(celery_worker: CeleryProcess) -> Iterator[Callable[..., CeleryProcess]]:
    """start_beat(SWEEP_SECONDS="0.5"): a real beat beside the worker."""
    with ExitStack() as after:

        def start(**env: str) -> CeleryProcess:
            beat = CeleryProcess("beat", {**celery_worker.env, **env})
            after.callback(beat.stop)
            beat.start()
            return beat

        yield start


def empty_queue() -> None:
    """Forget every task in this process's part of the broker."""
    number = os.environ["BROKER_URL"].rpartition("=")[2]
    with redis.Redis(unix_socket_path=os.environ["TEST_BROKER"], db=int(number)) as broker:
        broker.flushdb()


@pytest.fixture(scope="session")
def collected_static() -> Path:
    """The collected and compressed static files, made once for all workers of a run."""
    target = Path(os.environ["STATIC_ROOT"])
    with (TEST_FOLDER / "static.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (target / "staticfiles.json").exists():
            making = target.with_name("static.new")
            run_warm(COLLECT, {"STATIC_ROOT": str(making)}, TEST_FOLDER / "collect.log")
            making.rename(target)
    return target


class LiveSite:
    """The web server as in earnest. `url` has no slash at its end."""

    def __init__(self, child: Child, port: int, metrics_port: int = 0) -> None:
        self.child = child
        self.url = f"http://127.0.0.1:{port}"
        self.metrics_url = f"http://127.0.0.1:{metrics_port}/metrics"

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=10) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False


@pytest.fixture(scope="session")
def site(django_db_setup: None, collected_static: Path) -> Iterator[LiveSite]:
    """One real site for all tests of this process; tests take `live_site`, which is it."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    metrics_port = free_port()
    env = {
        **service_env(),
        "BIND": f"127.0.0.1:{port}",
        "WEB_METRICS_BIND": f"127.0.0.1:{metrics_port}",
        "SITE_URL": url,
        "EVENTS_SOCKET": EVENTS_SOCKET,
        "WEB_CONCURRENCY": "2",
    }
    child = warm_child("web", Path(os.environ["VAR_DIR"]) / "web.log", env)
    site = LiveSite(child, port, metrics_port)
    site.child.start()
    wait_until(site.answers, site.child, PATIENCE, "the site")
    yield site
    site.child.stop()


@pytest.fixture(scope="session")
def event_process(django_db_setup: None) -> Iterator[Child]:
    """The event process of `site`; without it, pages poll."""
    env = {**service_env(), "EVENTS_SOCKET": EVENTS_SOCKET}
    child = warm_child("events", Path(os.environ["VAR_DIR"]) / "events.log", env)
    child.start()
    wait_until(events_answer, child, PATIENCE, "the event process")
    yield child
    child.stop()


def events_answer() -> bool:
    """Return whether the event process listens to PostgreSQL."""
    with socket.socket(socket.AF_UNIX) as process, suppress(OSError):
        process.settimeout(10)
        process.connect(EVENTS_SOCKET)
        process.sendall(b"health\n")
        return process.recv(100) == b"ok"
    return False


@pytest.fixture
def live_site(transactional_db: None, site: LiveSite) -> LiveSite:
    """The real site over HTTP (web server, collected files, app role) on the test database."""
    assert site.child.running, f"the site ended in an earlier test: {site.child.last_output()}"
    return site


@pytest.fixture
def site_without_database(tmp_path: Path) -> Iterator[LiveSite]:
    """A web server that serves no page, because it does not reach PostgreSQL."""
    port = free_port()
    nowhere = f"postgresql://nobody@%2F{tmp_path.name}/none"
    env = {"DATABASE_URL": nowhere, "BIND": f"127.0.0.1:{port}"}
    child = warm_child("web", tmp_path / "web.log", env)
    child.start()
    site = LiveSite(child, port)
    wait_until(site.answers, child, PATIENCE, "the site")
    yield site
    child.stop()


@pytest.fixture(scope="session")
def prepared_dump(django_db_setup: None) -> Path:
    """A dump of an empty service, as SQL: migrating a database takes ten times as long."""
    dump = TEST_FOLDER / "prepared.sql"
    # A worker that copies the database now would fail: it must have no other connections.
    with (TEST_FOLDER / "migrate.lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not dump.exists():
            words = [str(binaries() / "pg_dump"), f"--dbname={os.environ['DATABASE_URL']}"]
            done = subprocess.run(words, check=True, stdout=subprocess.PIPE, timeout=PATIENCE)
            # Only databases of tests may be emptied.
            dump.write_bytes(done.stdout.replace(b" DISABLE TRIGGER ", b" ENABLE TRIGGER "))
    return dump


@pytest.fixture(scope="session")
def prepared_postgres(prepared_dump: Path) -> Path:
    """The data folder of a PostgreSQL that is prepared for a service, made once for a run."""
    folder = TEST_FOLDER / "prepared"
    with (TEST_FOLDER / "prepared.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            unfinished = folder.with_name("prepared.new")
            stack = ServiceStack(unfinished, {}, settings=VOLATILE_SETTINGS)
            stack.start("postgres")
            stack.postgres.make_database()
            words = ("--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", f"--file={prepared_dump}")
            psql = [str(binaries() / "psql"), *words, stack.postgres.url(OWNER)]
            subprocess.run(psql, check=True, timeout=PATIENCE, stdout=subprocess.DEVNULL)
            stack.postgres.set_database_comment(fingerprint(SETUP_FILES))
            stack.stop()
            unfinished.rename(folder)
    return folder / "postgres"


@contextmanager
def stacks(prepared_postgres: Path) -> Iterator[Callable[..., ServiceStack]]:
    """make(EMAIL_URL=…): a whole service of its own, prepared, whose servers a test may kill.

    Only PostgreSQL and the broker run when it is handed over; `stack.start("worker")` and so on
    start the rest, `kill(stack.children["postgres"])` is kill -9.
    """
    with ExitStack() as after:

        def make(**env: str) -> ServiceStack:
            folder = Path(tempfile.mkdtemp(prefix="atlantis-stack-"))
            after.callback(shutil.rmtree, folder, ignore_errors=True)
            subprocess.run(["cp", "-a", prepared_postgres, folder / "postgres"], check=True)
            # What is committed outlives a kill, as in earnest; only a power cut would take it.
            stack = ServiceStack(
                folder,
                env,
                commands=COMPOSE,
                settings=VOLATILE_SETTINGS | {"synchronous_commit": "on"},
            )
            variables = {**os.environ, **stack.env}
            prepare(variables)
            after.callback(unprepare, variables)
            for name, part in stack.parts.items():
                stack.parts[name] = warm_child(name, part.log, stack.env, grace=part.grace)
            watch(stack.logs)
            after.callback(stack.stop)
            stack.start("postgres")
            stack.start("broker")
            stack.prepare()
            return stack

        yield make


@pytest.fixture
def make_stack(prepared_postgres: Path) -> Iterator[Callable[..., ServiceStack]]:
    """make_stack(EMAIL_URL=…): see `stacks`; for the time of one test."""
    with stacks(prepared_postgres) as make:
        yield make


def rows_in(stack: ServiceStack, sql: str) -> list[tuple[Any, ...]]:
    """Return rows from the database of that service."""
    with psycopg.connect(stack.postgres.url()) as connection:
        return connection.execute(sql.encode()).fetchall()


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may write everywhere; for a moment be somebody who may not."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
