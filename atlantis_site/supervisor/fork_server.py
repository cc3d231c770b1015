"""A fork server: starts Python programs as copies of one process that has imported what they need.

`make play` has nine Python processes. Forked instead of executed, they share the memory of their
imports, and each start takes a tenth of the processor time. The reapers are those of reaper.py, and
everything ends with the process that created the fork server. Linux only; elsewhere, and for a
child with other variables than the fork server has, `ForkedChild` starts a Python of its own.

`python -m atlantis_site.supervisor.fork_server <control socket> [module …]` is the server.
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
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, NoReturn

from . import reaper
from .children import Child, ChildFailed, Process

NUMBER = struct.Struct("i")
FIRST_FD = 3  # after the standard streams
MAX_FDS = 4  # that come with a request: three streams and the status socket
START_SECONDS = 120.0  # for the imports of a server on a busy machine, and the first fork
STOP_SECONDS = 10.0
BAD_OUTPUT = 120  # the exit status of Python if it cannot write its last output
Streams = tuple[IO[bytes], IO[bytes], IO[bytes]]  # standard input, output and errors


class ForkedProcess:
    """A reaper that the fork server forked, with the part of Popen's interface that Child uses.

    The reaper sends its pid, and its exit status at its end; without the latter it was killed.
    Raises OSError if the pid does not come.
    """

    def __init__(self, status: socket.socket) -> None:
        self._status = status
        status.settimeout(START_SECONDS)
        words = status.recv(NUMBER.size)
        if not words:
            raise OSError("the fork server ended")
        (self.pid,) = NUMBER.unpack(words)
        self.returncode: int | None = None

    def poll(self) -> int | None:
        if self.returncode is None and select.select([self._status], [], [], 0)[0]:
            words = self._status.recv(NUMBER.size)
            self.returncode = NUMBER.unpack(words)[0] if words else -signal.SIGKILL
            self._status.close()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit status. Raises subprocess.TimeoutExpired."""
        if self.returncode is None:
            select.select([self._status], [], [], timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired(f"reaper {self.pid}", timeout or 0)
        return code

    def terminate(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)


class ForkServer:
    """A handle on one fork server, which starts with the first program, and again if it was killed.

    modules   what it imports; variables that they set are those of all programs
    env       its variables; a module may have read them, so all programs have the same. None: the
              modules read no variables, and each program has its own
    pass_fds  file descriptors that programs may need, under the same numbers

    The kernel ties it to the thread that starts it, as Child does.
    """

    def __init__(
        self,
        modules: Sequence[str],
        *,
        folder: Path,
        env: Mapping[str, str] | None = None,
        pass_fds: Sequence[int] = (),
    ) -> None:
        self.modules, self.folder = modules, folder
        self.env, self.pass_fds = env, tuple(pass_fds)
        self._process: Process | None = None
        self._control: socket.socket | None = None

    def start(self, program: Sequence[str], streams: Streams, **request: object) -> ForkedProcess:
        """Fork a reaper of `python <program>` with its standard streams (see `be_reaper`).

        A server that does not answer, and everything that it started, ends: the next start has
        another. Raises ChildFailed.
        """
        if self._process is None or self._process.poll() is not None:
            self._launch(streams[2])
        assert self._control is not None
        status, theirs = socket.socketpair()
        words = json.dumps({"program": list(program), **request}).encode()
        try:
            with theirs:
                descriptors = [*(stream.fileno() for stream in streams), theirs.fileno()]
                socket.send_fds(self._control, [words], descriptors)
            return ForkedProcess(status)
        except OSError as error:
            status.close()
            self.stop()
            raise ChildFailed(f"`{' '.join(program)}` was not started: {error}") from error

    def _launch(self, errors: IO[bytes]) -> None:
        self.stop()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = self._execute(theirs, errors)

    def _execute(self, control: socket.socket, errors: IO[bytes]) -> Process:
        return subprocess.Popen(
            [sys.executable, "-m", __name__, str(control.fileno()), *self.modules],
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            cwd=self.folder,
            env=self.env,
            pass_fds=[control.fileno(), *self.pass_fds],
            start_new_session=True,  # Ctrl-C goes to the supervisor
        )

    def stop(self) -> None:
        """End the server, and with it everything that it started."""
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                os.kill(self._process.pid, signal.SIGKILL)
                self._process.wait(STOP_SECONDS)
        self._control = self._process = None


class ForkedChild(Child):
    """A Child whose command is a Python program that a fork server starts."""

    def __init__(self, server: ForkServer, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.server = server

    def start(self) -> None:
        env = dict(os.environ if self.env is None else self.env)
        if not reaper.LINUX or not self._fits(env):
            super().start()
            return
        with self.log.open("ab") as log, Path(os.devnull).open("rb") as nothing:
            self._process = self.server.start(
                self.command[1:],
                (nothing, log, log),
                name=self.name,
                env=env,
                folder=str(self.folder or Path.cwd()),
                options=self.options,
                keep_fds=self.pass_fds,
            )

    def _fits(self, env: Mapping[str, str]) -> bool:
        """Return whether the server has these variables; the folder for temporary files is read
        later."""
        theirs = self.server.env
        return theirs is None or {**env, "TMPDIR": ""} == {**theirs, "TMPDIR": ""}


# -- in the fork server ------------------------------------------------------------------------


def serve(control: socket.socket, added: Mapping[str, str]) -> None:
    """Fork a reaper for each request until the other side closes its end.

    added: variables of all programs beside their own.
    """
    gc.collect()
    gc.freeze()  # a collection would write to pages that the programs share
    opened = (int(entry.name) for entry in Path("/proc/self/fd").iterdir())
    inherited = [number for number in opened if number >= FIRST_FD]
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
                message, descriptors, _flags, _address = socket.recv_fds(control, 1 << 20, MAX_FDS)
                if not message:
                    signal.set_wakeup_fd(-1)  # a reaper may end after `written` is closed
                    return
                if os.fork() == 0:
                    signal.set_wakeup_fd(-1)
                    wakeup.close()
                    written.close()
                    control.close()
                    be_reaper(json.loads(message), added, inherited, *descriptors)
                for descriptor in descriptors:
                    os.close(descriptor)


def reap() -> None:
    """Take note of the reapers that ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def be_reaper(
    request: dict[str, Any],
    added: Mapping[str, str],
    inherited: Sequence[int],
    *descriptors: int,
) -> NoReturn:
    """Do what reaper.py does, with a program that is forked instead of executed.

    request: program (what follows `python`), name, env, folder, options (of the reaper), keep_fds.
    """
    os.setsid()
    os.chdir(request["folder"])
    *streams, status = descriptors
    for target, stream in enumerate(streams):
        os.dup2(stream, target)
        os.close(stream)
    for unneeded in {*inherited} - {*request.get("keep_fds", ()), status}:
        with suppress(OSError):
            os.close(unneeded)
    os.environ.clear()
    os.environ.update({**request["env"], **added})
    parser = argparse.ArgumentParser()
    parser.add_argument("--stop", type=int, default=signal.SIGTERM)
    parser.add_argument("--grace", type=float, default=10.0)
    parser.add_argument("--lock-fd", type=int)
    options = parser.parse_args(
        request["options"], argparse.Namespace(account=None, command=request["program"])
    )
    show_name(request.get("name", ""))
    received, pipe = reaper.catch_signals()
    reaper.prctl(reaper.PR_SET_CHILD_SUBREAPER, 1)
    reaper.prctl(reaper.PR_SET_PDEATHSIG, signal.SIGTERM)
    os.write(status, NUMBER.pack(os.getpid()))

    def execute(_program: str, words: list[str], _env: object) -> NoReturn:
        os.close(status)
        if options.lock_fd is not None:
            os.close(options.lock_fd)  # the reaper holds it until everything has ended
        # As Python has them when it starts.
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            raise SystemExit(run_program(words))
        except BaseException as error:
            _expect_end(error)
            raise

    pid = reaper.start(options, execute)
    try:
        code = reaper.supervise(pid, received, pipe, options)
        reaper.kill_rest(pid)
        os.write(status, NUMBER.pack(code if code >= 0 else 128 - code))
    finally:
        os._exit(0)


def show_name(name: str) -> None:
    """Set the name that `ps -o comm` and `top` show; the command line stays that of the fork
    server."""
    with suppress(OSError):
        Path("/proc/self/comm").write_text(name[:15])


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


_status: int | None = None


@cache
def _prepare_quick_end() -> None:
    """Prepare a program to end without taking its modules apart, before it imports what it needs.

    At its end, Python takes apart all modules, one object after the other. In a fork, that copies
    the pages shared with the fork server, and takes a tenth of a second of processor time.
    Functions that are registered with atexit after this one run before it.
    """
    atexit.register(_end)


def _expect_end(error: BaseException) -> None:
    """Note that the program ends with this exception. Python ends as usual after Ctrl-C."""
    global _status
    if isinstance(error, SystemExit):
        code = error.code
        _status = 0 if code is None else code if isinstance(code, int) else 1
    else:
        _status = None if isinstance(error, KeyboardInterrupt) else 1


def _end() -> None:
    """End at once; do nothing if the status is not known."""
    if _status is None:
        return
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()
    except OSError:
        os._exit(BAD_OUTPUT)
    os._exit(_status & 0xFF)


def main() -> None:
    """Import what was asked for, then serve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("control", type=int)
    parser.add_argument("modules", nargs="*")
    options = parser.parse_args()
    reaper.prctl(reaper.PR_SET_PDEATHSIG, signal.SIGKILL)
    show_name("fork server")
    _prepare_quick_end()
    before = dict(os.environ)
    for module in options.modules:
        importlib.import_module(module)
    added = {name: value for name, value in os.environ.items() if before.get(name) != value}
    serve(socket.socket(fileno=options.control), added)


if __name__ == "__main__":
    main()
