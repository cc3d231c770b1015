"""Two hundred people in thirty time zones: habits, nights, holidays, journeys, and some vanish."""

from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

from games.clock import Calendar, Interval, QuietHours
from games.clock.calendar import Absence, is_too_much

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
BEGIN = datetime(2027, 1, 1, tzinfo=UTC)
PEOPLE = 200
ZONES = tuple(
    ZoneInfo(name)
    for name in (
        "Europe/Berlin",
        "Europe/Paris",
        "Europe/London",
        "Europe/Lisbon",
        "Europe/Athens",
        "Europe/Moscow",
        "Africa/Cairo",
        "Africa/Lagos",
        "Africa/Nairobi",
        "Asia/Beirut",
        "Asia/Tehran",
        "Asia/Kabul",
        "Asia/Kolkata",
        "Asia/Kathmandu",
        "Asia/Yangon",
        "Asia/Bangkok",
        "Asia/Shanghai",
        "Asia/Tokyo",
        "Australia/Adelaide",
        "Australia/Sydney",
        "Australia/Lord_Howe",
        "Pacific/Chatham",
        "Pacific/Apia",
        "Pacific/Pago_Pago",
        "America/Anchorage",
        "America/Los_Angeles",
        "America/Denver",
        "America/New_York",
        "America/St_Johns",
        "America/Santiago",
    )
)


@dataclass(frozen=True)
class Holiday:
    """An absence, entered at a moment before it or on its first day. back_at: the person ends it
    then, before its last day; None for a person who stays away."""

    entered_at: datetime
    first: date
    last: date
    back_at: datetime | None


@dataclass(frozen=True)
class Person:
    """typical: hours until they move. late: how often they forget a turn. zones: from when on they
    are where. gone_at: they never come back after that. by_email: they answer emails with their
    moves; others use the page."""

    number: int
    typical: float
    late: float
    zones: tuple[tuple[datetime, ZoneInfo], ...]
    quiet: QuietHours | None
    wanted: tuple[str, ...]
    holidays: tuple[Holiday, ...]
    gone_at: datetime | None
    by_email: bool
    cache: dict[int, Calendar] = field(default_factory=dict, compare=False)

    @property
    def changes(self) -> list[datetime]:
        """When their calendar changes."""
        moments = [at for at, _zone in self.zones]
        for holiday in self.holidays:
            moments += [holiday.entered_at, *([holiday.back_at] if holiday.back_at else [])]
        return sorted(moments)

    def zone(self, at: datetime) -> ZoneInfo:
        """Return the time zone in which they are."""
        return [zone for since, zone in self.zones if since <= at][-1]

    def absences(self, at: datetime) -> tuple[Interval, ...]:
        """The absences that are entered and not ended by then."""
        found = []
        for holiday in self.holidays:
            if holiday.entered_at > at:
                continue
            zone, last = self.zone(at), holiday.last
            if holiday.back_at is not None and holiday.back_at <= at:
                last = max(holiday.back_at.astimezone(zone).date(), holiday.first) - DAY
            if last >= holiday.first:
                found.append(Absence(holiday.first, last, last).interval(zone))
        return tuple(found)

    def moves_at(self, now: datetime, pace: timedelta, chance: Random) -> datetime | None:
        """When they answer what they are asked now; None if they never come back."""
        if self.gone_at is not None and self.gone_at <= now:
            return None
        hours = 3 * pace if chance.random() < self.late else min(self.typical * HOUR, 0.6 * pace)
        at = now + chance.uniform(0.1, 1.6) * hours
        for away in self.absences(at):
            if away.start <= at < away.end:
                at = away.end + chance.uniform(0, 0.3) * pace
        return None if self.gone_at is not None and self.gone_at <= at else at

    def calendar(self, at: datetime) -> Calendar:
        """Their calendar as it is known at a moment, without weekends."""
        key = bisect_right(self.changes, at)
        if key not in self.cache:
            self.cache[key] = Calendar(self.zone(at), False, self.quiet, self.absences(at))
        return self.cache[key]


def population(chance: Random, years: int = 1) -> list[Person]:
    """The people, for this time from BEGIN on."""
    return [_person(number, chance, years) for number in range(PEOPLE)]


def _person(number: int, chance: Random, years: int) -> Person:
    zone = ZONES[number % len(ZONES)]
    zones = [(datetime(1970, 1, 1, tzinfo=UTC), zone)]
    length = years * 365 * DAY
    for _journey in range(chance.choice((0, 0, 0, 1, 2))):
        leaves = BEGIN + chance.random() * length
        zones += [(leaves, chance.choice(ZONES)), (leaves + chance.randint(1, 40) * DAY, zone)]
    zones.sort(key=lambda one: one[0])
    night = None
    if chance.random() < 0.6:
        start = chance.choice((20, 21, 22, 23, 0))
        night = QuietHours(start, chance.choice((5, 6, 7, 8, 9)))
    every = ("half", "day", "last")
    gone = BEGIN + chance.random() * length if chance.random() < 0.08 else None
    return Person(
        number=number,
        typical=chance.choice((2, 6, 12, 20, 30, 60)),
        late=chance.choice((0, 0, 0.01, 0.05)),
        zones=tuple(zones),
        quiet=night,
        wanted=tuple(which for which in every if chance.random() < 0.7),
        holidays=_holidays(chance, years),
        gone_at=gone,
        by_email=chance.random() < 0.5,
    )


def _holidays(chance: Random, years: int) -> tuple[Holiday, ...]:
    found: list[Holiday] = []
    counted: list[Absence] = []
    for _holiday in range(chance.randint(0, 4 * years)):
        first = (BEGIN + chance.random() * years * 365 * DAY).date()
        last = first + chance.choice((0, 2, 6, 13, 20)) * DAY
        new = Absence(first, last, last)
        apart = all(one.last < first or last < one.first for one in counted)
        if not apart or is_too_much([*counted, new]):
            continue
        counted.append(new)
        noon = datetime(first.year, first.month, first.day, 12, tzinfo=UTC)
        entered = noon - chance.choice((0, 1, 3, 20)) * DAY - chance.random() * DAY
        back = None
        if last > first + DAY and chance.random() < 0.3:
            back = noon + chance.random() * (last - first - DAY)
        found.append(Holiday(max(entered, BEGIN), first, last, back))
    return tuple(found)
