"""The last sentence of a game in the lists of home is the whole one of its log."""

from datetime import timedelta

import pytest
from django.utils import timezone

from games import selectors, services
from games.models import Game, User
from games.translate import day
from tests.factories import fresh, play_one, table_of

pytestmark = pytest.mark.django_db


def last(game: Game, reader: User) -> str:
    """The last sentence of home about this game."""
    (row,) = (
        row
        for rows in (selectors.home(reader).waiting, selectors.home(reader).others)
        for row in rows
        if row.game == game
    )
    return row.last


def test_home_names_the_day_until_which_a_pause_is_asked_for(alice: User, bob: User) -> None:
    game, until = table_of(alice, bob), (timezone.now() + timedelta(days=5)).date()
    services.vote_open(game_id=game.pk, user=alice, about="pause", until=until)
    for reader in (alice, bob):
        assert last(game, reader) == f"Alice asked for a pause until {day(until)}."


def test_home_has_the_reason_of_a_moderator(alice: User, bob: User, mona: User) -> None:
    game = table_of(alice, bob)
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "A bug."))
    assert last(game, bob) == "A moderator paused the game. Reason: A bug."


def test_home_says_to_which_move_a_game_was_rolled_back(alice: User, bob: User, mona: User) -> None:
    game = table_of(alice, bob)
    play_one(game)
    version = fresh(game).version
    play_one(game)
    services.moderate_rollback(
        game_id=game.pk, to_seq=version, ruling=services.Ruling(mona, "A bug.")
    )
    said = "The game was rolled back to the position after move 1. Reason: A bug."
    assert last(game, bob) == said


def test_home_says_who_resigned(alice: User, bob: User) -> None:
    game = table_of(alice, bob, resign_policy=Game.ResignPolicy.BOT)
    services.game_resign(game_id=game.pk, user=bob)
    assert last(game, alice) == "Bob resigned. A bot takes over."
