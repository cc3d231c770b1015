"""Days as people write them in English, German and French, without a slash: its order is
unclear."""

import re
from datetime import date, timedelta

import msgspec


class CalendarDay(msgspec.Struct, frozen=True):
    """A day of a month. year: 0 for the next such day."""

    day: int
    month: int
    year: int = 0

    def seen_from(self, today: date) -> date:
        """The day that was meant by somebody who wrote it today. ValueError if there is none within
        a year."""
        if self.year or (self.month, self.day) >= (today.month, today.day):
            return date(self.year or today.year, self.month, self.day)
        return date(today.year + 1, self.month, self.day)


class Weekday(msgspec.Struct, frozen=True):
    """The next such day after today. number: 0 for Monday."""

    number: int

    def seen_from(self, today: date) -> date:
        """The day that was meant by somebody who wrote it today."""
        return today + timedelta(days=(self.number - today.weekday() - 1) % 7 + 1)


class DaysAhead(msgspec.Struct, frozen=True):
    """Today or tomorrow."""

    count: int

    def seen_from(self, today: date) -> date:
        """The day that was meant by somebody who wrote it today."""
        return today + timedelta(days=self.count)


WrittenDay = CalendarDay | Weekday | DaysAhead

_MONTHS = (
    "jan january januar janner janvier janv",
    "feb february februar feber fevrier fev fevr",
    "mar march marz maerz mrz mars",
    "apr april avril avr",
    "may mai",
    "jun june juni juin",
    "jul july juli juillet juil",
    "aug august aout",
    "sep sept september septembre",
    "oct october okt oktober octobre",
    "nov november novembre",
    "dec december dez dezember decembre",
)
_WEEKDAYS = (
    "monday montag lundi",
    "tuesday dienstag mardi",
    "wednesday mittwoch mercredi",
    "thursday donnerstag jeudi",
    "friday freitag vendredi",
    "saturday samstag sonnabend samedi",
    "sunday sonntag dimanche",
)
_IN_WORDS: dict[str, WrittenDay] = {
    **{name: Weekday(number) for number, names in enumerate(_WEEKDAYS) for name in names.split()},
    **dict.fromkeys(("today", "heute", "aujourd hui"), DaysAhead(0)),
    **dict.fromkeys(("tomorrow", "morgen", "demain"), DaysAhead(1)),
}
_NUMBER = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er)?")
_UNSAID = frozenset(["the", "of", "den", "dem", "le", "einschliesslich", "inclusive", "inclus"])


def parse(words: str) -> WrittenDay | None:
    """The day in words without accents and punctuation: "3 jan", "january 3rd", "1er janvier 2027",
    "3 1 2027", "2027 01 03", "sunday", "tomorrow". None if they are anything else."""
    parts = [part for part in words.split() if part not in _UNSAID]
    if (found := _IN_WORDS.get(" ".join(parts))) is not None:
        return found
    if len(parts) == 3 and all(part.isdecimal() for part in parts) and len(parts[0]) == 4:
        parts.reverse()
    if not 2 <= len(parts) <= 3:
        return None
    year = parts[2] if len(parts) == 3 else "0"
    day, month = (parts[1], parts[0]) if parts[0] in _NUMBER else (parts[0], parts[1])
    match = _DAY.fullmatch(day)
    number = _NUMBER.get(month) or (int(month) if re.fullmatch(r"\d{1,2}", month) else 0)
    if match is None or not 1 <= number <= 12 or not re.fullmatch(r"0|20\d\d", year):
        return None
    return CalendarDay(int(match[1]), number, int(year))
