"""The service under test: the supervisor's processes over a folder of their own, restarted like the
supervisor does, and the mail server that they send to."""

import os
import re
import secrets
import signal
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from email.message import EmailMessage
from pathlib import Path

from atlantis_site.supervisor import stack as supervisor
from atlantis_site.supervisor.children import Child
from atlantis_site.supervisor.play import responds
from atlantis_site.supervisor.reaper import children_of
from tests.bench import memory, processor
from tests.support.compose_file import COMMANDS
from tests.support.smtp_sink import SmtpSink, free_port

DISK_MEGABYTES = 900
AUTHSERV = "mx.example.org"
START_SECONDS = 120.0

Tick = Callable[[], None]
Fault = Callable[["Service"], Iterator[Tick]]


class Arrivals:
    """The mail server: when each email came, by time.monotonic, and what it is answered with.

    times: by Message-ID. answers: by the Message-ID that the email answers. mood: given the number
    of an email, what DATA is answered with.
    """

    def __init__(self, port: int) -> None:
        self.times: dict[str, list[float]] = defaultdict(list)
        self.answers: dict[str, float] = {}
        self.mood: Callable[[int], str] = lambda _number: "250 kept"
        self.number = 0
        self.sink = SmtpSink(port, answer=self._take)

    def _take(self, mail: EmailMessage) -> str:
        for kept in (self.sink.messages, self.sink.raw, self.sink.recipients, self.sink.refused):
            kept.clear()
        self.number += 1
        answer = self.mood(self.number)
        if answer.startswith("250") or answer in ("hang", "drop"):
            at = time.monotonic()
            self.times[str(mail["Message-ID"])].append(at)
            self.answers.setdefault(str(mail["In-Reply-To"]), at)
        return answer

    def came(self) -> Counter[str]:
        """How often each Message-ID has come."""
        return Counter({name: len(times) for name, times in self.times.copy().items()})


class Service:
    """The processes. `hold` lets time pass and restarts what has ended, as the supervisor does."""

    hosts: tuple[str, ...] = ("127.0.0.1",)  # where web server and listener are
    faults: Mapping[str, Fault] = {}  # those that are its purpose, if any

    def __init__(
        self,
        folder: Path,
        commands: Mapping[str, tuple[str, ...]],
        *,
        small_disk: bool = False,
        **variables: str,
    ) -> None:
        self.folder, self.small_disk = folder, small_disk
        self.web_port, self.mail_port = free_port(), free_port()
        self.arrivals = Arrivals(free_port())
        url = f"http://127.0.0.1:{self.web_port}"
        self.stack = supervisor.ServiceStack(
            folder,
            {
                "SECRET_KEY": secrets.token_urlsafe(50),
                "DJANGO_SETTINGS_MODULE": "atlantis_site.settings",
                "SITE_URL": url,
                "BIND": f"127.0.0.1:{self.web_port}",
                "TRUST_PROXY": "1",  # all people are on this machine
                "EMAIL_URL": self.arrivals.sink.url,
                "MAIL_REPLY_DOMAIN": "reply.example.org",
                "MAIL_AUTHSERV_ID": AUTHSERV,
                "MAIL_LISTEN": f"127.0.0.1:{self.mail_port}",
                "LOG_LEVEL": "WARNING",
                **variables,
            },
            commands=commands,
        )

    def prepare(self) -> None:
        """Start the mail server, PostgreSQL and the broker, and make what the others need."""
        self.arrivals.sink.up()
        for name in ("postgres", "broker"):
            self.stack.start(name)
        self.stack.prepare()
        self.stack.collect_static()()
        os.environ.update(self.stack.env)

    def start(self) -> None:
        """Start everything, until the site answers."""
        self.prepare()
        for name in self.stack.parts:
            self.stack.start(name)
        end = time.monotonic() + START_SECONDS
        while not responds(self.stack.env["SITE_URL"]):
            if time.monotonic() > end:
                raise RuntimeError(self.stack.parts["web"].last_output())
            time.sleep(0.2)

    def stop(self) -> None:
        self.stack.stop()
        self.arrivals.sink.down()

    def hold(self, seconds: float, tick: Tick = lambda: None) -> None:
        """Let this many seconds pass. Only the main thread starts processes: they end with it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.restart()
            tick()
            time.sleep(min(0.25, max(0.0, end - time.monotonic())))

    def restart(self) -> None:
        for name, child in self.stack.children.items():
            if not child.running:
                self.stack.start(name)

    def replace_parts(self) -> None:
        """Stop web, worker, beat and listener, each of which starts again as soon as it has
        ended."""
        parts = self.stack.parts
        for part in parts.values():
            part.ask_to_stop()
        for name, part in parts.items():
            part.wait()
            self.stack.start(name)

    def pids(self, name: str) -> list[int]:
        """The command of a part and everything that it started."""
        child: Child = self.stack.children[name]
        found: list[int] = []
        waiting = children_of(child.reaper_pid) if child.running else []
        while waiting:
            found.append(waiting.pop(0))
            waiting += children_of(found[-1])
        return found

    def used(self) -> Counter[str]:
        """Milliseconds of processor time so far, by what the processes are."""
        return processor.used(*children_of(os.getpid()))

    def memory(self) -> Counter[str]:
        """Kilobytes (PSS), by what the processes are."""
        return memory.used_by(*children_of(os.getpid()))[0]

    def server_errors(self) -> list[str]:
        """Pages that were answered with status 500: the path, and the last line of the traceback.

        While the disk was full, lines may be missing.
        """
        found: list[str] = []
        trace = False
        logs = sorted(self.folder.rglob("web.log"))
        for line in "\n".join(log.read_text(errors="replace") for log in logs).splitlines():
            if "Internal Server Error: " in line:
                found.append(line.partition("Internal Server Error: ")[2])
                trace = True
            elif trace and re.match(r"[\w.]+(Error|Exception|Exit)\b", line):
                found[-1] += f": {line}"
            elif re.match(r"\d{4}-", line):
                trace = False
        return found

    def kill(self, name: str) -> None:
        """kill -9 of the command itself; its reaper ends the rest."""
        for pid in self.pids(name)[:1]:
            os.kill(pid, signal.SIGKILL)


@contextmanager
def service(faults: Collection[str] | None) -> Iterator[Service]:
    """A service in a folder of its own: that of `make play`, or for faults that of compose, on a
    small disk if it is to be full and this machine lets us mount one."""
    with ExitStack() as after:
        folder = Path(after.enter_context(tempfile.TemporaryDirectory(prefix="atlantis-load-")))
        disk = folder / "disk"
        disk.mkdir()
        options = f"size={DISK_MEGABYTES}m,mode=755"
        mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(disk)]
        mounted = "full disk" in (faults or ()) and (
            subprocess.run(mount, capture_output=True, check=False).returncode == 0
        )
        if mounted:
            after.callback(lambda: subprocess.run(["umount", "--lazy", str(disk)], check=False))
        commands = COMMANDS if faults else supervisor.COMMANDS
        made = Service(disk, commands, small_disk=mounted)
        after.callback(made.stop)
        made.start()
        yield made
