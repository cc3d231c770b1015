"""`python -m tests.chaos.machines [--games 200] [--seconds 15]`: two machines, each part away in
turn.

PostgreSQL, the broker and pgbouncer are shared. Each of the two machines has a loopback address, a
folder and all other parts: web server, event process, worker, bots, beat and listener. Players
connect to either machine, as through a proxy. Each part of each machine is stopped and returned,
and at last a whole machine. Prints a table, as `tests.chaos` does; exit status 1 if a move or an
email was lost, a move was made or an email arrived twice, or a request was sent in vain.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import quote

from atlantis_site.supervisor.children import Child
from atlantis_site.supervisor.postgres import APP, DATABASE
from atlantis_site.supervisor.stack import COLLECT, command_child, run_command
from tests.bench.report import progress
from tests.support import pgbouncer
from tests.support.compose_file import COMMANDS

from .service import Service

PARTS = ("web", "events", "worker", "bots", "beat", "listener")
POOL = 10  # connections of pgbouncer to PostgreSQL


class Machines(Service):
    """Two machines. `machines` has the parts of each by name."""

    hosts = ("127.0.0.2", "127.0.0.3")

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, small_disk=False)
        self.machines: dict[str, dict[str, Child]] = {}
        self.away: set[tuple[str, str]] = set()

    def start(self) -> None:
        """Start the shared servers and both machines, and set up Django in this process."""
        self.arrivals.sink.up()
        for name in ("postgres", "broker"):
            self.stack.start(name)
        self.stack.prepare()
        run_command(COLLECT, self.stack.env, self.stack.logs / "static.log")
        os.environ.update(self.stack.env)

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
        for parts in self.machines.values():
            for child in parts.values():
                child.ask_to_stop()
        for parts in self.machines.values():
            for child in parts.values():
                child.stop()
        super().stop()

    def restart(self) -> None:
        """Start what has ended on its own."""
        for host, parts in self.machines.items():
            for part, child in parts.items():
                if (host, part) not in self.away and not child.running:
                    child.start()

    def remove(self, host: str, *parts: str) -> None:
        """Stop these parts, as an update does."""
        self.away |= {(host, part) for part in parts}
        for part in parts:
            self.machines[host][part].ask_to_stop()
        for part in parts:
            self.machines[host][part].wait()

    def give_back(self, host: str, *parts: str) -> None:
        """Start these parts again."""
        self.away -= {(host, part) for part in parts}
        self.restart()


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
        made.start()
        sockets, data = made.stack.sockets / "pg", made.stack.postgres.data
        log = made.stack.logs / "pgbouncer.log"
        pooled = after.enter_context(pgbouncer.running(sockets, data, log, POOL))
        made.start_machines(pooled)
        yield made


def main() -> int:
    """Parse, run, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.machines", description=__doc__)
    parser.add_argument("--games", type=int, default=200, help="played at the same time")
    parser.add_argument("--rate", type=float, default=10.0, help="moves a second, of all together")
    parser.add_argument("--seconds", type=float, default=15.0, help="how long each part is away")
    options = parser.parse_args()
    with machines() as running:
        import django

        django.setup()
        return run(running, options.games, options.rate, options.seconds)


def run(running: Machines, games: int, rate: float, seconds: float) -> int:
    """Remove and return the parts; the exit status."""
    from django.core.management import call_command

    from . import tally
    from .players import Players

    progress(f"{games} games on two machines")
    players = Players(running, games, rate)
    players.start()
    first, second = running.hosts
    steps: list[tuple[str, str, tuple[str, ...]]] = [("both machines", first, ())]
    steps += [
        (f"without {part} of {'ab'[number]}", host, (part,))
        for part in PARTS
        for number, host in enumerate(running.hosts)
    ]
    steps += [("without machine b", second, PARTS), ("both again", first, ())]
    windows: list[tally.Window] = []
    running.hold(15)
    try:
        for name, host, parts in steps:
            progress(name)
            windows.append(tally.Window(name, time.time()))
            running.remove(host, *parts)
            running.hold(seconds)
            running.give_back(host, *parts)
            running.hold(seconds / 3)
            windows[-1].end = time.time()
    finally:
        players.stop()
    progress("waiting for the last email")
    tally.wait_until_settled(running.hold)
    table, total, troubles = tally.report(windows, players.done, running.arrivals)
    print(table, flush=True)
    broken = [moment for moment in players.done.broken if moment > windows[0].begin]
    print(f"\nRequests that were sent in vain: {len(broken)}", flush=True)
    for words in [*players.done.errors[:10], *troubles[:20]]:
        print(f"- {words}", flush=True)
    call_command("verify")
    failed = total.has_failed or total.doubled_emails
    return 1 if failed or broken or players.done.errors else 0


if __name__ == "__main__":
    sys.exit(main())
