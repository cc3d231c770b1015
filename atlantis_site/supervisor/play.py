"""`make play`: bring the whole service up on this machine, say where it is, keep it alive.

Everything lies under var/: data, sockets, logs, mails. A start that was killed at any moment is
taken up by the next. Nothing but this machine is reached, nobody but this machine can reach us.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import select
import signal
import socket
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

from . import guard
from .children import Child, StartError
from .house import BASE_DIR, DEMO, House, run

USUAL_PORT = 8000
PATIENCE = 60.0  # seconds within which a process may fail FAILURES times before we give up
FAILURES = 5


class Stopped(Exception):
    """Somebody asked us to end."""


class Told:
    """Collects SIGINT, SIGTERM and SIGHUP; `sleep` returns early when one came."""

    def __init__(self) -> None:
        self.asked = False
        self._pipe, wakeup = os.pipe()
        os.set_blocking(wakeup, False)
        signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
        for number in guard.STOPS:
            signal.signal(number, self._note)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if not self.asked:
            self.asked = True
            raise Stopped

    def sleep(self, seconds: float) -> None:
        if select.select([self._pipe], [], [], seconds)[0]:
            os.read(self._pipe, 4096)


def say(words: str = "") -> None:
    print(words, flush=True)


@contextmanager
def step(words: str) -> Iterator[None]:
    """Tell what is being done, then how long it took."""
    print(f"  {words} … ", end="", flush=True)
    begin = time.monotonic()
    try:
        yield
    except BaseException:
        print("failed", flush=True)
        raise
    print(f"{time.monotonic() - begin:.1f} s", flush=True)


# -- before anything is started ------------------------------------------------------


def make_folder(folder: Path) -> None:
    """var/, ours and writable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".writable-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise StartError(
            f"{folder} cannot be written to ({error.strerror}). The service keeps its data there: "
            "make the folder writable for this account, or set VAR_DIR to one that is."
        ) from None


def take_lock(folder: Path) -> TextIO:
    """The lock on `folder`. Guards hold it too, so that it is free when the last process is gone."""
    lock = (folder / "lock").open("a+")
    deadline = time.monotonic() + 30
    told = False
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            pid, _, address = lock.read().strip().partition(" ")
            if pid.isdigit() and _is_alive(int(pid)):
                raise StartError(
                    f"The service already runs from this folder (process {pid}"
                    + (f", {address}" if address else "")
                    + "). Use that one, or end it with Ctrl-C first."
                ) from None
            if not told:
                say("  an earlier start is still ending; waiting for it …")
                told = True
            if time.monotonic() > deadline:
                raise StartError(
                    f"Processes of an earlier start still hold {folder}/lock after 30 seconds; "
                    f"`fuser {folder}/lock` names them."
                ) from None
            time.sleep(0.1)
        else:
            note_lock(lock, "")
            return lock


def note_lock(lock: TextIO, address: str) -> None:
    """Write into the lock who holds it, for the one who comes second."""
    lock.seek(0)
    lock.truncate()
    lock.write(f"{os.getpid()} {address}")
    lock.flush()


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def listen(port: int) -> socket.socket | None:
    """A socket that listens on 127.0.0.1:port; None where somebody else does."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(512)
    except OSError:
        listener.close()
        return None
    return listener


def take_port(wanted: str | None, last: int | None) -> socket.socket:
    """PORT if it is set (and then that or none); else the last one used here, 8000, 8001 …

    The socket is ours from now on, so that nobody can take the port while the web is not up.
    """
    if wanted:
        if not wanted.isdigit() or not 1 <= int(wanted) <= 65535:
            raise StartError(f"PORT={wanted} is not a port: it is a number from 1 to 65535.")
        listener = listen(int(wanted))
        if listener is None:
            raise StartError(
                f"Port {wanted} is in use by another program (or not allowed to this account): end "
                f"it, or choose another with `make play PORT={int(wanted) % 65000 + 1}`."
            )
        return listener
    first = last or USUAL_PORT
    for port in (first, *range(USUAL_PORT, USUAL_PORT + 100)):
        listener = listen(port)
        if listener:
            if port != first:
                say(f"  port {first} is in use by another program; taking {port}")
            return listener
    raise StartError(
        f"No port from {USUAL_PORT} to {USUAL_PORT + 99} is free: `make play PORT=…` takes another."
    )


def free_port(last: int | None) -> int:
    """The port used last if nobody has it now, else any that is free."""
    for port in (last, 0) if last else (0,):
        probe = listen(port)
        if probe:
            with probe:
                return int(probe.getsockname()[1])
    raise StartError("No port of this machine is free.")


# -- what stays between starts -------------------------------------------------------


def read_notes(folder: Path) -> dict[str, Any]:
    """What earlier starts wrote down (secret key, port); empty the first time."""
    try:
        notes = json.loads((folder / "play.json").read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return notes if isinstance(notes, dict) else {}


def write_notes(folder: Path, notes: dict[str, Any], env: dict[str, str]) -> None:
    """The notes, and the variables for `manage.py` beside us; both whole or not at all."""
    for name, text in (
        ("play.json", json.dumps(notes, indent=2)),
        ("play.env", "".join(f"{name}={value}\n" for name, value in env.items())),
    ):
        fresh = folder / f"{name}.new"
        fresh.touch(mode=0o600)
        fresh.write_text(text + "\n")
        fresh.rename(folder / name)


def trim_logs(folder: Path, most: int = 5_000_000) -> None:
    """Keep one older log of each process."""
    for log in folder.glob("*.log"):
        if log.stat().st_size > most:
            log.rename(log.with_suffix(".log.1"))


# -- up and down ---------------------------------------------------------------------


class Play:
    """One run, from the first check to the last process."""

    def __init__(self, folder: Path, port: str | None) -> None:
        self.folder = folder.absolute()
        self.wanted_port = port
        self.house: House | None = None

    def run(self) -> int:
        told = Told()
        try:
            self.start()
            while True:
                told.sleep(1.0)
                self.look_after()
        except Stopped:
            say("\nStopping …")
            return 0
        except StartError as error:
            say(f"\n{error}")
            return 1
        except OSError as error:
            say(f"\n{error.strerror or error}: {error.filename or self.folder}")
            return 1
        finally:
            told.asked = True  # a second Ctrl-C does not break off the tidying
            if self.house:
                self.house.stop()
                say("Everything has stopped. The data stays in " + str(self.folder))

    def start(self) -> None:
        begin = time.monotonic()
        os.umask(0o077)  # mails and keys are nobody else's business
        make_folder(self.folder)
        self.lock = take_lock(self.folder)
        notes = read_notes(self.folder)
        is_first = "secret_key" not in notes
        notes.setdefault("secret_key", secrets.token_urlsafe(50))
        self.listener = take_port(self.wanted_port, notes.get("port"))
        port = notes["port"] = int(self.listener.getsockname()[1])
        self.url = f"http://127.0.0.1:{port}"
        mail_port = notes["mail_port"] = free_port(notes.get("mail_port"))
        env = {
            "SECRET_KEY": notes["secret_key"],
            "SITE_URL": self.url,
            "ALLOWED_HOSTS": "127.0.0.1,localhost",
            "LOCAL_MODE": "1",
            "MAIL_REPLY_DOMAIN": os.environ.get("MAIL_REPLY_DOMAIN", "reply.localhost"),
            "MAIL_LISTEN": f"127.0.0.1:{mail_port}",
            "EMAIL_URL": os.environ.get("EMAIL_URL", f"folder://{self.folder / 'mail'}"),
        }
        say("Atlantis by Mail: first start, a minute" if is_first else "Atlantis by Mail")
        house = self.house = House(
            self.folder, env, hold=self.lock.fileno(), listener=self.listener
        )
        trim_logs(house.logs)
        write_notes(self.folder, notes, house.owner_env | env)
        note_lock(self.lock, self.url)
        collect = house.collect()  # on the other core, meanwhile
        with step("PostgreSQL"):
            house.start("postgres")
        with step("broker (Valkey)"):
            house.start("broker")
        with step("tables and rights"):
            house.prepare()
        with step("static files"):
            collect()
        with step("web, worker, beat, mail listener"):
            for name in ("web", "worker", "beat", "listener"):
                house.start(name)
            demo = make_demo(house)
            self.wait_for(f"{self.url}/healthz", house.parts["web"])
        self.restarts: dict[str, list[float]] = {}
        say(f"Ready after {time.monotonic() - begin:.0f} seconds.\n")
        for line in guide(self.url, self.folder, demo, env["MAIL_LISTEN"]):
            say(f"  {line}")

    def wait_for(self, url: str, child: Child, seconds: float = 60.0) -> None:
        """Until `url` answers 200; StartError with the last words of `child` if it never does."""
        end = time.monotonic() + seconds
        while child.running and time.monotonic() < end:
            if answers(url):
                return
            time.sleep(0.05)
        raise StartError(
            f"{url} does not answer. Last words of {child.name} ({child.log}):\n{child.last_words()}"
        )

    def look_after(self) -> None:
        """Start again what has died; give up on what dies all the time."""
        assert self.house
        for name, child in self.house.children.items():
            if child.running:
                continue
            now = time.monotonic()
            recent = [at for at in self.restarts.get(name, []) if now - at < PATIENCE]
            if len(recent) >= FAILURES:
                raise StartError(
                    f"{name} has ended {FAILURES} times within a minute. Its last words "
                    f"({child.log}):\n{child.last_words()}"
                )
            self.restarts[name] = [*recent, now]
            say(f"  {name} ended unexpectedly (status {child.status}); starting it again")
            self.house.start(name)


def answers(url: str) -> bool:
    """Whether `url`, one of our own, answers 200."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310
            return bool(answer.status == 200)
    except OSError:
        return False


def make_demo(house: House) -> list[dict[str, Any]]:
    """Let `manage.py demo` make its table, or find the one it made; what it tells, line by line."""
    words = run(DEMO, house.env, house.logs / "setup.log")
    return [json.loads(line) for line in words.splitlines() if line.startswith("{")]


def guide(url: str, folder: Path, demo: list[dict[str, Any]], replies: str) -> list[str]:
    """What a person needs to know now."""
    told = {key: value for line in demo for key, value in line.items()}
    mails = f"{url}/mailbox/   (files in {folder / 'mail'})"
    lines = [f"Open       {url}/"]
    if "email" in told:
        lines += [
            f"Sign in    as {told['email']}: ask for a code, it comes by mail",
            f"Mails      {mails}",
            f"Replies    answer a mail there, or send one by SMTP to {replies}",
        ]
    if "path" in told:
        lines += [f"Demo table {url}{told['path']}   “{told['table']}”, it is your turn"]
    return [*lines, f"Logs       {folder / 'log'}", "Stop       Ctrl-C", ""]


def main() -> int:
    """Run until told to stop; exit status 1 with a sentence where that was not possible."""
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    if os.environ.get("MAKELEVEL") and guard.LINUX:
        parent = os.getppid()
        guard.prctl(guard.PR_SET_PDEATHSIG, signal.SIGTERM)  # `kill -9` of make ends us too
        if os.getppid() != parent:
            return 1
    folder = Path(os.environ.get("VAR_DIR") or BASE_DIR / "var")
    return Play(folder, os.environ.get("PORT")).run()
