"""Reminders: at half of the time, a day before the end and in the last tenth, and by day."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.clock import Calendar, QuietHours, Reminder, after_quiet, next_reminder
from tests.clock.calendars import calendars, moments

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
START = datetime(2027, 1, 1, 12, tzinfo=UTC)
ALL = ("half", "day", "last")


def reminders(
    start: datetime, due: datetime, calendar: Calendar, wanted: tuple[str, ...]
) -> list[Reminder]:
    at, found = start, []
    while (one := next_reminder(start, due, at, calendar, wanted)) is not None:
        found.append(one)
        at = one.at
    return found


@pytest.mark.parametrize(
    ("pace", "hours"),
    [(1, [12]), (2, [24]), (3, [36, 48]), (5, [60, 96]), (7, [84, 144]), (14, [168, 312])],
)
def test_reminders_come_at_half_of_the_time_and_a_day_before(pace: int, hours: list[int]) -> None:
    found = reminders(START, START + pace * DAY, Calendar(ZoneInfo("UTC")), ("half", "day"))
    assert [(one.at - START) / HOUR for one in found] == hours


def test_a_player_who_wants_it_is_reminded_in_the_last_tenth_of_a_long_turn() -> None:
    found = reminders(START, START + 5 * DAY, Calendar(ZoneInfo("UTC")), ALL)
    assert [one.which for one in found] == ["half", "day", "last"]
    short = reminders(START, START + 2 * DAY, Calendar(ZoneInfo("UTC")), ALL)
    assert "last" not in [one.which for one in short]


def test_a_reminder_of_the_night_comes_in_the_morning() -> None:
    calendar = Calendar(ZoneInfo("UTC"), quiet=QuietHours(22, 7))
    (first, _second) = reminders(START, START + 3 * DAY, calendar, ("half", "day"))
    assert first.at == START + 36 * HOUR + 7 * HOUR  # at midnight it would have been


def test_a_reminder_that_would_be_too_late_in_the_morning_comes_at_night() -> None:
    calendar = Calendar(ZoneInfo("UTC"), quiet=QuietHours(22, 7))
    due = datetime(2027, 1, 2, 7, tzinfo=UTC)
    (only,) = reminders(START + 8 * HOUR, due, calendar, ("half",))
    assert only.at < due


@given(
    moments,
    st.integers(1, 14 * 24),
    st.sets(st.sampled_from(ALL)),
    st.data(),
)
def test_each_reminder_comes_once_in_time_and_by_day(
    start: datetime, hours: int, wanted: set[str], data: st.DataObject
) -> None:
    calendar, due = data.draw(calendars(start)), start + hours * HOUR
    found = reminders(start, due, calendar, tuple(wanted))
    assert len({one.which for one in found}) == len(found) <= len(wanted)
    assert all(start < one.at < due for one in found)
    for one in found:
        awake = after_quiet(one.at, calendar.quiet, calendar.zone)
        assert awake == one.at or awake >= due
