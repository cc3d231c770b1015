"""A backup is one that was restored: docs/backup.sh, and pg_restore on the tests' own server."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection, connections

from atlantis_site.supervisor.postgres import OWNER, binaries
from atlantis_site.supervisor.stack import BASE_DIR
from games import services
from games.log import event_store
from games.models import Game, Heartbeat, User, database_clock
from tests.factories import table_of
from tests.support.bots import bot_choice
from tests.support.processes import PATIENCE, service_env
from tests.support.replication import client_program

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]


def back_up(folder: Path, **changed: str) -> subprocess.CompletedProcess[str]:
    """Run the documented script on the database of this test."""
    database = connection.settings_dict
    variables = {
        "FOLDER": str(folder),
        "DATABASE": str(database["NAME"]),
        "POSTGRES": f"env PGHOST={database['HOST']} PGUSER={OWNER}",
        "MANAGE": f"{sys.executable} manage.py",
        "PATH": f"{binaries()}:{os.environ['PATH']}",
    }
    return subprocess.run(
        [BASE_DIR / "docs" / "backup.sh"],
        env={**os.environ, **service_env(), **variables, **changed},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.fixture
def restored(tmp_path: Path, alice: User, bob: User) -> Iterator[Game]:
    """A game that was played, dumped, and restored into a database of another name, which is the
    one that this test speaks to from then on."""
    game = table_of(alice, bob)
    for _turn in range(6):
        log = event_store.load(game)
        seat = log.projection.to_act[0]
        command = bot_choice(log, seat)
        user = game.seats.get(number=seat).user
        assert user is not None
        services.game_play(
            game_id=game.pk, user=user, seat=seat, command=command, version=log.version
        )
    done = back_up(tmp_path / "dumps")
    assert done.returncode == 0, done.stderr
    (dump,) = (tmp_path / "dumps").iterdir()
    source = str(connection.settings_dict["NAME"])
    target = f"{source}_restored"
    client_program("createdb", target)
    connection.close()
    connection.settings_dict["NAME"] = target
    try:
        client_program("pg_restore", "--exit-on-error", f"--dbname={target}", str(dump))
        yield game
    finally:
        connections.close_all()
        connection.settings_dict["NAME"] = source
        client_program("dropdb", "--force", target)


def test_a_dump_is_for_its_owner_alone_and_the_service_knows_its_age(tmp_path: Path) -> None:
    done = back_up(tmp_path / "dumps")
    assert done.returncode == 0, done.stderr
    (dump,) = (tmp_path / "dumps").iterdir()
    assert dump.suffix == ".dump"
    assert (dump.stat().st_mode & 0o777, dump.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    noted = Heartbeat.objects.get(name=Heartbeat.BACKUP).at
    assert database_clock.now() - noted < timedelta(seconds=PATIENCE)


@pytest.mark.parametrize("broken", ["pg_dump", "pg_restore"])
def test_a_dump_that_fails_poses_as_no_backup(tmp_path: Path, broken: str) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / broken).write_text("#!/bin/sh\nexit 1\n")
    (programs / broken).chmod(0o755)
    done = back_up(tmp_path / "dumps", PATH=f"{programs}:{binaries()}:{os.environ['PATH']}")
    assert done.returncode != 0
    assert [path.suffix for path in (tmp_path / "dumps").iterdir()] == [".part"]
    assert not Heartbeat.objects.filter(name=Heartbeat.BACKUP).exists()


def test_old_dumps_are_deleted_once_a_new_one_is_good(tmp_path: Path) -> None:
    folder = tmp_path / "dumps"
    folder.mkdir()
    for name, days in (("atlantis-a.dump", 20), ("atlantis-b.dump.part", 20), ("other.txt", 20)):
        (folder / name).touch()
        os.utime(folder / name, (time.time() - days * 86400,) * 2)
    (folder / "atlantis-c.dump").touch()
    assert back_up(folder).returncode == 0
    kept = {path.name for path in folder.iterdir()}
    assert {"atlantis-c.dump", "other.txt"} < kept
    assert len(kept) == 3


def test_a_restored_service_verifies_and_plays_on(
    restored: Game, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("verify")
    assert "1 game, " in capsys.readouterr().out
    game = Game.objects.get(pk=restored.pk)
    log = event_store.load(game)
    seat = log.projection.to_act[0]
    user = game.seats.get(number=seat).user
    assert user is not None
    played = services.game_play(
        game_id=game.pk,
        user=user,
        seat=seat,
        command=bot_choice(log, seat),
        version=log.version,
    )
    assert played.version > log.version


def test_the_restored_log_still_refuses_to_be_changed(restored: Game) -> None:
    with connection.cursor() as cursor, pytest.raises(Exception, match="log"):
        cursor.execute("UPDATE games_gameevent SET seat = 1")


def test_the_restored_log_knows_the_rights_of_the_app_role(restored: Game) -> None:
    url = f"host={connection.settings_dict['HOST']} user=atlantis_app"
    with (
        psycopg.connect(f"{url} dbname={connection.settings_dict['NAME']}") as app,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        app.execute("DELETE FROM games_gameevent")
