"""A PostgreSQL whose WAL is read: base backups, standbys, and games played beside them."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from django.db import connection

from atlantis_site.supervisor.children import Child
from atlantis_site.supervisor.postgres import OWNER, Postgres, binaries
from atlantis_site.supervisor.stack import ServiceStack
from tests.plugins.servers import VOLATILE_SETTINGS

from .processes import warm_program

# A server that reads the WAL of another one needs at least its limits.
SETTINGS = VOLATILE_SETTINGS | {
    "wal_level": "replica",
    "max_wal_senders": "3",
    "synchronous_commit": "on",
}


def allow(server: Postgres) -> None:
    """Let our account connect for replication until the next start of the server."""
    with (server.data / "pg_hba.conf").open("a") as rules:
        rules.write("local replication all peer map=atlantis\n")
    reload_settings(server)


def reload_settings(server: Postgres, **settings: str) -> None:
    """Make the server read its settings again, with these."""
    with server.connect("postgres", "postgres") as connection:
        for name, value in settings.items():
            connection.execute(f"ALTER SYSTEM SET {name} = '{value}'")
        connection.execute("SELECT pg_reload_conf()")


def base_backup(server: Postgres, target: Path, *options: str) -> None:
    """Copy the server's data to `target`, a folder that does not exist yet."""
    program = binaries() / "pg_basebackup"
    subprocess.run(
        [program, "-h", server.sockets, "-U", "postgres", "-D", target, *options],
        check=True,
        capture_output=True,
        timeout=120,
    )
    if server.account:
        for path in (target, *target.rglob("*")):
            shutil.chown(path, *server.account)


def moves(server: Postgres) -> list[tuple[Any, ...]]:
    """(game, seq, digest) of every event."""
    with server.connect("postgres") as connection:
        return connection.execute(
            "SELECT game_id, seq, digest FROM games_gameevent ORDER BY 1, 2"
        ).fetchall()


def player(stack: ServiceStack, games: int, count: int, **env: str) -> Child:
    """A process that makes `count` moves in this number of games, whose emails nobody sends."""
    words = ("-m", "tests.support.children.player_process", str(games), str(count), str(10**6))
    log = stack.logs / f"player-{count}.log"
    return warm_program(*words, log=log, env={**stack.env, **env})


def client_program(name: str, *words: str) -> None:
    """One of PostgreSQL's own client programs, as the owner of the database."""
    host = str(connection.settings_dict["HOST"])
    done = subprocess.run(
        [str(binaries() / name), "-h", host, "-U", OWNER, *words],
        env={**os.environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
