"""Deadlines: what time control and calendars make of a turn, everywhere and on every day."""

import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from games import clock
from games.clock import Calendar, Interval, QuietHours, Step
from games.clock.calendar import days
from tests.clock.calendars import (
    DAY,
    HOUR,
    calendars,
    intervals,
    moments,
)

BERLIN = ZoneInfo("Europe/Berlin")


paces = st.sampled_from([HOUR, 12 * HOUR, DAY, 2 * DAY, 3 * DAY, 7 * DAY, 14 * DAY])
banks = st.integers(0, 14).map(lambda n: n * DAY)


@st.composite
def turns(draw: st.DrawFn) -> tuple[datetime, timedelta, timedelta, Calendar]:
    start = draw(moments)
    return start, draw(paces), draw(banks), draw(calendars(start))


Turn = tuple[datetime, timedelta, timedelta, Calendar]


def is_quiet(at: datetime, calendar: Calendar) -> bool:
    return clock.after_quiet(at, calendar.quiet, calendar.zone) != at


# -- single cases --------------------------------------------------------------------------------


def friday(hour: int, minute: int = 0) -> datetime:
    return datetime(2027, 1, 1, hour, minute, tzinfo=BERLIN)


def test_without_anything_else_the_deadline_is_the_time_per_move() -> None:
    found = clock.deadline(friday(18, 23), 3 * DAY, Calendar(BERLIN))
    assert found.due == friday(18, 23) + 3 * DAY
    assert found.steps == ()


def test_weekends_and_an_absence_are_left_out_and_the_steps_say_so() -> None:
    away = days(date(2027, 1, 5), date(2027, 1, 9), BERLIN)
    calendar = Calendar(BERLIN, weekends_off=True, absences=(away,))
    found = clock.deadline(friday(18, 23), 3 * DAY, calendar)
    # 5:37 hours of Friday, then Monday, and from Monday the 11th on the rest.
    assert found.due == datetime(2027, 1, 12, 18, 23, tzinfo=BERLIN)
    assert found.steps == (Step("weekend", 2 * 86400), Step("absence", 6 * 86400))


def test_a_deadline_at_night_moves_to_the_end_of_quiet_hours() -> None:
    calendar = Calendar(BERLIN, quiet=QuietHours(22, 7))
    found = clock.deadline(friday(23, 30), DAY, calendar)
    assert found.due == datetime(2027, 1, 3, 7, tzinfo=BERLIN)
    assert found.steps == (Step("quiet", 27000),)


def test_a_day_of_twenty_three_hours_is_no_shorter_for_the_player() -> None:
    before = datetime(2027, 3, 27, 12, tzinfo=BERLIN)  # clocks go forward in the following night
    found = clock.deadline(before, DAY, Calendar(BERLIN))
    assert found.due - before.astimezone(UTC) == DAY
    assert found.due.astimezone(BERLIN).hour == 13


def test_a_weekend_lasts_from_midnight_to_midnight_where_clocks_change() -> None:
    before = datetime(2027, 3, 26, 12, tzinfo=BERLIN)
    found = clock.deadline(before, DAY, Calendar(BERLIN, weekends_off=True))
    assert found.due.astimezone(BERLIN) == datetime(2027, 3, 29, 12, tzinfo=BERLIN)
    assert found.steps == (Step("weekend", 47 * 3600),)


def test_the_saturday_that_kwajalein_left_out_takes_no_time() -> None:
    zone = ZoneInfo("Pacific/Kwajalein")
    before = datetime(1993, 8, 20, 12, tzinfo=zone)
    found = clock.deadline(before, DAY, Calendar(zone, weekends_off=True))
    assert found.steps == (Step("weekend", 86400),)


@pytest.mark.parametrize("days_off", [0, 2])
def test_a_pause_takes_nothing_from_the_time_that_is_left(days_off: int) -> None:
    due, pause = friday(12) + DAY, Interval(friday(12), friday(12) + 9 * DAY)
    calendar = Calendar(BERLIN, weekends_off=bool(days_off))
    found = clock.stopped(due, pause, calendar, "pause")
    left = calendar.counted(pause.start, due)
    assert calendar.counted(pause.end, found.due) == left


def test_a_clock_that_stands_still_after_the_deadline_changes_nothing() -> None:
    later = Interval(friday(12), friday(13))
    assert clock.stopped(friday(12), later, Calendar(BERLIN), "outage").steps == ()


def test_more_time_counts_from_now_where_the_deadline_has_passed() -> None:
    found = clock.extended(friday(8), 2 * DAY, friday(12), Calendar(BERLIN))
    assert found.due == friday(12) + 2 * DAY


def test_a_turn_within_the_time_per_move_uses_no_bank() -> None:
    found = clock.deadline(friday(12), DAY, Calendar(BERLIN), bank=2 * DAY)
    assert found.steps == (Step("bank", 2 * 86400),)
    for hours_used, left in ((20, 48), (24, 48), (30, 42), (72, 0), (90, 0)):
        now = friday(12) + hours_used * HOUR
        rest = clock.remaining(2 * DAY, friday(12) + DAY, now, Calendar(BERLIN))
        assert rest == left * HOUR


# -- what holds for all of them ------------------------------------------------------------------


@given(turns())
@example((datetime(2026, 10, 24, 23, 59, 59, 5, tzinfo=UTC), DAY, DAY, Calendar(BERLIN, True)))
def test_the_steps_lead_to_the_deadline_and_none_is_negative(turn: Turn) -> None:
    start, base, bank, calendar = turn
    found = clock.deadline(start, base, calendar, bank)
    assert clock.recomputed(start, base, found.steps) == found.due
    assert all(step.seconds > 0 for step in found.steps)
    assert found.due >= start + base


@given(turns())
def test_a_player_has_the_whole_time_that_counts(turn: Turn) -> None:
    start, base, bank, calendar = turn
    found = clock.deadline(start, base, calendar, bank)
    assert calendar.counted(start, found.due) >= base + bank


@given(turns())
def test_no_deadline_falls_into_quiet_hours_or_time_off(turn: Turn) -> None:
    start, base, bank, calendar = turn
    due = clock.deadline(start, base, calendar, bank).due
    if calendar.quiet is not None:
        assert not is_quiet(due, calendar)
    assert not any(away.start + timedelta(seconds=1) < due < away.end for away in calendar.absences)


@given(turns(), st.data())
def test_more_of_anything_never_leads_to_an_earlier_deadline(
    turn: Turn, data: st.DataObject
) -> None:
    start, base, bank, calendar = turn
    due = clock.deadline(start, base, calendar, bank).due
    more = data.draw(paces)
    away = data.draw(intervals(start))
    longer = Calendar(
        calendar.zone, calendar.weekends_off, calendar.quiet, (*calendar.absences, away)
    )
    weekends = Calendar(calendar.zone, True, calendar.quiet, calendar.absences)
    second = timedelta(seconds=1)  # steps are whole seconds
    assert clock.deadline(start, base + more, calendar, bank).due >= due - second
    assert clock.deadline(start, base, calendar, bank + more).due >= due
    assert clock.deadline(start + more, base, calendar, bank).due >= due - second
    assert clock.deadline(start, base, longer, bank).due >= due
    assert clock.deadline(start, base, weekends, bank).due >= due


@given(turns(), st.data())
def test_what_happens_later_never_moves_a_deadline_to_earlier(
    turn: Turn, data: st.DataObject
) -> None:
    """The person may move to another zone and change every preference in the meantime."""
    start, base, bank, calendar = turn
    due = clock.deadline(start, base, calendar, bank).due
    now = start
    for code in data.draw(
        st.lists(st.sampled_from(["absence", "pause", "outage", "more"]), max_size=4)
    ):
        calendar = data.draw(calendars(start))
        if code == "more":
            now += data.draw(paces)
            found = clock.extended(due, data.draw(paces), now, calendar)
        else:
            still = data.draw(intervals(start))
            found = clock.stopped(due, still, calendar, code)  # type: ignore[arg-type]
        assert found.due >= due
        assert found.due == due + sum(step.seconds for step in found.steps) * timedelta(seconds=1)
        due = found.due


@given(turns(), st.integers(-100, 1000))
def test_who_comes_back_early_has_a_day_that_does_not_end_at_night(turn: Turn, n: int) -> None:
    start, base, bank, calendar = turn
    due = clock.deadline(start, base, calendar, bank).due
    now = due + n * HOUR
    found = clock.at_least(due, DAY, now, calendar)
    assert found.due >= max(due, now + DAY)
    assert found.due == due + sum(step.seconds for step in found.steps) * timedelta(seconds=1)
    assert not found.steps or not is_quiet(found.due, calendar)


@given(turns(), st.data())
def test_a_clock_that_stood_still_loses_no_time(turn: Turn, data: st.DataObject) -> None:
    start, base, bank, calendar = turn
    due = clock.deadline(start, base, calendar, bank).due
    still = data.draw(intervals(start))
    found = clock.stopped(due, still, calendar, "outage")
    if still.start < due:
        before = calendar.counted(start, max(start, still.start))
        after = calendar.counted(max(still.end, start), found.due)
        assert before + after >= base + bank


@given(turns(), st.integers(0, 500))
def test_a_bank_never_grows_by_waiting_and_is_used_up_at_the_deadline(turn: Turn, n: int) -> None:
    start, base, bank, calendar = turn
    begins = clock.deadline(start, base, calendar).due
    now = start + n * HOUR
    rest = clock.remaining(bank, begins, now, calendar)
    assert timedelta() <= rest <= bank
    assert clock.remaining(bank, begins, now + HOUR, calendar) <= rest
    if calendar.quiet is None:
        due = clock.deadline(start, base, calendar, bank).due
        assert clock.remaining(bank, begins, due, calendar) <= timedelta(seconds=1)


def test_ten_moves_in_time_fill_an_empty_bank() -> None:
    bank = timedelta()
    for _move in range(10):
        bank = clock.returned(bank, 2 * DAY)
    assert bank == clock.returned(bank, 2 * DAY) == 2 * DAY


def test_no_line_of_the_module_asks_for_the_time() -> None:
    folder = Path(clock.__file__).parent
    for path in folder.glob("*.py"):
        assert not re.search(r"\.(now|utcnow|today)\(", path.read_text()), path.name


def test_no_other_module_adds_time_to_a_deadline_or_to_a_reminder() -> None:
    games = Path(clock.__file__).parents[1]
    for path in games.rglob("*.py"):
        if path.parent.name not in ("clock", "migrations"):
            text = path.read_text()
            assert not re.search(r"\b(due|due_at|remind_at) *\+=? ", text), path.name
