"""The news in an email: what was taken from the reader, then what happened."""

import pytest

from games import selectors, services
from games.models import Game, Seat, User
from games.rules.escape.board import own
from tests.factories import fresh, log_of, play_turns, seats_of, table_of
from tests.support.escape_games import escape_table, game_with, play_line

pytestmark = pytest.mark.django_db


def recap(game: Game, seat: int) -> selectors.Recap:
    log = log_of(game)
    user_id = Seat.objects.get(game=game, number=seat).user_id
    return selectors.recap(log, seat, user_id, selectors.SeatNames(log, seats_of(game)))


def test_the_explorers_that_others_placed_are_one_line(alice: User, bob: User, carol: User) -> None:
    game = play_turns(escape_table(alice, bob, carol), 2)
    play_line(game, carol, "plan coast")
    (line,) = recap(play_turns(game, 1), 2).lines
    assert line.text.startswith("Alice placed U2 on ")  # where it is one, the hex is said, too
    (line,) = recap(play_turns(game, 6), 2).lines
    assert set(line.sentences) == {
        "Alice placed 4 explorers.",
        "Bob placed 3 explorers.",
        "Carol placed 3 explorers.",
    }


def test_the_first_line_is_what_the_reader_lost(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(
        monkeypatch,
        (alice, bob),
        lambda state: any(
            state.board.where[who] == -1 and state.values[who] for who in own(state.board, 0)
        ),
    )
    view = log_of(game).engine.rules.view(log_of(game).state, 0)
    lost = [who for who in own(view.board, 0) if view.board.where[who] == -1]
    said = " ".join(recap(game, 0).losses)
    assert "You lost " in said and f", worth {view.values[lost[0]]}" in said
    assert "You lost " not in " ".join(recap(game, 1).losses)


def test_a_new_player_on_a_seat_did_not_lose_what_was_lost_before(
    alice: User, bob: User, carol: User, mona: User
) -> None:
    game = play_turns(table_of(alice, bob), 6)
    services.moderate_hand_seat(
        game_id=game.pk, seat=1, to=carol, ruling=services.Ruling(mona, "Bob left.")
    )
    assert recap(fresh(game), 1).losses == ()
