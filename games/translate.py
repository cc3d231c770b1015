"""Turns the engine's `Text` into a sentence in the reader's language, with names; exact times.

The active language is Django's (the request's, or the recipient's while a mail is rendered).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from functools import lru_cache

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import get_language, gettext, ngettext, pgettext

from games.rules.text import Day, Seat, Text, render

_MARK = re.compile(r"(?<=\S)(?=[:;](?: |$))")  # where French has a space
_QUOTATION_MARKS = {"de": "„“", "fr": ("«\u202f", "\u202f»")}
Names = Sequence[str] | Callable[[int], str]


def seat_name(number: int, names: Names | None = None) -> str:
    """The name of seat `number`: from the names given, else "Seat 1"."""
    if callable(names):
        return names(number)
    if names is not None and 0 <= number < len(names):
        return names[number]
    return gettext("Seat %(number)s") % {"number": number + 1}


def join_names(names: Sequence[str]) -> str:
    """Join names: "Alice, Bob and Carol"."""
    if len(names) < 2:
        return "".join(names)
    return gettext("%(list)s and %(last)s") % {"list": ", ".join(names[:-1]), "last": names[-1]}


def join_clauses(clauses: Iterable[str]) -> str:
    """Join clauses by semicolons, before which French has a narrow no-break space."""
    return _spaced("; ".join(clauses))


def with_colon(words: str) -> str:
    """Add a colon, before which French has a narrow no-break space."""
    return _spaced(f"{words}:")


def numbered(number: int, words: str) -> str:
    """The words after their number: "5: Alice"."""
    return f"{with_colon(str(number))} {words}"


def quoted(words: str) -> str:
    """The words in the quotation marks of the active language."""
    before, after = _QUOTATION_MARKS.get((get_language() or "")[:2], "“”")
    return f"{before}{words}{after}"


def say(text: Text, names: Names | None = None) -> str:
    """The sentence in the active language; names by seat number (a sequence or a function)."""
    if callable(names):
        return _said(text, names)
    return _said_before(text, None if names is None else tuple(names), get_language())


@lru_cache(maxsize=8192)  # a page says again what the last page of the same game said
def _said_before(text: Text, names: tuple[str, ...] | None, language: str | None) -> str:
    return _said(text, names)


def _said(text: Text, names: Names | None) -> str:
    def name(seat: Seat) -> str:
        return seat_name(seat.number, names)

    return render(text, _translated, ngettext, name, _said_day)


def _said_day(of: Day) -> str:
    return day(datetime.fromisoformat(of.moment).date())


def _translated(message: str) -> str:
    """The message of a catalogue; one without words is in none, but may have marks like ": "."""
    found = gettext(message)
    return _spaced(found) if found == message else found


def _spaced(text: str) -> str:
    if (get_language() or "").startswith("fr"):
        return _MARK.sub("\u202f", text)
    return text


def day(of: date) -> str:
    """A day: "Sun 3 Jan 2027"."""
    # Translators: Django's date format for a day.
    return date_in_words(of, pgettext("date format", "D j M Y"))


def exact_time(moment: datetime) -> str:
    """The moment in the active time zone: "Sat 23 Nov, 14:05", or with the year if not this one."""
    here = timezone.localtime(moment).replace(tzinfo=None)  # equal moments differ by zone
    same_year = here.year == timezone.localtime().year
    return _written(here, get_language(), same_year=same_year)


@lru_cache(maxsize=4096)  # each page of a game shows the times of all of its moves
def _written(here: datetime, language: str | None, *, same_year: bool) -> str:
    # Translators: Django's date format for a day of this year and one of another.
    form = (
        pgettext("date format", "D j M, H:i")
        if same_year
        else pgettext("date format", "j M Y, H:i")
    )
    return date_in_words(here, form)


def date_in_words(of: date, pattern: str) -> str:
    """This day, or moment, by a date format of Django; in French the first of a month is "1er"."""
    if of.day == 1 and (get_language() or "").startswith("fr"):
        pattern = pattern.replace("j", r"j\e\r")
    return date_format(of, pattern)


def pace(days: int, hours: int) -> str:
    """The time per move: "3 days per move"."""
    if days:
        return ngettext("%(n)s day per move", "%(n)s days per move", days) % {"n": days}
    return ngettext("%(n)s hour per move", "%(n)s hours per move", hours) % {"n": hours}
