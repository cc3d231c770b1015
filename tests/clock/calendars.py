"""Random moments and calendars of players."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from games.clock import Calendar, Interval, QuietHours

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
# Clocks that change by an hour at 1, 2 and 3 o'clock and at midnight, by half an hour, never, by a
# whole day, and far from UTC in both directions.
ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "Asia/Beirut",
    "Africa/Cairo",
    "America/Asuncion",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Chatham",
    "Pacific/Kiritimati",
    "Pacific/Pago_Pago",
    "Pacific/Apia",
    "Pacific/Kwajalein",
    "UTC",
)

zones = st.sampled_from([ZoneInfo(name) for name in ZONES])


def after(first: datetime, most: timedelta) -> st.SearchStrategy[datetime]:
    return st.timedeltas(timedelta(), most).map(lambda since: first + since)


# Including the days that Samoa (2011) and Kwajalein (a Saturday of 1993) left out.
moments = st.one_of(
    after(datetime(2026, 1, 1, tzinfo=UTC), 1000 * DAY),
    after(datetime(2011, 12, 25, tzinfo=UTC), 10 * DAY),
    after(datetime(1993, 8, 15, tzinfo=UTC), 10 * DAY),
)
hours = st.integers(0, 23)
nights = st.one_of(
    st.none(),
    st.builds(QuietHours, hours, hours).filter(lambda night: night.start != night.end),
)


@st.composite
def intervals(draw: st.DrawFn, around: datetime) -> Interval:
    start = around + draw(st.integers(-20 * 24, 40 * 24)) * HOUR
    return Interval(start, start + draw(st.integers(1, 14 * 24)) * HOUR)


@st.composite
def calendars(draw: st.DrawFn, around: datetime) -> Calendar:
    absences = draw(st.lists(intervals(around), max_size=3))
    return Calendar(draw(zones), draw(st.booleans()), draw(nights), tuple(absences))
