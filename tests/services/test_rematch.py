"""A rematch: the same game again, for those who have played it."""

from collections.abc import Callable

import pytest

from games import services
from games.models import Game, User
from games.rules.bots import Level
from games.services import NotAllowed, ServiceError
from tests.factories import (
    fresh,
    miss_deadline,
    person,
    play_one,
    play_to_the_end,
    seats_of,
    table_of,
)


def names(game: Game) -> list[str]:
    """The players, in order of the seats; "bot" for a bot."""
    return ["bot" if seat.is_bot else str(seat.user) for seat in seats_of(game)]


@pytest.fixture
def finished(alice: User, bob: User) -> Game:
    return play_to_the_end(table_of(alice, bob, bots=1))


def test_a_rematch_has_the_same_settings_and_invites_the_same_people(
    finished: Game, alice: User, bob: User
) -> None:
    again = services.game_rematch(game_id=finished.pk, by=bob)
    assert (again.kind, again.options, again.pace_days, again.seat_count) == (
        finished.kind,
        finished.options,
        finished.pace_days,
        3,
    )
    assert again.rematch_of == finished
    assert names(again) == ["Bob", "bot"]
    assert [offer.address for offer in again.invitations.all()] == [alice.email]


def test_nobody_else_can_take_a_seat_of_a_rematch(finished: Game, bob: User, dave: User) -> None:
    again = services.game_rematch(game_id=finished.pk, by=bob)
    with pytest.raises(NotAllowed):
        services.game_join(game_id=again.pk, user=dave)


def test_the_second_player_who_asks_for_a_rematch_joins_the_first_one(
    finished: Game, alice: User, bob: User
) -> None:
    again = services.game_rematch(game_id=finished.pk, by=bob)
    assert services.game_rematch(game_id=finished.pk, by=bob) == again
    assert services.game_rematch(game_id=finished.pk, by=alice) == again
    assert fresh(again).status == Game.Status.RUNNING


def test_a_rematch_that_was_called_off_can_be_asked_for_again(finished: Game, bob: User) -> None:
    again = services.game_rematch(game_id=finished.pk, by=bob)
    services.game_leave(game_id=again.pk, user=bob)
    assert services.game_rematch(game_id=finished.pk, by=bob) != again


def resign(game: Game, user: User) -> None:
    services.game_resign(game_id=game.pk, user=user)


def miss_the_deadline(game: Game, user: User) -> None:
    Game.objects.filter(pk=game.pk).update(timeout_policy=Game.TimeoutPolicy.SEAT1)
    while game.seats.filter(user=user).exists():
        if game.seats.filter(user=user, asked_seq__isnull=False).exists():
            miss_deadline(game)
        elif not services.game_play_bots(game_id=game.pk):
            play_one(game)


def be_replaced(game: Game, user: User) -> None:
    mona, seat = person("Mona", is_staff=True), game.seats.get(user=user).number
    services.moderate_hand_seat(
        game_id=game.pk, seat=seat, to=person("Dora"), ruling=services.Ruling(mona, "gone")
    )


@pytest.mark.parametrize("end", ["over", "cancelled"])
@pytest.mark.parametrize("leave", [resign, miss_the_deadline, be_replaced])
def test_a_rematch_invites_those_who_began_whatever_became_of_their_seats(
    alice: User, bob: User, leave: Callable[[Game, User], None], end: str
) -> None:
    game = table_of(alice, bob, bots={1: Level.EASY})
    leave(game, bob)
    if end == "over":
        for seat in seats_of(game):
            if seat.user is not None:
                resign(game, seat.user)
    else:
        mia = person("Mia", is_staff=True)
        services.moderate_abort(game_id=game.pk, ruling=services.Ruling(mia, "by agreement"))
    again = services.game_rematch(game_id=game.pk, by=alice)
    assert again.status == Game.Status.GATHERING
    assert names(again) == ["Alice", "bot"]
    assert bob.email in again.invitations.values_list("address", flat=True)
    services.game_rematch(game_id=game.pk, by=bob)
    assert fresh(again).status == Game.Status.RUNNING
    assert {seat.bot_level for seat in again.seats.filter(is_bot=True)} == {"easy"}


def test_those_who_join_a_rematch_need_no_figures(finished: Game, alice: User, bob: User) -> None:
    Game.objects.filter(pk=finished.pk).update(min_in_time=95, newcomers=False)
    again = services.game_rematch(game_id=finished.pk, by=bob)
    services.game_rematch(game_id=finished.pk, by=alice)
    assert fresh(again).status == Game.Status.RUNNING


def test_a_table_at_which_nobody_has_played_has_no_rematch(alice: User) -> None:
    table = table_of(alice, seats=3)
    services.game_leave(game_id=table.pk, user=alice)
    with pytest.raises(ServiceError):
        services.game_rematch(game_id=table.pk, by=alice)


def test_there_is_no_rematch_before_the_end(alice: User, bob: User) -> None:
    with pytest.raises(ServiceError, match="not over"):
        services.game_rematch(game_id=table_of(alice, bob).pk, by=alice)


def test_only_those_who_played_ask_for_a_rematch(finished: Game, dave: User) -> None:
    with pytest.raises(NotAllowed):
        services.game_rematch(game_id=finished.pk, by=dave)
