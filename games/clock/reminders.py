"""When to remind a player of a turn."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Literal

import msgspec

from .calendar import Calendar, after_quiet

# Stored with queued emails: never rename one.
Which = Literal["half", "day", "last"]

DAY = timedelta(days=1)
LONG_TURN = timedelta(days=3)  # from this length on, a turn has a last tenth worth a reminder


class Reminder(msgspec.Struct, frozen=True):
    """When to remind, and of what: half of the time is over, a day is left, a tenth is left."""

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
    """When to remind a player who is late again: in a day, outside of quiet hours."""
    return after_quiet(now + DAY, calendar.quiet, calendar.zone)


def _moment(reminder: Reminder) -> datetime:
    return reminder.at


def _awake(at: datetime, due: datetime, calendar: Calendar) -> datetime:
    later = after_quiet(at, calendar.quiet, calendar.zone)
    return later if later < due else at
