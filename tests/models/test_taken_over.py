"""The migration to decisions takes over what was recorded before it."""

from importlib import import_module

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import connection

from games import services
from games.models import Action, Decision, DecisionText, Game, User
from tests.factories import table_of

pytestmark = pytest.mark.django_db

migration = import_module("games.migrations.0008_decisions")


def run(statements: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statements)


@pytest.fixture
def before() -> None:
    """The table of reasons as it was."""
    run("CREATE TABLE games_eventreason (game_id bigint, seq integer, text varchar(300))")


def as_before(game: Game, *, kept: bool = True) -> None:
    """What the service has decided about this game so far is only in the tables of that time."""
    run(
        "INSERT INTO games_eventreason SELECT game_id, seq, text FROM games_decision"
        f" JOIN games_decisiontext ON decision_id = id WHERE {kept} AND game_id = {game.pk}"
    )
    run("SET CONSTRAINTS ALL IMMEDIATE")
    run("DELETE FROM games_decisiontext")
    run("ALTER TABLE games_decision DISABLE TRIGGER games_decision_keep_rows")
    run("DELETE FROM games_decision")
    run("ALTER TABLE games_decision ENABLE ALWAYS TRIGGER games_decision_keep_rows")


@pytest.mark.usefixtures("before")
def test_an_old_reason_becomes_a_decision(alice: User, bob: User, mona: User) -> None:
    game = table_of(alice, bob)
    services.moderate_pause(game_id=game.pk, by=mona, reason="Alice is in hospital")
    then = Decision.objects.values("by", "action", "game", "seq", "as_host").get()
    as_before(game)
    run(migration.TAKE_OVER)
    assert Decision.objects.values("by", "action", "game", "seq", "as_host").get() == then
    assert Decision.objects.get().reason == "Alice is in hospital"


@pytest.mark.usefixtures("before")
def test_an_intervention_whose_reason_was_deleted_becomes_a_decision_without_words(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    services.moderate_pause(game_id=game.pk, by=mona, reason="Alice is in hospital")
    as_before(game, kept=False)
    run(migration.TAKE_OVER)
    assert (Decision.objects.get().action, Decision.objects.get().reason) == (Action.PAUSE, "")


def test_an_old_look_still_keeps_its_moderator_from_playing(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    LogEntry.objects.create(
        user=mona,
        content_type=ContentType.objects.get_for_model(Game),
        object_id=str(game.pk),
        object_repr=game.name,
        action_flag=4,
        change_message="Viewed hidden information: A complaint",
    )
    run(migration.TAKE_OVER_LOOKS)
    look = Decision.objects.get()
    assert (look.action, look.by, look.game) == (Action.REVEAL, mona, game)
    assert DecisionText.objects.get().text == "Viewed hidden information: A complaint"
    with pytest.raises(services.ServiceError, match="has seen hidden information"):
        services.moderate_hand_seat(game_id=game.pk, by=mona, reason="x", seat=1, to=mona)
