"""A question that goes away and comes back keeps the deadline that was announced for it."""

from datetime import date, datetime, timedelta

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import transaction

from games import selectors, services
from games.log import table_events
from games.log.announced import announced
from games.models import Game, Seat, User
from games.services.locked_game import LockedGame
from tests.factories import due, fresh, log_of, play_one, seats_of, table_of
from tests.support.escape_games import escape_table, play_line

pytestmark = pytest.mark.django_db

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def island(clock: time_machine.Traveller, alice: User, bob: User) -> Game:
    """Escape from Atlantis, three days a move: Alice has placed an explorer, and Bob is asked."""
    game = escape_table(alice, bob)
    play_line(game, alice, "place 6 D5")
    return fresh(game)


def more_time(game: Game, mona: User, seat: int = 1) -> datetime:
    """The deadline of this seat after a moderator has given it two days."""
    services.moderate_extend(
        game_id=game.pk, days=2, seat=seat, ruling=services.Ruling(mona, "ill")
    )
    return due(game, seat)


def undo(game: Game, user: User) -> None:
    with transaction.atomic():
        services.step_undo_locked(LockedGame(game.pk), user)


def roll_back(game: Game, mona: User, to_seq: int) -> None:
    services.moderate_rollback(
        game_id=game.pk, to_seq=to_seq, ruling=services.Ruling(mona, "dispute")
    )


def test_more_time_outlasts_a_step_that_another_player_takes_back(
    clock: time_machine.Traveller, island: Game, alice: User, mona: User
) -> None:
    given = more_time(island, mona)
    clock.shift(HOUR)
    undo(island, alice)
    clock.shift(HOUR)
    play_line(island, alice, "place 5 D5")
    assert due(island, 1) == given
    steps = [
        entry.event for entry in log_of(island).entries if entry.kind == "table.deadline_moved"
    ]
    assert steps[-1] == table_events.DeadlineMoved(1, "announced", 2 * 86400 - 2 * 3600)
    call_command("verify", island.public_id)


def test_the_page_says_that_a_later_deadline_was_announced(
    clock: time_machine.Traveller, island: Game, alice: User, mona: User
) -> None:
    more_time(island, mona)
    undo(island, alice)
    play_line(island, alice, "place 5 D5")
    lines = selectors.deadline_lines(log_of(island), seats_of(island)[1])
    assert lines[1].replace("\xa0", " ") == "a later deadline was announced before: +2 days"


def test_more_time_outlasts_a_second_undo(
    clock: time_machine.Traveller, island: Game, alice: User, bob: User, mona: User
) -> None:
    given = more_time(island, mona)
    undo(island, alice)
    play_line(island, alice, "place 5 D5")
    play_line(island, bob, "place 6 E5")
    clock.shift(HOUR)
    undo(island, bob)
    assert due(island, 1) == given
    call_command("verify", island.public_id)


def test_more_time_for_an_answered_turn_comes_back_with_it(
    clock: time_machine.Traveller, island: Game, alice: User, bob: User, mona: User
) -> None:
    asked = island.version
    given = more_time(island, mona)
    play_line(island, bob, "place 6 E5")
    play_line(island, alice, "place 5 D6")
    clock.shift(HOUR)
    roll_back(island, mona, asked)
    assert due(island, 1) == given
    call_command("verify", island.public_id)


def test_each_turn_that_comes_back_keeps_its_own_deadline(
    clock: time_machine.Traveller, island: Game, alice: User, bob: User, mona: User
) -> None:
    asked = island.version
    play_line(island, bob, "place 6 E5")
    play_line(island, alice, "place 5 D6")
    given = more_time(island, mona)
    roll_back(island, mona, asked)
    assert due(island, 1) == given, "it is the last that Bob was told"
    play_line(island, bob, "place 6 E5")
    clock.shift(HOUR)
    play_line(island, alice, "place 4 D6")
    assert due(island, 1) == given
    play_line(island, bob, "place 5 E6")
    play_line(island, alice, "place 3 E7")
    assert due(island, 1) < given, "this is another turn"
    call_command("verify", island.public_id)


def test_a_rollback_to_the_open_question_takes_no_time(
    clock: time_machine.Traveller, island: Game, alice: User, bob: User, mona: User
) -> None:
    start = log_of(island).moves[0][-1].seq
    play_line(island, bob, "place 6 E5")
    given = more_time(island, mona, 0)
    clock.shift(HOUR)
    roll_back(island, mona, start)
    assert due(island, 0) == given
    call_command("verify", island.public_id)


@pytest.mark.parametrize("gives_up", ["resigns", "is replaced"])
def test_more_time_outlasts_a_seat_that_is_given_back_in_a_pause(
    clock: time_machine.Traveller,
    island: Game,
    alice: User,
    bob: User,
    mona: User,
    gives_up: str,
) -> None:
    given = more_time(island, mona)
    services.moderate_pause(game_id=island.pk, ruling=services.Ruling(mona, "dispute"))
    clock.shift(HOUR)
    if gives_up == "resigns":
        services.game_resign(game_id=island.pk, user=bob)
    else:
        services.moderate_hand_seat(
            game_id=island.pk, seat=1, ruling=services.Ruling(mona, "dispute")
        )
    clock.shift(HOUR)
    services.moderate_hand_seat(
        game_id=island.pk, seat=1, to=bob, ruling=services.Ruling(mona, "settled")
    )
    services.moderate_resume(game_id=island.pk, ruling=services.Ruling(mona, "settled"))
    assert due(island, 1) >= given
    call_command("verify", island.public_id)


def test_another_player_has_the_usual_time(
    clock: time_machine.Traveller, island: Game, bob: User, dave: User, mona: User
) -> None:
    more_time(island, mona)
    services.moderate_hand_seat(
        game_id=island.pk, seat=1, to=dave, ruling=services.Ruling(mona, "gone")
    )
    assert due(island, 1) == island.last_event_at + 3 * DAY
    call_command("verify", island.public_id)


def test_a_rollback_in_a_pause_takes_nothing_of_the_time_that_was_left(
    clock: time_machine.Traveller, island: Game, bob: User, mona: User
) -> None:
    asked = island.version
    given = more_time(island, mona)
    play_line(island, bob, "place 6 E5")
    services.moderate_pause(game_id=island.pk, ruling=services.Ruling(mona, "dispute"))
    clock.shift(HOUR)
    roll_back(island, mona, asked)
    clock.shift(HOUR)
    services.moderate_resume(game_id=island.pk, ruling=services.Ruling(mona, "settled"))
    assert due(island, 1) == given + HOUR
    call_command("verify", island.public_id)


def test_an_absence_that_ended_early_stays_in_the_deadline(
    clock: time_machine.Traveller, island: Game, alice: User, bob: User
) -> None:
    now, first = island.last_event_at, date(2027, 1, 4)
    services.absence_enter(user=bob, first=first, last=date(2027, 1, 10), now=now)
    given = due(island, 1)
    services.absence_end(user=bob, first=first, now=now)
    undo(island, alice)
    clock.shift(HOUR)
    play_line(island, alice, "place 5 D5")
    assert due(island, 1) == given
    call_command("verify", island.public_id)


def test_a_step_within_a_turn_takes_no_time(
    clock: time_machine.Traveller, alice: User, bob: User, mona: User
) -> None:
    game = escape_table(alice, bob)
    for user in (bob, alice):
        play_line(game, user, "plan coast")
    given = more_time(game, mona, 0)
    asked = seats_of(game)[0].asked_seq
    clock.shift(HOUR)
    log = log_of(game)
    step = next(
        command
        for command in log.engine.rules.legal_commands(log.state, 0)
        if getattr(command, "steps", ())
    )
    services.game_play(
        game_id=game.pk, user=alice, seat=0, command=step, version=fresh(game).version
    )
    assert seats_of(game)[0].asked_seq == asked
    assert due(game, 0) == given
    call_command("verify", game.public_id)


def test_time_that_was_announced_is_not_taken_from_the_time_bank(
    clock: time_machine.Traveller, alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob, pace_days=1, bank_days=2)
    start = log_of(game).moves[0][-1].seq
    given = more_time(game, mona, 0)
    play_one(game)
    clock.shift(HOUR)
    roll_back(game, mona, start)
    assert due(game, 0) == given
    clock.move_to(given - 2 * DAY)  # all but the bank is over
    play_one(game)
    assert Seat.objects.get(game=game, number=0).bank_left in (None, 2 * DAY)
    call_command("verify", game.public_id)


def test_verify_finds_a_deadline_that_became_earlier(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    clock: time_machine.Traveller,
    island: Game,
    alice: User,
    mona: User,
) -> None:
    monkeypatch.setattr(LockedGame, "_announced", lambda *_args, **_more: None)
    more_time(island, mona)
    undo(island, alice)
    play_line(island, alice, "place 5 D5")
    with pytest.raises(CommandError):
        call_command("verify", island.public_id)
    assert "and then 2027-01-07 12:00:00+00:00 for the same question" in capsys.readouterr().out


def test_the_log_alone_gives_the_open_deadlines(
    clock: time_machine.Traveller, island: Game, alice: User, bob: User, mona: User
) -> None:
    more_time(island, mona)
    undo(island, alice)
    clock.shift(HOUR)
    play_line(island, alice, "place 5 D5")
    *_before, last = (one for one in announced(log_of(island)) if one.seat == 1)
    assert (last.user, last.due) == (bob.pk, due(island, 1))
