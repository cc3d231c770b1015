"""The service under test: the supervisor's processes over a folder of their own, restarted like the
supervisor does, and the mail server that they send to."""

import os
import re
import secrets
import signal
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from email.message import EmailMessage
from pathlib import Path

from atlantis_site.supervisor.children import Child
from atlantis_site.supervisor.reaper import children_of
from atlantis_site.supervisor.stack import COLLECT, ServiceStack, run_command
from tests.support.compose_file import COMMANDS
from tests.support.smtp_sink import SmtpSink, free_port

DISK_MEGABYTES = 900
DOMAIN, AUTHSERV = "reply.example.org", "mx.example.org"


class Arrivals:
    """The mail server: when each Message-ID arrived, and the mood in which emails are answered.

    mood: given the number of an email, what DATA is answered with.
    """

    def __init__(self, port: int) -> None:
        self.times: dict[str, list[float]] = defaultdict(list)
        self.mood: Callable[[int], str] = lambda _number: "250 kept"
        self.number = 0
        self.sink = SmtpSink(port, answer=self._take)

    def _take(self, mail: EmailMessage) -> str:
        self.number += 1
        answer = self.mood(self.number)
        if answer.startswith("250") or answer in ("hang", "drop"):
            self.times[str(mail["Message-ID"])].append(time.time())
        return answer


class Service:
    """The processes. `hold` lets time pass and restarts what has ended, as the supervisor does."""

    hosts: tuple[str, ...] = ("127.0.0.1",)  # where web server and listener are

    def __init__(self, folder: Path, *, small_disk: bool) -> None:
        self.folder, self.small_disk = folder, small_disk
        self.web_port, self.mail_port = free_port(), free_port()
        self.arrivals = Arrivals(free_port())
        url = f"http://127.0.0.1:{self.web_port}"
        self.stack = ServiceStack(
            folder,
            {
                "SECRET_KEY": secrets.token_urlsafe(50),
                "DJANGO_SETTINGS_MODULE": "atlantis_site.settings",
                "SITE_URL": url,
                "BIND": f"127.0.0.1:{self.web_port}",
                "EMAIL_URL": self.arrivals.sink.url,
                "MAIL_REPLY_DOMAIN": DOMAIN,
                "MAIL_AUTHSERV_ID": AUTHSERV,
                "MAIL_LISTEN": f"127.0.0.1:{self.mail_port}",
                "LOG_LEVEL": "WARNING",
            },
            commands=COMMANDS,
        )

    def start(self) -> None:
        """Start everything, and set up Django in this process."""
        self.arrivals.sink.up()
        for name in ("postgres", "broker"):
            self.stack.start(name)
        self.stack.prepare()
        run_command(COLLECT, self.stack.env, self.stack.logs / "static.log")
        os.environ.update(self.stack.env)
        for name in self.stack.parts:
            self.stack.start(name)

    def stop(self) -> None:
        self.stack.stop()
        self.arrivals.sink.down()

    def hold(self, seconds: float, tick: Callable[[], None] = lambda: None) -> None:
        """Let this many seconds pass. Only the main thread starts processes: they end with it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.restart()
            tick()
            time.sleep(0.25)

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

    def server_errors(self) -> list[str]:
        """Pages that were answered with status 500: the path, and the last line of the traceback.

        While the disk was full, lines may be missing.
        """
        found: list[str] = []
        trace = False
        for line in (self.stack.logs / "web.log").read_text(errors="replace").splitlines():
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
def service() -> Iterator[Service]:
    """A service in a folder of its own, on a small disk where this machine lets us mount one."""
    with ExitStack() as after:
        folder = Path(after.enter_context(tempfile.TemporaryDirectory(prefix="atlantis-chaos-")))
        disk = folder / "disk"
        disk.mkdir()
        mount = [
            "mount",
            "-t",
            "tmpfs",
            "-o",
            f"size={DISK_MEGABYTES}m,mode=755",
            "tmpfs",
            str(disk),
        ]
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
        if mounted:
            after.callback(lambda: subprocess.run(["umount", "--lazy", str(disk)], check=False))
        made = Service(disk, small_disk=mounted)
        after.callback(made.stop)
        made.start()
        yield made
