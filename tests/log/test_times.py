"""The times of a log never decrease, and clocks are charged by them."""

import random
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core.management import call_command
from django.utils import timezone

from games import selectors, services
from games.models import Game, User, database_clock
from games.rules.replay import check
from tests.factories import fresh, log_of, play_one, table_of
from tests.second_checker import record as second
from tests.support.escape_games import escape_table, play_line
from tests.support.lengths import by_length

pytestmark = pytest.mark.django_db

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
FRIDAY = datetime(2027, 1, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def clock_that_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_clock, "now", timezone.now)


def test_a_move_after_a_sweep_began_is_not_followed_by_an_earlier_event(
    alice: User, bob: User
) -> None:
    """Alice moves while the sweep is at other games; then it finds that Bob is away from it."""
    with time_machine.travel(FRIDAY, tick=False) as clock:
        game = table_of(alice, bob, pace_days=1)
        clock.move_to(FRIDAY + 3 * HOUR)
        began = database_clock.now()
        clock.shift(timedelta(seconds=8))
        play_one(game)
        services.absence_enter(user=bob, first=began.date(), last=began.date() + DAY, now=began)
        times = [entry.at for entry in log_of(game).entries]
    assert times == sorted(times)
    assert fresh(game).last_event_at == times[-1]
    call_command("verify", game.public_id)


def test_orders_are_in_the_order_of_their_times_and_no_event_depends_on_them(
    alice: User, bob: User, mona: User
) -> None:
    """Bob leaves two orders by processes whose clocks differ; then the game ends by a third."""
    with time_machine.travel(FRIDAY, tick=False) as clock:
        game = escape_table(alice, bob)
        for line, seconds in (("standing shark always", 9), ("plan coast", -3)):
            clock.shift(timedelta(seconds=seconds))
            play_line(game, bob, line)
        clock.shift(timedelta(seconds=-3))
        services.moderate_abort(game_id=game.pk, ruling=services.Ruling(mona, "enough"))
    log = log_of(game)
    assert [order.at for order in log.orders] == [FRIDAY + timedelta(seconds=9)] * 2
    assert log.entries[-1].at == FRIDAY + timedelta(seconds=3)
    lines = list(selectors.record_lines(fresh(game)))
    (checked,) = check(lines)
    assert checked.fair
    assert second.check([line.encode() for line in lines]) == [0]


def test_a_clock_that_was_wrong_moves_no_later_deadline(alice: User, bob: User) -> None:
    """PostgreSQL's clock was a year ahead when Alice moved, and has been set back since."""
    with time_machine.travel(FRIDAY, tick=False) as clock:
        game = table_of(alice, bob, pace_days=1)
        clock.move_to(FRIDAY + 365 * DAY)
        play_one(game)
        clock.move_to(FRIDAY + HOUR)
        play_one(game)
        assert game.seats.get(user=alice).due_at == FRIDAY + HOUR + DAY


@pytest.mark.long
@pytest.mark.parametrize("number", range(by_length(2, 20)))
def test_whatever_happens_with_sweeps_that_began_before(
    alice: User, bob: User, mona: User, number: int
) -> None:
    """Each deadline and each time bank is what the times of the log make of it."""
    chosen = random.Random(number)
    with time_machine.travel(FRIDAY, tick=False) as clock:
        policy = chosen.choice((Game.TimeoutPolicy.MOVE, Game.TimeoutPolicy.WAIT))
        game = table_of(alice, bob, pace_days=1, bank_days=1, timeout_policy=policy)
        for _step in range(by_length(12, 30)):
            began = database_clock.now()
            clock.shift(timedelta(seconds=chosen.randint(0, 10)))
            if fresh(game).status != Game.Status.RUNNING:
                break
            match chosen.choice(("move", "extend", "wait", "away")):
                case "move":
                    play_one(game)
                case "extend":
                    services.moderate_extend(
                        game_id=game.pk, days=1, ruling=services.Ruling(mona, "late")
                    )
                case "away":
                    away(chosen.choice((alice, bob)), began)
                case "wait":
                    clock.shift(chosen.choice((HOUR, DAY, 3 * DAY)))
            services.deadline_check(now=began)
            call_command("verify", game.public_id)
        times = [entry.at for entry in log_of(game).entries]
    assert times == sorted(times)


def away(user: User, began: datetime) -> None:
    """This player enters a day of absence, unless they have; the request began then."""
    with suppress(services.ServiceError):
        services.absence_enter(user=user, first=began.date(), last=began.date(), now=began)
