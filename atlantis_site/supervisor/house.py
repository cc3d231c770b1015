"""The service as a set of processes: two servers, web, worker, beat, and what prepares them.

The commands are those of docker-compose.yml; the variables are the ones that settings read.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from .broker import Broker
from .children import Child, StartError
from .places import socket_folder
from .postgres import DURABLE, OWNER, Postgres

BASE_DIR = Path(__file__).resolve().parent.parent.parent

# What prepares a database, in this order, as the role that owns it.
SETUP = (
    ("python", "manage.py", "migrate", "--no-input"),
    ("python", "manage.py", "createcachetable"),
    ("python", "manage.py", "grant_app_role"),
)
COLLECT = ("python", "manage.py", "collectstatic", "--no-input")
DEMO = ("python", "manage.py", "demo")
COMMANDS = {
    "web": ("gunicorn", "-c", "python:atlantis_site.gunicorn", "atlantis_site.wsgi"),
    # Threads: sending mail is waiting, and a worker that dies leaves no pool behind.
    "worker": (
        *("celery", "-A", "atlantis_site", "worker", "--pool", "threads", "--concurrency", "4"),
        *("--loglevel", "WARNING", "--without-gossip", "--without-mingle"),
    ),
    "beat": ("celery", "-A", "atlantis_site", "beat", "--loglevel", "WARNING", "--pidfile="),
    "listener": ("python", "manage.py", "listen_mail"),
}


# What decides the outcome of SETUP and COLLECT: as long as these stay, both are done once.
SETUP_FILES = ("requirements*.lock", "games/migrations/*.py", "games/management/commands/grant*.py")
STATIC_FILES = ("requirements*.lock", "games/static/**/*")


def fingerprint(patterns: tuple[str, ...]) -> str:
    """SHA-256 over names and contents of the files of this checkout that fit the patterns."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in patterns for path in BASE_DIR.glob(pattern)):
        if path.is_file():
            digest.update(f"{path.relative_to(BASE_DIR)}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def here(command: tuple[str, ...]) -> list[str]:
    """The command with the programs of this very environment, wherever it lies."""
    program, *words = command
    return [sys.executable, *words] if program == "python" else [sys.executable, "-m", *command]


def process(
    name: str,
    log: Path,
    env: Mapping[str, str],
    *,
    grace: float = 8,
    hold: int | None = None,
    give: Sequence[int] = (),
) -> Child:
    """A Child for one of COMMANDS."""
    return Child(
        name,
        here(COMMANDS[name]),
        log=log,
        env={**os.environ, **env},
        folder=BASE_DIR,
        stop_signal=signal.SIGTERM,
        grace=grace,
        hold=hold,
        give=give,
    )


class Job:
    """A command on its way to its end; `result` waits for it."""

    def __init__(self, command: tuple[str, ...], env: Mapping[str, str], log: Path) -> None:
        self.command = command
        self.begin = log.stat().st_size if log.exists() else 0
        self.child = Child(
            command[-1], here(command), log=log, env={**os.environ, **env}, folder=BASE_DIR
        )
        self.child.start()

    def result(self) -> str:
        """What it printed. StartError with its last words if it failed."""
        try:
            status = self.child.wait(600)
        finally:
            self.child.stop()
        with self.child.log.open("rb") as file:
            file.seek(self.begin)
            words = file.read().decode(errors="replace")
        if status != 0:
            last = "\n".join(words.splitlines()[-15:])
            raise StartError(f"`{' '.join(self.command)}` failed ({self.child.log}):\n{last}")
        return words


def run(command: tuple[str, ...], env: Mapping[str, str], log: Path) -> str:
    """Run one command to its end; what it printed. StartError with its words if it failed."""
    return Job(command, env, log).result()


class House:
    """All processes of one service over one folder. `env` is what every one of them is told.

    listener: the socket at which the web listens, ours from before it starts until after it ends.
    hold: a file descriptor that stays open until every process has ended.

    Start the servers first, then `prepare`, then the rest in any order. Each part can be killed
    and started again on its own.
    """

    def __init__(
        self,
        folder: Path,
        env: Mapping[str, str],
        *,
        settings: Mapping[str, str] = DURABLE,
        hold: int | None = None,
        listener: socket.socket | None = None,
        remove: Path | None = None,
    ) -> None:
        self.folder = folder
        self.logs = folder / "log"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.sockets = sockets = socket_folder(folder / "run")
        self.postgres = Postgres(
            folder / "postgres",
            sockets,
            self.logs / "postgres.log",
            settings=settings,
            hold=hold,
            remove=remove,
        )
        self.broker = Broker(sockets, self.logs / "broker.log", hold=hold)
        self.env = {
            "DATABASE_URL": self.postgres.url(),
            "BROKER_URL": self.broker.url(),
            "VAR_DIR": str(folder),
            "STATIC_ROOT": str(folder / "static"),
            **({"BIND": f"fd://{listener.fileno()}"} if listener else {}),
            **env,
        }
        self.owner_env = {**self.env, "DATABASE_URL": self.postgres.url(OWNER)}
        listens = {"web": [listener.fileno()]} if listener else {}
        self.parts = {
            name: process(
                name, self.logs / f"{name}.log", self.env, hold=hold, give=listens.get(name, ())
            )
            for name in COMMANDS
        }

    @property
    def children(self) -> dict[str, Child]:
        """Every process by name, in the order in which they start."""
        return {"postgres": self.postgres.child, "broker": self.broker.child, **self.parts}

    def start(self, name: str) -> None:
        """Start one of them, again if it ended; servers answer when this returns."""
        socket_folder(self.folder / "run")
        if name == "postgres":
            self.postgres.start()
        elif name == "broker":
            self.broker.start()
        else:
            self.parts[name].start()

    def prepare(self) -> None:
        """Roles, database, tables, rights; nothing to do where this very code did it before."""
        made_by = fingerprint(SETUP_FILES)
        self.postgres.make_database()
        if self.postgres.remark() != made_by:
            for command in SETUP:
                run(command, self.owner_env, self.logs / "setup.log")
            self.postgres.remark(made_by)

    def collect(self) -> Callable[[], None]:
        """Begin to collect and compress the static files; call the result to see it through.

        Needs no server. Nothing to do where the files are the same as before.
        """
        target = Path(self.env["STATIC_ROOT"])
        stamp = target / ".made-from"
        made_from = fingerprint(STATIC_FILES)
        if stamp.exists() and stamp.read_text() == made_from:
            return lambda: None
        job = Job((*COLLECT, "--clear"), self.env, self.logs / "static.log")

        def finish() -> None:
            job.result()
            stamp.write_text(made_from)

        return finish

    def stop(self) -> None:
        """End everything: first those who work, then what they work with."""
        children = list(self.children.values())
        for group in (children[2:], children[:2]):
            for child in group:
                child.ask_to_stop()
            for child in group:
                child.wait()
        shutil.rmtree(self.sockets, ignore_errors=True)  # it may lie outside of our folder
