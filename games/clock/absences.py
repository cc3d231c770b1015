"""Absences: whole days on which a person's clock stands still, and how many there may be."""

from collections.abc import Iterable
from datetime import date, timedelta
from zoneinfo import ZoneInfo

import msgspec

from .calendar import DAY, Interval, days

MOST_DAYS = 30  # of absence …
PERIOD = timedelta(days=365)  # … in any time of this length


class Absence(msgspec.Struct, frozen=True, order=True):
    """From `first` to `last`, both included; none where `last` is earlier, after it was withdrawn.

    counted: the last day that counts, which stays where the absence moved a deadline and then
    ended early. moved: whether it moved one.
    """

    first: date
    last: date
    counted: date
    moved: bool = False

    def interval(self, zone: ZoneInfo) -> Interval:
        """The same as moments there."""
        return days(self.first, self.last, zone)


def is_too_much(absences: Iterable[Absence]) -> bool:
    """Return whether there are more than MOST_DAYS in any PERIOD."""
    counted = sorted(
        {
            one.first + number * DAY
            for one in absences
            for number in range((one.counted - one.first).days + 1)
        }
    )
    too_many = zip(counted, counted[MOST_DAYS:], strict=False)
    return any(last - first < PERIOD for first, last in too_many)
