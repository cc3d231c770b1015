"""A handle on one command that runs under a reaper: start, wait, stop, kill."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from atlantis_site.preflight import StartError

from . import reaper


class ChildFailed(StartError):
    """A process ended during its start, or did not answer; another try may succeed."""


class Process(Protocol):
    """The part of subprocess.Popen that Child needs."""

    pid: int

    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def terminate(self) -> None: ...


class Child:
    """A command and everything that it starts; all of it ends with this Python process.

    The kernel ties a child to the thread that started it: call `start` from a thread that lives at
    least as long as the child, in general the main thread.

    stop_signal   asks the command to stop; SIGKILL follows after `grace` seconds
    account       (uid, gid) to run as; dac_override see reaper.switch_account
    lock_fd       file descriptor that stays open until everything has ended
    pass_fds      file descriptors for the command
    remove        folder to remove when everything has ended
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        log: Path,
        env: Mapping[str, str] | None = None,
        folder: Path | None = None,
        stop_signal: signal.Signals = signal.SIGTERM,
        grace: float = 10.0,
        account: tuple[int, int] | None = None,
        dac_override: bool = False,
        lock_fd: int | None = None,
        pass_fds: Sequence[int] = (),
        remove: Path | None = None,
    ) -> None:
        self.name = name
        self.command = [str(word) for word in command]
        self.log = log
        self.env = env
        self.folder = folder
        self.grace = grace
        self.pass_fds = [*pass_fds]
        self.options = ["--stop", str(int(stop_signal)), "--grace", str(grace)]
        if account:
            self.options += ["--account", f"{account[0]}:{account[1]}"]
        if dac_override:
            self.options += ["--dac-override"]
        if lock_fd is not None:
            self.pass_fds += [lock_fd]
            self.options += ["--lock-fd", str(lock_fd)]
        if remove:
            self.options += ["--remove", str(remove)]
        self._process: Process | None = None

    def start(self) -> None:
        """Start the command; its output is appended to the log file."""
        run = [sys.executable, "-I", "-S", reaper.__file__, "--parent", str(os.getpid())]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*run, *self.options, "--", *self.command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.env,
                cwd=self.folder,
                start_new_session=True,  # Ctrl-C goes to the supervisor, which stops us in order
                pass_fds=self.pass_fds,
            )

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def status(self) -> int | None:
        """The exit status, or None while the command runs or before it was started."""
        return self._process.poll() if self._process else None

    @property
    def reaper_pid(self) -> int:
        if self._process is None:
            raise StartError(f"{self.name} was never started")
        return self._process.pid

    def ask_to_stop(self) -> None:
        """Send the stop signal without waiting."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def wait(self, seconds: float | None = None) -> int | None:
        """Return the exit status once everything has ended, or None after `seconds`."""
        if self._process is None:
            return None
        try:
            return self._process.wait(self.grace + 5 if seconds is None else seconds)
        except subprocess.TimeoutExpired:
            return None

    def stop(self) -> None:
        """Send the stop signal and wait."""
        self.ask_to_stop()
        self.wait()

    def last_output(self, lines: int = 12) -> str:
        """Return the end of the log, for error messages."""
        try:
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
        except OSError:
            return ""


def wait_until(ready: Callable[[], bool], child: Child, seconds: float, what: str) -> None:
    """Call `ready` until it returns true. Raises StartError with the end of the child's log."""
    deadline = time.monotonic() + seconds
    while not ready():
        if not child.running or time.monotonic() > deadline:
            problem = "did not answer in time" if child.running else "ended unexpectedly"
            child.stop()
            raise ChildFailed(
                f"{what} {problem}. Its last output ({child.log}):\n{child.last_output()}"
            )
        time.sleep(0.05)
