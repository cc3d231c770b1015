"""Starts Python processes in a tenth of the processor time of a cold start.

A template process imports the libraries and the rules once, but neither settings nor models. For
each start it forks a reaper, which forks the program, so a program begins with the libraries in
memory and reads its own environment as usual. The reapers are those of the supervisor. Everything
ends with the test process.

`python -m tests.support.warm_processes <control socket>` is the template process.
"""

import argparse
import atexit
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NoReturn

from atlantis_site.supervisor import reaper
from atlantis_site.supervisor.children import Child

BASE_DIR = Path(__file__).resolve().parents[2]
LIBRARIES = (
    *("celery.bin.celery", "celery.bin.worker", "celery.bin.beat", "celery.apps.worker"),
    *("celery.apps.beat", "celery.fixups.django", "celery.concurrency.thread"),
    *("celery.worker.consumer", "kombu.transport.redis", "gunicorn.app.wsgiapp"),
    *("gunicorn.workers.sync", "h11", "whitenoise.storage", "brotli", "csp.middleware", "psycopg"),
    *("django.core.management.commands.migrate", "django.db.backends.postgresql.base"),
    *("django.core.handlers.wsgi", "django.template.loader", "django.forms", "django.views.csrf"),
    *("django.contrib.postgres.fields", "django.contrib.messages.storage.fallback"),
    *("fido2.server", "qrcode", "requests", "anymail.utils", "aiosmtpd.controller", "lxml.html"),
    *("PIL.Image", "resvg_py", "quotequail", "msgspec.json", "environ", "redis"),
    *("games.rules", "games.rules.atlantis", "games.rules.escape"),
)
NUMBER = struct.Struct("i")
PATIENCE = 180.0  # seconds after which waiting is called a hang
Streams = tuple[IO[bytes], IO[bytes], IO[bytes]]  # standard input, output and errors


class WarmProcess:
    """A reaper that the template forked, with the part of Popen's interface that Child uses.

    The reaper sends its pid, and its exit status at its end; without the latter it was killed.
    """

    def __init__(self, status: socket.socket) -> None:
        self._status = status
        (self.pid,) = NUMBER.unpack(status.recv(NUMBER.size))
        self.returncode: int | None = None

    def poll(self) -> int | None:
        if self.returncode is None and select.select([self._status], [], [], 0)[0]:
            words = self._status.recv(NUMBER.size)
            self.returncode = NUMBER.unpack(words)[0] if words else -signal.SIGKILL
            self._status.close()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            select.select([self._status], [], [], timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired(f"reaper {self.pid}", timeout or 0)
        return code

    def terminate(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)


class Template:
    """The template process; one for all tests of a test process, started when first needed."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.warm_processes", str(theirs.fileno())],
                cwd=BASE_DIR,
                pass_fds=[theirs.fileno()],
            )
        atexit.register(self.stop)

    def start(self, program: Sequence[str], streams: Streams, **request: object) -> WarmProcess:
        """Fork a reaper of this program with its standard streams (see `be_reaper`)."""
        status, theirs = socket.socketpair()
        words = json.dumps({"program": program, **request}).encode()
        with theirs:
            descriptors = [*(stream.fileno() for stream in streams), theirs.fileno()]
            socket.send_fds(self._control, [words], descriptors)
        return WarmProcess(status)

    def stop(self) -> None:
        self._control.close()
        self._process.wait()


@cache
def template() -> Template:
    return Template()


class WarmChild(Child):
    """A Child whose command is a Python program, forked from the template process."""

    def start(self) -> None:
        if not reaper.LINUX:
            super().start()
            return
        env = dict(os.environ if self.env is None else self.env)
        folder = str(self.folder or Path.cwd())
        with self.log.open("ab") as log, Path(os.devnull).open("rb") as nothing:
            # Not a Popen, but as good as one to Child.
            self._process = template().start(  # type: ignore[assignment]
                self.command[1:], (nothing, log, log), env=env, folder=folder, options=self.options
            )


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
        process = template().start(
            words, (read, output, errors), env=dict(env), folder=str(BASE_DIR), options=[]
        )
        code = process.wait(PATIENCE)
        output.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(words, code, output.read(), errors.read())


# -- in the template process -------------------------------------------------------------------


def serve(control: socket.socket) -> None:
    """Fork a reaper for each request until the test process closes its end."""
    for library in LIBRARIES:
        importlib.import_module(library)
    gc.freeze()
    signal.signal(signal.SIGCHLD, lambda *_: None)
    wakeup, written = socket.socketpair()
    for end in (wakeup, written):
        end.setblocking(False)
    signal.set_wakeup_fd(written.fileno(), warn_on_full_buffer=False)
    while True:
        for ready in select.select([control, wakeup], [], [])[0]:
            if ready is wakeup:
                wakeup.recv(4096)
                reap()
            else:
                message, descriptors, _flags, _address = socket.recv_fds(control, 1 << 20, 4)
                if not message:
                    return
                if os.fork() == 0:
                    control.close()
                    be_reaper(json.loads(message), *descriptors)
                for descriptor in descriptors:
                    os.close(descriptor)


def reap() -> None:
    """Take note of the reapers that ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def be_reaper(request: dict[str, Any], *descriptors: int) -> NoReturn:
    """What reaper.py does, with a program that is forked instead of executed."""
    os.setsid()
    os.chdir(request["folder"])
    *streams, status = descriptors
    for target, stream in enumerate(streams):
        os.dup2(stream, target)
        os.close(stream)
    os.environ.clear()
    os.environ.update(request["env"])
    parser = argparse.ArgumentParser()
    parser.add_argument("--stop", type=int, default=signal.SIGTERM)
    parser.add_argument("--grace", type=float, default=10.0)
    options = parser.parse_args(
        request["options"], argparse.Namespace(account=None, command=request["program"])
    )
    received, pipe = reaper.catch_signals()
    reaper.prctl(reaper.PR_SET_CHILD_SUBREAPER, 1)
    reaper.prctl(reaper.PR_SET_PDEATHSIG, signal.SIGTERM)
    os.write(status, NUMBER.pack(os.getpid()))

    def execute(_program: str, words: list[str], _env: object) -> NoReturn:
        os.close(status)
        # As Python has them when it starts.
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        raise SystemExit(run_program(words))

    pid = reaper.start(options, execute)
    try:
        code = reaper.supervise(pid, received, pipe, options)
        reaper.kill_rest(pid)
        os.write(status, NUMBER.pack(code if code >= 0 else 128 - code))
    finally:
        os._exit(0)


def run_program(words: Sequence[str]) -> int:
    """`python <words>`: a module after -m, or a script."""
    module = words[1] if words[0] == "-m" else ""
    sys.argv = list(words[1:] if module else words)
    sys.path[0] = str(Path.cwd())
    if module:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(words[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    reaper.prctl(reaper.PR_SET_PDEATHSIG, signal.SIGKILL)
    serve(socket.socket(fileno=int(sys.argv[1])))
