"""Starts PostgreSQL and the broker for the tests, before Django reads its settings.

Loaded with `-p tests.plugins.servers` (see pyproject.toml). The first pytest process starts the
servers and passes their addresses through the environment; workers of xdist take a database each:
pytest-django adds the worker's name to that of PostgreSQL's, and we give each a number of the
broker's. A run of nothing but the rules (tests/rules) starts no server, as they need none.

The servers end with that first process, however it ends, and take their files with them.
"""

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from atlantis_site.supervisor import reaper
from atlantis_site.supervisor.paths import socket_folder
from atlantis_site.supervisor.postgres import DURABLE_SETTINGS, OWNER, Postgres
from atlantis_site.supervisor.stack import Broker

ROOT = Path(__file__).resolve().parents[2]
# Fast, for data that a test run throws away.
VOLATILE_SETTINGS = DURABLE_SETTINGS | {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "autovacuum_naptime": "10min",
    "max_wal_size": "2GB",
    # A transaction of a test is small, and so are its plans: the first one of a statement will do.
    "jit": "off",
    "plan_cache_mode": "force_generic_plan",
    "max_parallel_workers_per_gather": "0",
    "update_process_title": "off",
}

# A busy machine takes longer to end them and to remove their files than a service would wait; a
# reaper that is still running when pytest forgets it is an error of the whole run.
STOP_SECONDS = 180.0

_running: list[Postgres | Broker] = []


def worker_number() -> int:
    """0 without xdist or in its controller; gw0 is 1, gw1 is 2 …"""
    name = os.environ.get("PYTEST_XDIST_WORKER", "")
    return int(name.removeprefix("gw")) + 1 if name else 0


def keep_bytecode() -> None:
    """Compile each module once, whatever the machine prefers: a run starts a hundred processes, and
    without compiled files each of them would take three seconds longer to wake up."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def only_rules(arguments: list[str]) -> bool:
    """Return whether every path on the command line lies in tests/rules."""
    paths = [Path(word.partition("::")[0]).absolute() for word in arguments if word[:1] != "-"]
    paths = [path for path in paths if path.exists()]
    return bool(paths) and all(path.is_relative_to(ROOT / "tests" / "rules") for path in paths)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, args: list[str]
) -> Generator[None, None, None]:
    keep_bytecode()
    if reaper.LINUX:
        # Orphans, such as the renderers of a browser, become our children: see plugins/costs.py.
        reaper.prctl(reaper.PR_SET_CHILD_SUBREAPER, 1)
    if "PYTEST_XDIST_WORKER" not in os.environ:
        folder = Path(tempfile.mkdtemp(prefix="atlantis-tests-"))
        sockets = socket_folder(folder / "run")
        (folder / "static").mkdir()
        # The reapers remove the folder at the end, even after kill -9.
        postgres = Postgres(
            folder / "postgres",
            sockets,
            folder / "postgres.log",
            settings=VOLATILE_SETTINGS,
            remove=folder,
        )
        broker = Broker(sockets, folder / "broker.log", remove=folder)
        os.environ.update(
            SECRET_KEY="only for tests, never for people",
            DATABASE_URL=postgres.url(OWNER),
            TEST_APP_DATABASE_URL=postgres.url(),
            TEST_BROKER=str(broker.socket),
            TEST_FOLDER=str(folder),
            EMAIL_URL=f"folder://{folder}/mail",
            SITE_URL="http://127.0.0.1:8000",
            ALLOWED_HOSTS="127.0.0.1,localhost,testserver",
            LOCAL_MODE="1",
            STATIC_ROOT=str(folder / "static"),
        )
        for name in ("DEBUG", "MAIL_FROM", "MAIL_MAX_TRIES", "TIME_ZONE", "LANGUAGE_CODE"):
            os.environ.pop(name, None)
        quiet = early_config.known_args_namespace
        if not (quiet.help or quiet.version or only_rules(args)):
            postgres.start()
            _running.append(postgres)
            postgres.make_database()
            with postgres.connect("postgres", "postgres") as connection:
                connection.execute(f"ALTER ROLE {OWNER} CREATEDB")
                # dropdb --force ends sessions of the app role as well.
                connection.execute(f"GRANT pg_signal_backend TO {OWNER}")
            broker.start()
            _running.append(broker)
    elif reaper.LINUX:
        reaper.prctl(reaper.PR_SET_PDEATHSIG, signal.SIGKILL)  # workers end with the first process
    broker_socket = os.environ["TEST_BROKER"]
    os.environ["BROKER_URL"] = f"redis+socket://{broker_socket}?virtual_host={worker_number()}"
    os.environ["VAR_DIR"] = str(Path(os.environ["TEST_FOLDER"]) / f"var{worker_number()}")
    try:
        return (yield)
    except BaseException:
        stop()
        raise


def stop() -> None:
    """End the servers that this process started; their files go with them."""
    for server in reversed(_running):
        server.child.ask_to_stop()
    for server in reversed(_running):
        server.child.wait(STOP_SECONDS)
    _running.clear()
    if "PYTEST_XDIST_WORKER" not in os.environ:
        shutil.rmtree(os.environ["TEST_FOLDER"], ignore_errors=True)


def pytest_unconfigure(config: pytest.Config) -> None:
    stop()
