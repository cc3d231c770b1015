"""Starts Python processes of tests in a tenth of the processor time of a cold start.

A fork server imports the libraries and the rules once, but neither settings nor models, so a
program begins with the libraries in memory and reads its own environment as usual. Where several
programs have the same variables, `prepare` forks a server from it that is set up with them, as the
one of `make play`.
"""

import atexit
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from atlantis_site.supervisor import fork_server as fork_server_module
from atlantis_site.supervisor import reaper
from atlantis_site.supervisor.children import Process
from atlantis_site.supervisor.fork_server import ForkedChild, ForkServer

BASE_DIR = Path(__file__).resolve().parents[2]
LIBRARIES = (
    "celery.bin.celery",
    "celery.bin.worker",
    "celery.bin.beat",
    "celery.apps.worker",
    "celery.apps.beat",
    "celery.fixups.django",
    "celery.concurrency.thread",
    "celery.worker.consumer",
    "kombu.transport.redis",
    "gunicorn.app.wsgiapp",
    "gunicorn.workers.sync",
    "h11",
    "whitenoise.storage",
    "brotli",
    "csp.middleware",
    "psycopg",
    "django.core.management.commands.migrate",
    "django.db.backends.postgresql.base",
    "django.core.handlers.wsgi",
    "django.template.loader",
    "django.forms",
    "django.views.csrf",
    "django.contrib.postgres.fields",
    "django.contrib.messages.storage.fallback",
    "fido2.server",
    "qrcode",
    "requests",
    "anymail.utils",
    "aiosmtpd.controller",
    "lxml.html",
    "PIL.Image",
    "resvg_py",
    "quotequail",
    "msgspec.json",
    "environ",
    "redis",
    "icalendar",
    "prometheus_client",
    "dns.resolver",
    "dkim",
    "py_vapid",
    "http_ece",
    "deflate",
    "smtplib",
    "games.rules",
    "games.rules.atlantis",
    "games.rules.escape",
)
PATIENCE = 180.0  # seconds after which waiting is called a hang


@cache
def fork_server() -> ForkServer:
    """One for all tests of a test process, started when first needed."""
    server = ForkServer(LIBRARIES, folder=BASE_DIR)
    atexit.register(server.stop)
    return server


class PreparedServer(ForkServer):
    """A fork server with the preloaded modules of the service, itself forked from
    `fork_server()`."""

    def _execute(self, control: socket.socket, errors: IO[bytes]) -> Process:
        words = ["-m", fork_server_module.__name__, "0", *self.modules]  # 0: its standard input
        with control.makefile("rb") as standard_input:
            return fork_server().start(
                words,
                (standard_input, errors, errors),
                env=dict(self.env or {}),
                folder=str(self.folder),
                options=[],
            )


_prepared: dict[frozenset[tuple[str, str]], PreparedServer] = {}
# pytest changes the first with each step; temporary files are placed after a program has started.
NOT_PREPARED = frozenset({"PYTEST_CURRENT_TEST", "TMPDIR"})


def variables(env: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    """Return the variables in which a prepared server must agree."""
    return frozenset((name, value) for name, value in env.items() if name not in NOT_PREPARED)


def prepare(env: Mapping[str, str]) -> None:
    """Programs with these variables begin with the settings, models and pages in memory."""
    if reaper.LINUX and variables(env) not in _prepared:
        server = PreparedServer(["atlantis_site.preload"], folder=BASE_DIR, env=env)
        _prepared[variables(env)] = server


def unprepare(env: Mapping[str, str]) -> None:
    """End the server for these variables."""
    if server := _prepared.pop(variables(env), None):
        server.stop()


def server_for(env: Mapping[str, str]) -> ForkServer:
    """The fork server that begins with most of what a program with these variables needs."""
    return _prepared.get(variables(env)) or fork_server()


class WarmChild(ForkedChild):
    """A Child whose command is a Python program, forked from a fork server of the tests."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(fork_server(), *args, **options)

    def start(self) -> None:
        self.server = server_for(self.env or {})
        super().start()

    def _fits(self, env: Mapping[str, str]) -> bool:
        return True


def run_python(
    *words: str, env: Mapping[str, str], given: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """`python <words>` in the checkout, to its end: what subprocess.run returns."""
    if not reaper.LINUX:
        command = [sys.executable, *words]
        return subprocess.run(
            command, cwd=BASE_DIR, env=env, input=given, capture_output=True, check=False
        )
    with TemporaryFile() as read, TemporaryFile() as output, TemporaryFile() as errors:
        read.write(given)
        read.seek(0)
        process = server_for(env).start(
            words, (read, output, errors), env=dict(env), folder=str(BASE_DIR), options=[]
        )
        code = process.wait(PATIENCE)
        output.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(words, code, output.read(), errors.read())
