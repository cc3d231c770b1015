"""While the service is down, no time passes for anybody, and nothing is counted twice."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.core.management import call_command

from games import selectors, services, tasks
from games.log import table_events
from games.mail import transport_state
from games.mail.transport_state import Lane
from games.models import Game, Outage, Seat, User, database_clock
from games.rules import replay
from tests.factories import fresh, log_of, play_one, play_to_the_end, seats_of, table_of

pytestmark = pytest.mark.django_db

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
START = datetime(2027, 1, 4, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(database_clock, "now", lambda: datetime.now(UTC))
    with time_machine.travel(START, tick=False) as traveller:
        yield traveller


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    """Alice has three days from START, and the service works."""
    services.in_service(now=START)
    return table_of(alice, bob, timeout_policy=Game.TimeoutPolicy.MOVE)


def due(game: Game, number: int = 0) -> datetime:
    at = Seat.objects.get(game=game, number=number).due_at
    assert at is not None
    return at


def moved(game: Game) -> list[table_events.Event]:
    return [
        e.event for e in log_of(game).entries if isinstance(e.event, table_events.DeadlineMoved)
    ]


def test_a_deadline_that_passed_in_an_outage_has_not_passed(game: Game, clock: Any) -> None:
    clock.move_to(START + 4 * DAY)
    tasks.deadlines()
    assert due(game) == START + 7 * DAY
    assert moved(game) == [table_events.DeadlineMoved(seat=0, code="outage", seconds=4 * 86400)]
    call_command("verify", game.public_id)


def test_two_tasks_at_once_record_one_outage(game: Game, clock: Any) -> None:
    clock.move_to(START + HOUR)
    for _beat in range(2):
        tasks.deadlines()
    assert Outage.objects.count() == 1
    assert due(game) == START + 3 * DAY + HOUR


def test_a_clock_that_jumps_there_and_back_and_there_counts_once(game: Game, clock: Any) -> None:
    for step in (HOUR, MINUTE, HOUR, 0 * HOUR, HOUR + MINUTE):
        clock.move_to(START + step)
        tasks.deadlines()
    assert Outage.objects.count() == 1
    assert due(game) == START + 3 * DAY + HOUR


def test_a_short_gap_moves_nothing(game: Game, clock: Any) -> None:
    clock.move_to(START + 10 * MINUTE)
    tasks.deadlines()
    assert not Outage.objects.exists()
    assert due(game) == START + 3 * DAY


def test_a_turn_that_began_in_the_outage_moves_by_the_rest_of_it(game: Game, clock: Any) -> None:
    clock.move_to(START + HOUR)  # the page works, while no worker does
    play_one(game)
    clock.move_to(START + 3 * HOUR)
    tasks.deadlines()
    assert due(game, 1) == START + HOUR + 3 * DAY + 2 * HOUR


def test_a_move_after_an_outage_says_it_for_those_who_still_wait(game: Game, clock: Any) -> None:
    Outage.objects.create(starts=START + HOUR, ends=START + 2 * HOUR)
    clock.move_to(START + 3 * HOUR)
    play_one(game)
    assert moved(game) == []  # Alice's time is over, Bob's began later
    assert fresh(game).outage_id == Outage.objects.get().pk
    assert services.outages_apply(now=START + 3 * HOUR) == 0


def test_while_the_mail_server_is_away_no_deadline_passes(game: Game, clock: Any) -> None:
    clock.move_to(START + 2 * DAY)
    services.in_service(now=START + 2 * DAY)
    Outage.objects.all().delete()
    transport_state.close(Lane.BULK, "it is away", refused=False)
    clock.move_to(START + 4 * DAY)
    tasks.deadlines()
    assert due(game) == START + 3 * DAY
    assert moved(game) == []
    transport_state.reopen(Lane.BULK)
    tasks.deadlines()
    assert due(game) == START + 5 * DAY
    assert Outage.objects.count() == 1


def test_the_page_says_why_and_the_record_replays(game: Game, clock: Any) -> None:
    clock.move_to(START + HOUR)
    tasks.deadlines()
    lines = selectors.deadline_lines(log_of(game), seats_of(game)[0])
    assert lines[1].replace("\xa0", " ") == "this service was not available: +1 hour"
    play_to_the_end(game)
    call_command("verify", game.public_id)
    (checked,) = replay.check(selectors.record_lines(fresh(game)))
    assert checked.fair
