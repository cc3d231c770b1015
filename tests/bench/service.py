"""A real service in a temporary folder, for the duration of a bench."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from atlantis_site.supervisor.play import responds
from atlantis_site.supervisor.stack import BASE_DIR, COMMANDS, ServiceStack

from .report import progress

START_SECONDS = 600.0  # for the first start on a busy machine
PRIVATE = ("DATABASE_URL", "BROKER_URL", "SECRET_KEY")  # variables of another service


@contextmanager
def playing(folder: Path, **variables: str) -> Iterator[int]:
    """What `make play` runs, with its data in a folder of its own; the pid of the supervisor."""
    env = {name: value for name, value in os.environ.items() if name not in PRIVATE}
    words = folder / "words"
    with words.open("w") as output:
        play = subprocess.Popen(
            [sys.executable, "-m", "atlantis_site.supervisor"],
            cwd=BASE_DIR,
            env={**env, **variables, "VAR_DIR": f"{folder}/var"},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        end = time.monotonic() + START_SECONDS
        while "Ready after" not in words.read_text():
            if play.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"make play did not start:\n{words.read_text()}")
            time.sleep(0.5)
        yield play.pid
    finally:
        play.send_signal(signal.SIGTERM)
        play.wait(60)


@contextmanager
def service(folder: Path) -> Iterator[ServiceStack]:
    """Start PostgreSQL (with durable settings) and the broker, and set up Django in this process.

    Each bench starts web or worker itself. SITE_URL and EMAIL_URL of `stack.env` have free ports.
    """
    from tests.load.service import Service  # which needs what this package measures

    progress("PostgreSQL, broker and tables")
    made = Service(folder, COMMANDS, WEB_CONCURRENCY="1")
    try:
        made.prepare()
        import django

        django.setup()
        yield made.stack
    finally:
        made.stop()


def wait_for_web(stack: ServiceStack) -> None:
    """Until the site answers, for half a minute."""
    end = time.monotonic() + 30
    while not responds(stack.env["SITE_URL"]):
        if time.monotonic() > end:
            raise SystemExit("the site does not answer")
        time.sleep(0.1)


def settle(stack: ServiceStack) -> None:
    """Let PostgreSQL do now what this number of new rows would make it do while something is
    measured: statistics, a first vacuum, and all of it written to the disk."""
    with stack.postgres.connect("postgres") as server:
        server.execute("VACUUM (ANALYZE)")
        server.execute("CHECKPOINT")
