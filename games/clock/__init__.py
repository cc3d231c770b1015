"""Time control: when a turn must be made, when to remind of it, and why then.

Pure: no Django, no database, and no clock. The present, time zones and calendars are arguments. No
other code adds time to a deadline.
"""

from .calendar import Calendar, Interval, QuietHours, after_quiet, next_hour
from .deadlines import (
    LONG_TURN,
    Code,
    Deadline,
    Reminder,
    Step,
    at_least,
    deadline,
    extended,
    in_seconds,
    late_reminder,
    next_reminder,
    recomputed,
    remaining,
    returned,
    shifted,
    stopped,
)

__all__ = [
    "LONG_TURN",
    "Calendar",
    "Code",
    "Deadline",
    "Interval",
    "QuietHours",
    "Reminder",
    "Step",
    "after_quiet",
    "at_least",
    "deadline",
    "extended",
    "in_seconds",
    "late_reminder",
    "next_hour",
    "next_reminder",
    "recomputed",
    "remaining",
    "returned",
    "shifted",
    "stopped",
]
