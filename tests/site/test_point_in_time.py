"""A base backup and WAL bring the service back to a given minute: the commands of the manual."""

import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from atlantis_site.supervisor.postgres import Postgres
from atlantis_site.supervisor.stack import BASE_DIR, ServiceStack
from tests.support import replication
from tests.support.processes import run_warm, wait_for

pytestmark = [pytest.mark.long, pytest.mark.processes]

MANUAL = BASE_DIR / "docs" / "other-ways.md"


def setting(name: str, **places: object) -> str:
    """A setting of PostgreSQL as the manual has it, with our folders."""
    found = re.search(rf"^ +{name} = '([^\n]*)'$", MANUAL.read_text(), re.MULTILINE)
    assert found is not None, name
    value = found[1].replace("''", "'")
    for word, path in places.items():
        value = value.replace(f"/backup/{word}", str(path))
    return value


@pytest.fixture
def archived(
    make_stack: Callable[..., ServiceStack], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[tuple[ServiceStack, Path]]:
    """A service whose WAL is archived as the manual says, and the folder of the archive."""
    archive = tmp_path / "wal"
    archive.mkdir()
    for folder in (archive, *archive.parents):
        if folder.is_relative_to(tmp_path.parents[2]):
            folder.chmod(0o777)
    settings = replication.SETTINGS | {
        "archive_mode": "on",
        "archive_command": setting("archive_command", wal=archive),
    }
    monkeypatch.setattr("tests.support.processes.VOLATILE_SETTINGS", settings)
    stack = make_stack()
    replication.allow(stack.postgres)
    yield stack, archive


def test_the_service_is_restored_to_a_given_minute(
    archived: tuple[ServiceStack, Path], tmp_path: Path
) -> None:
    stack, archive = archived
    server, target = stack.postgres, tmp_path / "restored"
    options = shlex.split("--checkpoint=fast --wal-method=none")
    replication.base_backup(server, target, *options)
    player = replication.player(stack, 2, 6)
    player.start()
    wait_for(lambda: not player.running, "the last move")
    assert "done" in player.log.read_text(), player.last_output()
    with server.connect("postgres", "postgres") as connection:
        row = connection.execute("SELECT clock_timestamp()::text").fetchone()
        assert row is not None
    then = replication.moves(server)
    with server.connect() as connection:  # a mistake that nobody wants to keep
        connection.execute("UPDATE games_game SET name = 'lost', version = 0")
    with server.connect("postgres", "postgres") as connection:
        connection.execute("SELECT pg_switch_wal()")
        connection.execute("CHECKPOINT")
        wait_for(
            lambda: (
                connection.execute(
                    "SELECT last_archived_time > now() - interval '1 hour' AND last_failed_time IS NULL"
                    " FROM pg_stat_archiver"
                ).fetchone()
                == (True,)
            ),
            "the archive",
        )
    stack.postgres.child.stop()  # what is left is archived before it ends

    lines = {
        "restore_command": setting("restore_command", wal=archive),
        "recovery_target_time": row[0],
        "recovery_target_action": setting("recovery_target_action"),
    }
    with (target / "postgresql.auto.conf").open("a") as file:
        for name, value in lines.items():
            file.write(f"{name} = '{value}'\n")
    (target / "recovery.signal").touch()
    with ExitStack() as after:
        sockets = Path(server.sockets)
        restored = Postgres(
            target, sockets.parent, tmp_path / "restored.log", settings=replication.SETTINGS
        )
        after.callback(restored.child.stop)
        restored.start()
        with restored.connect("postgres", "postgres") as connection:
            wait_for(
                lambda: connection.execute("SELECT pg_is_in_recovery()").fetchone() == (False,),
                "the end of the recovery",
            )
        assert replication.moves(restored) == then
        env = {**stack.env, "DATABASE_URL": restored.url()}
        verified = run_warm(("python", "manage.py", "verify"), env, stack.logs / "verify.log")
        assert "2 in order, 0 not" in verified
