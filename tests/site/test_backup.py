"""A backup is one that was restored: the README's two commands, tried on the tests' own server."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection, connections

from games import services
from games.log import event_store
from games.models import Game, User
from tests.factories import table_of
from tests.support.bots import bot_choice
from tests.support.replication import client_program

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]


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
    source = str(connection.settings_dict["NAME"])
    target, dump = f"{source}_restored", tmp_path / "atlantis.dump"
    client_program("pg_dump", "--format=custom", f"--file={dump}", source)
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
