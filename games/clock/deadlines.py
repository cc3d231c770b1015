"""Deadlines: how they follow from time control and calendars, step by step; and reminders.

A deadline starts as the time per move after the question. Each step moves it to later, by whole
seconds and for one reason; the steps are in the log of the game, and their sum is the deadline. No
step is negative, so a deadline that was announced never moves to earlier.
"""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta
from typing import Literal

import msgspec

from .calendar import Calendar, Interval, after_quiet

# Why a deadline moves. Stored in logs: never rename one.
Code = Literal[
    "weekend", "absence", "bank", "quiet", "pause", "outage", "moderator", "given", "announced"
]

RETURNED = 10  # moves in time that fill an empty bank

_SECOND = timedelta(seconds=1)

# Stored with queued emails: never rename one.
Which = Literal["half", "day", "last"]

DAY = timedelta(days=1)
LONG_TURN = timedelta(days=3)  # from this length on, a turn has a last tenth worth a reminder


class Step(msgspec.Struct, frozen=True):
    """The deadline moves to later by these seconds, for this reason."""

    code: Code
    seconds: int


class Deadline(msgspec.Struct, frozen=True):
    """The end of the time, and the steps that led there from an earlier moment."""

    due: datetime
    steps: tuple[Step, ...] = ()


def deadline(
    start: datetime,
    base: timedelta,
    calendar: Calendar,
    bank: timedelta = timedelta(),
    announced: datetime | None = None,
) -> Deadline:
    """The deadline of a question that is asked at `start`.

    base: the time per move. bank: what the seat has left in its time bank. announced: the latest
    deadline that its player was given for this question before. The steps lead from start + base.
    """
    weekends = calendar.without(absences=True)
    return _steps(
        start + base,
        ("weekend", weekends.advance(start, base)),
        ("absence", calendar.advance(start, base)),
        ("bank", found := calendar.advance(start, base + bank)),
        ("quiet", calendar.settled(found)),
        ("announced", announced or start),
    )


def stopped(due: datetime, still: Interval, calendar: Calendar, code: Code) -> Deadline:
    """The deadline of a clock that stands still for an interval; the steps lead from `due`.

    calendar: what else does not count; if it contains the interval itself, that is no double count.
    """
    if still.start >= due or still.start >= still.end:
        return Deadline(due)
    before = calendar
    if code == "absence":  # what was announced counted this time
        others = tuple(one for one in calendar.absences if one.end != still.end)
        before = msgspec.structs.replace(calendar, absences=others)
    left = before.counted(still.start, due)
    later = calendar.advance(still.end, left)
    if code == "pause":  # an absence that was entered in the pause takes nothing of the time
        later = max(later, due + (still.end - still.start))
    return _steps(due, (code, later), ("quiet", calendar.settled(max(later, due))))


def shifted(due: datetime, still: Interval, code: Code) -> Deadline:
    """A deadline that had passed before the clock stood still: it moves by the whole interval."""
    return _steps(due, (code, due + (still.end - still.start)))


def extended(
    due: datetime, more: timedelta, now: datetime, calendar: Calendar, code: Code = "moderator"
) -> Deadline:
    """The deadline with this much more time, counted from now where it has passed; the steps lead
    from `due`."""
    later = calendar.advance(max(due, now), more)
    return _steps(due, (code, later), ("quiet", calendar.settled(later)))


def at_least(due: datetime, rest: timedelta, now: datetime, calendar: Calendar) -> Deadline:
    """The deadline that leaves this much time from now on, of a player who ended an absence early;
    the steps lead from `due`."""
    later = now.astimezone(UTC) + rest
    if later <= due:
        return Deadline(due)
    return _steps(due, ("absence", later), ("quiet", calendar.settled(later)))


def remaining(bank: timedelta, begins: datetime, now: datetime, calendar: Calendar) -> timedelta:
    """The rest of a time bank, used from `begins` on, after a turn that is made now."""
    used = calendar.counted(begins, now)
    return max(bank - in_seconds(used) * _SECOND, timedelta())


def returned(bank: timedelta, full: timedelta) -> timedelta:
    """A time bank after a move that was made in time: a tenth of it returns."""
    return min(full, bank + full / RETURNED)


def recomputed(start: datetime, base: timedelta, steps: Iterable[Step]) -> datetime:
    """The deadline to which these steps lead."""
    return start + base + sum(step.seconds for step in steps) * _SECOND


def in_seconds(time: timedelta) -> int:
    """Whole seconds, rounded up."""
    return -(-time // _SECOND)


def _steps(start: datetime, *stages: tuple[Code, datetime]) -> Deadline:
    """The steps from `start` by way of these moments; one that is not later is no step."""
    start, total, steps = start.astimezone(UTC), 0, list[Step]()
    for code, moment in stages:
        seconds = in_seconds(moment - start)
        if seconds > total:
            steps.append(Step(code, seconds - total))
            total = seconds
    return Deadline(start + total * _SECOND, tuple(steps))


class Reminder(msgspec.Struct, frozen=True):
    """The time and the kind of a reminder: half of the time is over, a day or a tenth is left."""

    at: datetime
    which: Which


def next_reminder(
    start: datetime,
    due: datetime,
    now: datetime,
    calendar: Calendar,
    wanted: Collection[str],
) -> Reminder | None:
    """The first wanted reminder after `now` of a turn that began at `start`; None for no more.

    One that falls into quiet hours comes at their end, unless that would be too late.
    """
    moments: list[tuple[datetime, Which]] = [
        (start + (due - start) / 2, "half"),
        (due - DAY, "day"),
    ]
    if due - start >= LONG_TURN:
        moments.append((due - (due - start) / 10, "last"))
    found = [
        Reminder(_awake(at, due, calendar), which)
        for at, which in moments
        if which in wanted and at > start
    ]
    # Of two that quiet hours bring to the same moment, the later one is of use.
    return min((one for one in reversed(found) if one.at > now), key=_moment, default=None)


def late_reminder(now: datetime, calendar: Calendar) -> datetime:
    """Return when to remind a player who is late again: in a day, outside of quiet hours."""
    return after_quiet(now + DAY, calendar.quiet, calendar.zone)


def _moment(reminder: Reminder) -> datetime:
    return reminder.at


def _awake(at: datetime, due: datetime, calendar: Calendar) -> datetime:
    later = after_quiet(at, calendar.quiet, calendar.zone)
    return later if later < due else at
