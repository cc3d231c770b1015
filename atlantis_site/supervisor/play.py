"""`make play`: start the whole service on this machine, print its address, keep it running.

Everything lies in var/: data, sockets, logs, emails. A start that was killed at any moment is
completed by the next one. The service is reachable from this machine only.
"""

import fcntl
import json
import os
import secrets
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import FrameType
from typing import Any, TextIO
from urllib.parse import urlsplit

from atlantis_site.preflight import (
    DEFAULT_PORT,
    StartError,
    check_not_running,
    listen,
    make_folder,
    open_wanted,
)

from . import reaper
from .children import ChildFailed
from .stack import BASE_DIR, DEMO, ServiceStack, run_command

MAX_FAILURES = 5  # of one process within FAILURE_SECONDS, then the service stops
FAILURE_SECONDS = 60.0
BACK_OFF = (0.0, 1.0, 2.0, 4.0, 8.0)  # seconds before each new try of a process that ended
START_SECONDS = 60.0
LOG_BYTES = 5_000_000


class StopRequested(Exception):
    """A signal asked the service to stop."""


class StopSignals:
    """Raise StopRequested at the first SIGINT, SIGTERM or SIGHUP, and ignore later ones."""

    def __init__(self) -> None:
        self.ignore = False
        for number in reaper.STOP_SIGNALS:
            signal.signal(number, self._stop)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if not self.ignore:
            self.ignore = True
            raise StopRequested


def say(text: str) -> None:
    print(text, flush=True)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Print the name of a step, then its duration."""
    print(f"  {name} … ", end="", flush=True)
    begin = time.monotonic()
    try:
        yield
    except BaseException:
        say("failed")
        raise
    say(f"{time.monotonic() - begin:.1f} s")


# -- checks before the start ---------------------------------------------------------


def acquire_lock(folder: Path) -> TextIO:
    """Lock `folder`. All reapers share the lock, so it is free when the last process has ended."""
    lock = (folder / "lock").open("a+")
    deadline = time.monotonic() + 30
    waiting = False
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            check_not_running(lock.read())
            if not waiting:
                say("  an earlier start is still ending; waiting for it …")
                waiting = True
            if time.monotonic() > deadline:
                raise StartError(
                    f"Processes of an earlier start still hold {folder}/lock after 30 seconds; "
                    f"`fuser {folder}/lock` lists them."
                ) from None
            time.sleep(0.1)
        else:
            write_lock(lock, "")
            return lock


def write_lock(lock: TextIO, address: str) -> None:
    """Write our pid and address into the lock file, for a second start to show."""
    lock.seek(0)
    lock.truncate()
    lock.write(f"{os.getpid()} {address}")
    lock.flush()


def open_listener(wanted: str | None, last: int | None) -> socket.socket:
    """Listen on the port `wanted` or fail; without it on the last port used, 8000, 8001 and so on.

    The socket stays open, so no other program can take the port while the web server restarts.
    """
    if wanted:
        return open_wanted(wanted)
    first = last or DEFAULT_PORT
    for port in (first, *range(DEFAULT_PORT, DEFAULT_PORT + 100)):
        listener = listen(port)
        if listener:
            if port != first:
                say(f"  port {first} is in use by another program; using {port}")
            return listener
    raise StartError(
        f"No port from {DEFAULT_PORT} to {DEFAULT_PORT + 99} is free: choose another with "
        "`make play PORT=…`."
    )


def free_port(last: int | None) -> int:
    """Return the last port used if it is free, else any free port."""
    with (listen(last) if last else None) or socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


# -- files that stay between starts --------------------------------------------------


def read_state(folder: Path) -> dict[str, Any]:
    """Return what earlier starts stored (secret key, ports), or {} at the first start."""
    try:
        state = json.loads((folder / "play.json").read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return state if isinstance(state, dict) else {}


def write_state(folder: Path, state: dict[str, Any], env: dict[str, str]) -> None:
    """Store the state, and the variables for `manage.py`, each atomically."""
    for name, text in (
        ("play.json", json.dumps(state, indent=2)),
        ("play.env", "".join(f"{name}={value}\n" for name, value in env.items())),
    ):
        fresh = folder / f"{name}.new"
        fresh.touch(mode=0o600)
        fresh.write_text(text + "\n")
        fresh.rename(folder / name)


def rotate_logs(folder: Path) -> None:
    """Rename long logs; one older log of each process is kept."""
    for log in folder.glob("*.log"):
        if log.stat().st_size > LOG_BYTES:
            log.rename(log.with_suffix(".log.1"))


# -- the service ---------------------------------------------------------------------


class Play:
    """One run of the service, from the first check to the end of the last process."""

    def __init__(self, folder: Path, port: str | None) -> None:
        self.folder = folder.absolute()
        self.port = port
        self.stack: ServiceStack | None = None
        self.failures: dict[str, list[float]] = {}
        self.next_try: dict[str, float] = {}

    def run(self) -> int:
        """Run until a signal arrives; return the exit status."""
        signals = StopSignals()
        try:
            stack = self.start()
            while True:
                time.sleep(0.5)
                self.restart_failed(stack)
        except StopRequested:
            say("\nStopping …")
            return 0
        except StartError as error:
            say(f"\n{error}")
            return 1
        except OSError as error:
            say(f"\n{error.strerror or error}: {error.filename or self.folder}")
            return 1
        finally:
            signals.ignore = True  # a second Ctrl-C does not interrupt the shutdown
            if self.stack:
                self.stack.stop()
                say(f"Everything has stopped. The data stays in {self.folder}")

    def start(self) -> ServiceStack:
        """Start everything and print where it is."""
        begin = time.monotonic()
        os.umask(0o077)  # emails and keys are private
        make_folder(self.folder)
        self.lock = acquire_lock(self.folder)
        state = read_state(self.folder)
        is_first = "secret_key" not in state
        state.setdefault("secret_key", secrets.token_urlsafe(50))
        self.listener = open_listener(self.port, state.get("port"))
        state["port"] = int(self.listener.getsockname()[1])
        state["mail_port"] = free_port(state.get("mail_port"))
        url = f"http://127.0.0.1:{state['port']}"
        env = {
            "SECRET_KEY": state["secret_key"],
            "SITE_URL": url,
            "SITE_CHECK_URL": url,
            "ALLOWED_HOSTS": "127.0.0.1,localhost",
            "LOCAL_MODE": "1",
            "MAIL_REPLY_DOMAIN": os.environ.get("MAIL_REPLY_DOMAIN", "reply.localhost"),
            "MAIL_LISTEN": f"127.0.0.1:{state['mail_port']}",
            "EMAIL_URL": os.environ.get("EMAIL_URL", f"folder://{self.folder / 'mail'}"),
        }
        say("Atlantis by Mail: first start, a minute" if is_first else "Atlantis by Mail")
        stack = self.stack = ServiceStack(
            self.folder, env, lock_fd=self.lock.fileno(), listener=self.listener
        )
        rotate_logs(stack.logs)
        write_state(self.folder, state, stack.owner_env | env)
        write_lock(self.lock, url)
        finish_static = stack.collect_static()  # in parallel, on another core
        with step("PostgreSQL"):
            start_patiently(stack, "postgres")
        with step("broker (Valkey)"):
            start_patiently(stack, "broker")
        with step("tables and rights"):
            stack.prepare()
        with step("static files"):
            finish_static()
        with step("web, events, worker, mail listener"):
            for name in stack.parts:
                stack.start(name)
            demo = make_demo(stack)
            self.wait_for_site(stack, url)
        say(f"Ready after {time.monotonic() - begin:.0f} seconds.\n")
        for line in guide(url, self.folder, demo, env["MAIL_LISTEN"]):
            say(f"  {line}")
        return stack

    def wait_for_site(self, stack: ServiceStack, url: str) -> None:
        """Wait until the site responds, and start what ends during that again."""
        deadline = time.monotonic() + START_SECONDS
        while not responds(url):
            self.restart_failed(stack)
            if time.monotonic() > deadline:
                log = stack.parts["web"]
                raise StartError(
                    f"The site {url} did not answer in time. Its last output ({log.log}):\n"
                    + log.last_output()
                )
            time.sleep(0.1)

    def restart_failed(self, stack: ServiceStack) -> None:
        """Restart processes that ended, with growing pauses.

        Raises StartError for one that keeps failing.
        """
        for name, child in stack.children.items():
            now = time.monotonic()
            if child.running or now < self.next_try.get(name, now):
                continue
            recent = [at for at in self.failures.get(name, []) if now - at < FAILURE_SECONDS]
            if name in self.next_try:  # its pause is over
                del self.next_try[name]
                with suppress(ChildFailed):
                    stack.start(name)
                continue
            if len(recent) >= MAX_FAILURES:
                raise StartError(
                    f"{name} has ended {MAX_FAILURES} times within a minute. Its last output "
                    f"({child.log}):\n{child.last_output()}"
                )
            pause = BACK_OFF[min(len(recent), len(BACK_OFF) - 1)]
            self.failures[name] = [*recent, now]
            self.next_try[name] = now + pause
            when = f" in {pause:.0f} s" if pause else ""
            say(f"  {name} ended unexpectedly (status {child.status}); starting it again{when}")


def start_patiently(stack: ServiceStack, name: str) -> None:
    """Start a server; if it ends or does not answer, try again after growing pauses."""
    for pause in BACK_OFF[1:]:
        try:
            stack.start(name)
        except ChildFailed as error:
            print(
                f"{str(error).splitlines()[0]} Trying again in {pause:.0f} s … ", end="", flush=True
            )
            time.sleep(pause)
        else:
            return
    stack.start(name)


def responds(url: str) -> bool:
    """Return whether the site at `url`, which is on this machine, responds with status 200."""
    try:
        with closing(HTTPConnection(urlsplit(url).netloc, timeout=5)) as connection:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False


def make_demo(stack: ServiceStack) -> dict[str, Any]:
    """Run `manage.py demo`, which creates a game or finds the one it created; return its facts."""
    output = run_command(DEMO, stack.env, stack.logs / "setup.log", stack.fork_server)
    facts: dict[str, Any] = {}
    for line in output.splitlines():
        if line.startswith("{"):
            facts |= json.loads(line)
    return facts


def guide(url: str, folder: Path, demo: dict[str, Any], replies: str) -> list[str]:
    """Return the lines to print once the service is ready."""
    lines = [f"Open       {url}/"]
    if "email" in demo:
        lines += [
            f"Sign in    as {demo['email']}: ask for a code, it arrives by email",
            f"Emails     {url}/mailbox/   (files in {folder / 'mail'})",
            f"Replies    reply to an email there, or send one by SMTP to {replies}",
        ]
    if "path" in demo:
        lines += [f"Demo game  {url}{demo['path']}   “{demo['table']}”, it is your turn"]
    command = ".venv/bin/python manage.py make_admin you@example.org"
    lines += [f"Moderate   {url}/admin/   after: {command}"]
    return [*lines, f"Logs       {folder / 'log'}", "Stop       Ctrl-C", ""]


def main() -> int:
    """Run the service; return 0 after a signal, 1 with a message if it could not start."""
    if os.environ.get("MAKELEVEL") and reaper.LINUX:
        parent = os.getppid()
        reaper.prctl(reaper.PR_SET_PDEATHSIG, signal.SIGTERM)  # kill -9 of make stops us as well
        if os.getppid() != parent:
            return 1
    folder = Path(os.environ.get("VAR_DIR") or BASE_DIR / "var")
    return Play(folder, os.environ.get("PORT")).run()
