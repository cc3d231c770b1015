"""Deadlines and reminders: sent once, in time, and never about a turn that is over."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import time_machine
from django.utils import timezone

from games import services, tasks
from games.log import table_events
from games.models import Game, Outage, OutboxMail, Seat, User
from tests.factories import due, fresh, log_of, play_one, table_of

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    """Two people, three days a move; Alice is asked."""
    return table_of(alice, bob, pace_days=3)


def seat(game: Game, number: int = 0) -> Seat:
    return Seat.objects.get(game=game, number=number)


def reminders(game: Game) -> list[str]:
    mails = OutboxMail.objects.filter(game=game, kind="reminder").order_by("pk")
    return [mail.context["which"] for mail in mails]


# -- deadlines -----------------------------------------------------------------------------------


def test_nothing_happens_before_the_deadline(game: Game) -> None:
    assert services.deadline_check(now=due(game) - HOUR) == 0
    assert fresh(game).version == game.version


def test_a_passed_deadline_is_in_the_log_once(game: Game) -> None:
    assert services.deadline_check(now=due(game) + HOUR) == 1
    assert services.deadline_check(now=due(game) + 2 * HOUR) == 0
    events = [entry.event for entry in log_of(game).entries]
    assert events.count(table_events.TimedOut(seat=0)) == 1
    assert seat(game).overdue


def test_everybody_is_notified_of_a_passed_deadline_once(
    game: Game, alice: User, bob: User
) -> None:
    for hours in range(3):
        services.deadline_check(now=due(game) + hours * HOUR)
    emails = OutboxMail.objects.filter(game=game, kind="deadline")
    assert sorted(mail.to_address for mail in emails) == [alice.email, bob.email]
    assert {mail.context["late"] for mail in emails} == {0}


def test_after_the_deadline_one_may_still_move(game: Game) -> None:
    services.deadline_check(now=due(game) + HOUR)
    play_one(game)
    assert fresh(game).to_act == [1]
    assert not seat(game).overdue


def test_a_form_that_was_open_when_the_deadline_passed_is_still_good(
    game: Game, alice: User
) -> None:
    from tests.factories import some_move

    number, command = some_move(game)
    services.deadline_check(now=due(game) + HOUR)
    services.game_play(
        game_id=game.pk, user=alice, seat=number, command=command, version=game.version
    )
    assert fresh(game).to_act == [1]


def test_the_next_deadline_of_the_same_seat_is_announced_again(game: Game) -> None:
    services.deadline_check(now=due(game) + HOUR)
    play_one(game)
    play_one(game)
    assert services.deadline_check(now=due(game) + HOUR) == 1
    events = [entry.event for entry in log_of(game).entries]
    assert events.count(table_events.TimedOut(seat=0)) == 2


def test_no_deadline_passes_in_a_pause(game: Game, mona: User) -> None:
    late = due(game) + 10 * DAY
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "x"))
    assert services.deadline_check(now=late) == 0
    assert services.reminders_due(now=late) == 0


def test_no_deadline_passes_when_the_game_is_over(game: Game, mona: User) -> None:
    late = due(game) + 10 * DAY
    services.moderate_abort(game_id=game.pk, ruling=services.Ruling(mona, "x"))
    assert services.deadline_check(now=late) == 0


def test_bots_are_never_late(alice: User) -> None:
    game = table_of(alice, bots=1)
    play_one(game)
    assert services.deadline_check(now=timezone.now() + 100 * DAY) == 0


# -- reminders -----------------------------------------------------------------------------------


def test_a_reminder_comes_at_half_of_the_time_and_one_a_day_before(game: Game) -> None:
    end = due(game)
    for hours in range(72):
        services.reminders_due(now=end - 3 * DAY + hours * HOUR)
    assert reminders(game) == ["half", "day"]


def test_no_reminder_comes_twice(game: Game) -> None:
    half = due(game) - 36 * HOUR
    assert services.reminders_due(now=half + HOUR) == 1
    assert services.reminders_due(now=half + HOUR) == 0
    assert reminders(game) == ["half"]


def test_no_reminder_comes_again_in_another_time_zone(game: Game, alice: User, mona: User) -> None:
    half = due(game) - 36 * HOUR
    night = {"quiet_from": (half.hour + 2) % 24, "quiet_until": (half.hour + 6) % 24}
    User.objects.filter(pk=alice.pk).update(time_zone="UTC", **night)
    assert services.reminders_due(now=half + HOUR) == 1
    User.objects.filter(pk=alice.pk).update(
        time_zone="Etc/GMT-3"
    )  # where half of the time is over at night
    services.moderate_extend(game_id=game.pk, days=1, ruling=services.Ruling(mona, "a storm"))
    for hours in range(0, 100, 2):
        services.reminders_due(now=half + hours * HOUR)
    assert reminders(game) == ["half", "day"]


def test_after_a_sleep_of_the_service_one_reminder_is_enough(game: Game) -> None:
    services.reminders_due(now=due(game) - HOUR)
    services.reminders_due(now=due(game) - HOUR)
    assert len(reminders(game)) == 1


def test_whose_time_is_over_is_not_reminded(game: Game) -> None:
    assert services.reminders_due(now=due(game) + HOUR) == 0
    assert reminders(game) == []


def test_a_player_who_has_moved_is_not_reminded(game: Game, alice: User) -> None:
    half = due(game) - 36 * HOUR
    play_one(game)
    services.reminders_due(now=half + HOUR)
    assert not OutboxMail.objects.filter(kind="reminder", user=alice).exists()


def test_with_more_time_reminders_come_later(game: Game, mona: User) -> None:
    end = due(game)
    services.moderate_extend(game_id=game.pk, days=7, ruling=services.Ruling(mona, "x"))
    assert services.reminders_due(now=end - 30 * HOUR) == 0
    assert services.reminders_due(now=end + 6 * DAY + HOUR) == 1
    assert len(reminders(game)) == 1


def test_everybody_chooses_which_reminders_come(game: Game, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(remind_half=False, remind_last=True)
    play_one(game)
    play_one(game)  # Alice is asked again
    end = due(game)
    for hours in range(73):
        services.reminders_due(now=end - 3 * DAY + hours * HOUR)
    mails = OutboxMail.objects.filter(game=game, kind="reminder", user=alice).order_by("pk")
    assert [mail.context["which"] for mail in mails] == ["day", "last"]


def test_a_reminder_that_is_no_longer_wanted_does_not_come(game: Game, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(remind_half=False, remind_day=False)
    assert services.reminders_due(now=due(game) - HOUR) == 0
    assert seat(game).remind_at is None


# -- the clock that decides ----------------------------------------------------------------------


@pytest.mark.parametrize("step", [-30 * DAY, 30 * DAY])
def test_a_machine_whose_clock_was_set_changes_nothing(game: Game, step: timedelta) -> None:
    """The time by PostgreSQL decides."""
    tasks.deadlines()
    with time_machine.travel(datetime.now(UTC) + step):
        tasks.deadlines()
        tasks.reminders()
    assert not OutboxMail.objects.filter(game=game, kind__in=("deadline", "reminder")).exists()
    assert not Seat.objects.filter(overdue=True).exists()
    assert not Outage.objects.exists()
    assert "table.timed_out" not in [entry.kind for entry in log_of(game).entries]


def test_nothing_that_decides_about_deadlines_asks_the_clock_of_the_machine() -> None:
    games = Path(services.__file__).parents[1]
    names = "absences bots deadlines lobby locked_game moderation moves new_tables seat_clocks"
    paths = [
        games / "services" / f"{name}.py"
        for name in (*names.split(), "seats", "sweeps", "timeouts")
    ]
    for path in (*paths, games / "tasks.py", games / "database_deadline.py"):
        asked = re.search(r"\b(timezone|datetime|date|time)\.(now|today|time)\(", path.read_text())
        assert asked is None, path.name
