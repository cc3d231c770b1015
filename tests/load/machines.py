"""Two machines, and each part of either away in turn (`python -m tests.load --machines`).

PostgreSQL, the broker and pgbouncer are shared. Each of the two machines has a loopback address, a
folder and all other parts: web server, event process, worker, bots, beat and listener. Players
connect to either machine, as through a proxy.
"""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import quote

from atlantis_site.supervisor.children import Child
from atlantis_site.supervisor.postgres import APP, DATABASE
from atlantis_site.supervisor.stack import command_child
from tests.support import pgbouncer
from tests.support.compose_file import COMMANDS

from .service import Fault, Service, Tick

PARTS = ("web", "events", "worker", "bots", "beat", "listener")
POOL = 10  # connections of pgbouncer to PostgreSQL


class Machines(Service):
    """Two machines. `machines` has the parts of each by name."""

    hosts = ("127.0.0.2", "127.0.0.3")

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, {})
        self.machines: dict[str, dict[str, Child]] = {}
        self.away: set[tuple[str, str]] = set()
        self.faults = {
            f"without {part} of {'ab'[number]}": self.without(host, part)
            for part in PARTS
            for number, host in enumerate(self.hosts)
        }
        self.faults |= {"without machine b": self.without(self.hosts[1], *PARTS)}

    def start_machines(self, pooled: Path) -> None:
        """Start both machines. pooled: the folder of pgbouncer's socket."""
        url = f"postgresql://{APP}@{quote(str(pooled), safe='')}:{pgbouncer.PORT}/{DATABASE}"
        for host in self.hosts:
            folder = self.folder / host
            (folder / "run").mkdir(parents=True)
            env = {
                **self.stack.env,
                "DATABASE_URL": url,
                "PGBOUNCER": "1",
                "EVENTS_DATABASE_URL": self.stack.env["DATABASE_URL"],
                "EVENTS_SOCKET": str(folder / "run" / "events"),
                "VAR_DIR": str(folder),
                "TMPDIR": str(folder / "run"),
                "BIND": f"{host}:{self.web_port}",
                "MAIL_LISTEN": f"{host}:{self.mail_port}",
                "WEB_CONCURRENCY": "1",
            }
            self.machines[host] = {part: _child(part, host, folder, env) for part in PARTS}
            for child in self.machines[host].values():
                child.start()

    def stop(self) -> None:
        children = [child for parts in self.machines.values() for child in parts.values()]
        for child in children:
            child.ask_to_stop()
        for child in children:
            child.stop()
        super().stop()

    def restart(self) -> None:
        """Start what has ended on its own."""
        for host, parts in self.machines.items():
            for part, child in parts.items():
                if (host, part) not in self.away and not child.running:
                    child.start()

    def without(self, host: str, *parts: str) -> Fault:
        """Stop these parts, as an update does, and start them again."""

        def fault(_service: Service) -> Iterator[Tick]:
            self.away |= {(host, part) for part in parts}
            for part in parts:
                self.machines[host][part].ask_to_stop()
            for part in parts:
                self.machines[host][part].wait()
            yield lambda: None
            self.away.clear()
            self.restart()

        return fault


def _child(part: str, host: str, folder: Path, env: Mapping[str, str]) -> Child:
    command = COMMANDS[part]
    if part in ("worker", "bots"):
        command = (*command, "--hostname", f"{part}@{host}")  # as on another machine
    return command_child(f"{part}-{host}", command, folder / f"{part}.log", env, grace=12)


@contextmanager
def machines() -> Iterator[Machines]:
    """Both machines in one folder, with pgbouncer."""
    with ExitStack() as after:
        folder = Path(after.enter_context(tempfile.TemporaryDirectory(prefix="atlantis-two-")))
        folder.chmod(0o755)
        made = Machines(folder)
        after.callback(made.stop)
        made.prepare()
        sockets, data = made.stack.sockets / "pg", made.stack.postgres.data
        log = made.stack.logs / "pgbouncer.log"
        pooled = after.enter_context(pgbouncer.running(sockets, data, log, POOL))
        made.start_machines(pooled)
        made.hold(15)
        yield made
