"""pgbouncer in transaction mode in front of the test database, where the machine has it."""

import os
import pwd
import re
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from django.db import connection

from atlantis_site.supervisor.children import Child, wait_until

from .debian_programs import PGBOUNCER
from .unix_sockets import accepts

PORT = 6432
POOL_SIZE = 2


@contextmanager
def running(
    sockets: Path | None = None,
    data: Path | None = None,
    log: Path | None = None,
    pool_size: int = POOL_SIZE,
) -> Iterator[Path]:
    """Yield the folder of pgbouncer's socket. It passes every database and role on.

    sockets, data: the folders of the server, by default the tests' own.
    """
    program = PGBOUNCER.find()
    assert program
    sockets = sockets or Path(connection.settings_dict["HOST"])
    data = data or Path(os.environ["TEST_FOLDER"]) / "postgres"
    log = log or Path(os.environ["TEST_FOLDER"]) / "pgbouncer.log"
    account = _account()
    let_in(sockets, data)
    folder = Path(tempfile.mkdtemp(prefix="pgb-"))
    users = folder / "users"
    users.write_text('"atlantis_owner" ""\n"atlantis_app" ""\n')
    config = folder / "config"
    pid = folder / "pid"
    config.write_text(
        f"[databases]\n* = host={sockets}\n"
        "[pgbouncer]\npool_mode = transaction\nauth_type = trust\nlisten_addr =\n"
        f"listen_port = {PORT}\nunix_socket_dir = {folder}\nauth_file = {users}\npidfile = {pid}\n"
        f"default_pool_size = {pool_size}\nserver_idle_timeout = 5\n"
    )
    for path in (folder, users, config):
        shutil.chown(path, account.pw_uid, account.pw_gid)
    child = Child(
        "pgbouncer",
        [program, config],
        log=log,
        account=(account.pw_uid, account.pw_gid) if os.geteuid() == 0 else None,
        dac_override=os.geteuid() == 0,
        remove=folder,
    )
    child.start()
    try:
        server = folder / f".s.PGSQL.{PORT}"
        wait_until(lambda: accepts(server), child, 20, "pgbouncer")
        yield folder
    finally:
        child.stop()


def lead_to(folder: Path, sockets: Path) -> None:
    """Make the pgbouncer of this folder connect to another server, as RELOAD does."""
    config = folder / "config"
    config.write_text(re.sub(r"(?m)^\* = .*$", f"* = host={sockets}", config.read_text()))
    os.kill(int((folder / "pid").read_text()), signal.SIGHUP)


def _account() -> pwd.struct_passwd:
    """The account of pgbouncer, and of PostgreSQL: neither runs as root."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())


def let_in(sockets: Path, data: Path) -> None:
    """Let that account connect to the server as every role, as ours may, until its next start."""
    rules = data / "pg_ident.conf"
    line = f'atlantis "{_account().pw_name}" all\n'
    if line not in rules.read_text():
        with rules.open("a") as file:
            file.write(line)
        server = f"host={sockets} dbname=postgres user=postgres"
        with psycopg.connect(server, autocommit=True) as superuser:
            superuser.execute("SELECT pg_reload_conf()")
