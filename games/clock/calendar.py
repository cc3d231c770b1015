"""The time of one person that counts at one table: not weekends, absences and quiet hours.

An absence is whole days on which a person's clock stands still.

Moments are aware datetimes and come back in UTC: sums of moments in a zone of zoneinfo would count
hours of its wall clocks.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Self
from zoneinfo import ZoneInfo

import msgspec

SATURDAY = 5  # date.weekday()
DAY = timedelta(days=1)
MOST_DAYS = 30  # of absence …
PERIOD = timedelta(days=365)  # … in any time of this length


class Interval(msgspec.Struct, frozen=True, order=True):
    """The time from `start` up to and without `end`."""

    start: datetime
    end: datetime


class QuietHours(msgspec.Struct, frozen=True):
    """Full hours of the person's clock, 0 to 23: from `start`, up to and without `end`."""

    start: int
    end: int


class Calendar(msgspec.Struct, frozen=True):
    """The times at which a person's clock runs at a table.

    weekends_off: Saturday and Sunday do not count. absences: times that do not count, in any order.
    """

    zone: ZoneInfo
    weekends_off: bool = False
    quiet: QuietHours | None = None
    absences: tuple[Interval, ...] = ()

    def advance(self, start: datetime, amount: timedelta) -> datetime:
        """The moment at which `amount` of time that counts has passed since `start`."""
        at, left = start.astimezone(UTC), amount
        while True:
            end = self._off_until(at)
            if end is not None:
                at = end
                continue
            stop = self._next_off(at)
            if stop is None or at + left <= stop:
                return at + left
            left -= stop - at
            at = stop

    def counted(self, start: datetime, end: datetime) -> timedelta:
        """Return the time that counts between two moments; zero if `end` is not the later one."""
        at, end = start.astimezone(UTC), end.astimezone(UTC)
        total = timedelta()
        while at < end:
            off = self._off_until(at)
            if off is not None:
                at = off
                continue
            stop = min(self._next_off(at) or end, end)
            total += stop - at
            at = stop
        return total

    def settled(self, at: datetime) -> datetime:
        """`at`, or the first moment after it that is neither quiet nor inside of time off.

        The moment at which time off begins is not inside of it: Friday ends at midnight.
        """
        at = at.astimezone(UTC)
        while True:
            off = self._off_until(at, at_start=False)
            later = off if off is not None else after_quiet(at, self.quiet, self.zone)
            if later == at:
                return at
            at = later

    def without(self, *, weekends: bool = False, absences: bool = False) -> Self:
        """The same with these counted."""
        return msgspec.structs.replace(
            self,
            weekends_off=self.weekends_off and not weekends,
            absences=() if absences else self.absences,
        )

    def _off_until(self, at: datetime, *, at_start: bool = True) -> datetime | None:
        """The end of time off that `at` lies in; None if it lies in none. at_start: also where it
        begins at `at`."""
        for absence in self.absences:
            if absence.start <= at < absence.end and (at_start or absence.start < at):
                return absence.end.astimezone(UTC)
        if not self.weekends_off:
            return None
        local = at.astimezone(self.zone)
        if local.weekday() < SATURDAY:
            return None
        saturday = local.date() - (local.weekday() - SATURDAY) * DAY
        if not at_start and at == midnight(saturday, self.zone):
            return None
        monday = saturday + 2 * DAY
        end = midnight(monday, self.zone)
        # Where clocks go back over midnight, Monday begins twice.
        return end if end > at else midnight(monday, self.zone, again=True)

    def _next_off(self, at: datetime) -> datetime | None:
        """Return the start of the next time off after `at`, which lies in none; None for never."""
        starts = [absence.start.astimezone(UTC) for absence in self.absences if absence.start > at]
        if self.weekends_off:
            today = at.astimezone(self.zone).date()
            saturday = today + (SATURDAY - today.weekday()) % 7 * DAY
            starts.append(max(at, midnight(saturday, self.zone)))
        return min(starts, default=None)


def midnight(day: date, zone: ZoneInfo, *, again: bool = False) -> datetime:
    """Return the start of this day in this zone, in UTC. If clocks skip midnight, that moment."""
    return datetime.combine(day, time(fold=again), zone).astimezone(UTC)


def days(first: date, last: date, zone: ZoneInfo) -> Interval:
    """These whole days there, the last one included."""
    return Interval(midnight(first, zone), midnight(last + DAY, zone))


def after_quiet(at: datetime, quiet: QuietHours | None, zone: ZoneInfo) -> datetime:
    """`at`, or the end of the quiet hours that it falls into."""
    if quiet is None:
        return at
    hour = at.astimezone(zone).hour
    if quiet.start < quiet.end:
        inside = quiet.start <= hour < quiet.end
    else:
        inside = hour >= quiet.start or hour < quiet.end
    return next_hour(quiet.end, at, zone) if inside else at


def next_hour(hour: int, at: datetime, zone: ZoneInfo) -> datetime:
    """Return when clocks in this zone next show this full hour, after `at`; in the zone of `at`."""
    day = at.astimezone(zone).date()
    for later in range(3):
        found = datetime.combine(day + later * DAY, time(hour), zone).astimezone(at.tzinfo)
        if found > at:
            return found
    raise AssertionError("every day has this hour")


class Absence(msgspec.Struct, frozen=True, order=True):
    """The days from `first` to `last`, both included; none where `last` is earlier, after it was
    withdrawn.

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
