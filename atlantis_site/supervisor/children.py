"""A handle on one guarded process: start, look, stop, kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

GUARD = Path(__file__).with_name("guard.py")


class StartError(Exception):
    """Something could not be started; the words are for the person at the terminal."""


class Child:
    """One process with everything it starts; all of it ends with this Python process.

    The kernel binds a child to the thread that started it: call `start` from a thread that lives
    as long as the child should, which is the main thread.

    stop_signal asks it to end, SIGKILL follows after `grace` seconds. account: (uid, gid) to run
    as, `reach` see guard.become. hold: a file descriptor that stays open until all has ended.
    give: file descriptors that the command gets. remove: a folder that goes with it.
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
        reach: bool = False,
        hold: int | None = None,
        give: Sequence[int] = (),
        remove: Path | None = None,
    ) -> None:
        self.name = name
        self.command = [str(word) for word in command]
        self.log = log
        self.env = env
        self.folder = folder
        self.grace = grace
        self.inherited = [*give, *([] if hold is None else [hold])]
        self.options = ["--stop", str(int(stop_signal)), "--grace", str(grace)]
        if account:
            self.options += ["--account", f"{account[0]}:{account[1]}"]
        if reach:
            self.options += ["--reach"]
        if hold is not None:
            self.options += ["--hold", str(hold)]
        if remove:
            self.options += ["--remove", str(remove)]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; its words go to the log file."""
        guard = [sys.executable, "-I", "-S", str(GUARD), "--parent", str(os.getpid())]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*guard, *self.options, "--", *self.command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.env,
                cwd=self.folder,
                start_new_session=True,  # Ctrl-C is for the supervisor; it stops us in order
                pass_fds=self.inherited,
            )

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def status(self) -> int | None:
        """The exit status; None while it runs or before it was started."""
        return self._process.poll() if self._process else None

    @property
    def guard_pid(self) -> int:
        if self._process is None:
            raise StartError(f"{self.name} was never started")
        return self._process.pid

    @property
    def pid(self) -> int:
        """The pid of the command itself (Linux only)."""
        found = children_of(self.guard_pid)
        if not found:
            raise StartError(f"{self.name} is not running")
        return min(found)

    def kill(self) -> None:
        """kill -9 to the command, as a crash would; its guard then clears the rest away."""
        os.kill(self.pid, signal.SIGKILL)
        self.wait()

    def ask_to_stop(self) -> None:
        """Tell it to end; `wait` sees it through."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def wait(self, seconds: float | None = None) -> int | None:
        """The exit status once it and all it started have ended; None if that takes too long."""
        if self._process is None:
            return None
        try:
            return self._process.wait(self.grace + 5 if seconds is None else seconds)
        except subprocess.TimeoutExpired:
            return None

    def stop(self) -> None:
        """Tell it to end and wait for it."""
        self.ask_to_stop()
        self.wait()

    def last_words(self, lines: int = 12) -> str:
        """The end of its log, for a message about why it failed."""
        try:
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
        except OSError:
            return ""


def children_of(pid: int) -> list[int]:
    """The pids whose parent is `pid`, by /proc."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[1]) == pid and words[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def family_of(pid: int) -> list[int]:
    """All descendants of `pid`, by /proc."""
    below = children_of(pid)
    return below + [grandchild for child in below for grandchild in family_of(child)]


def wait_until(ready: object, child: Child, seconds: float, what: str) -> None:
    """Call `ready()` until it returns true; StartError with the log's end if it never does."""
    assert callable(ready)
    end = time.monotonic() + seconds
    while not ready():
        if not child.running:
            raise StartError(
                f"{what} stopped at once. Its last words ({child.log}):\n{child.last_words()}"
            )
        if time.monotonic() > end:
            child.stop()
            raise StartError(
                f"{what} was not ready after {seconds:.0f} seconds. "
                f"Its last words ({child.log}):\n{child.last_words()}"
            )
        time.sleep(0.05)
