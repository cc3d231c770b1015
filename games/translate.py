"""From the engine's `Text` to a sentence in the reader's language, names put in.

The active language is Django's (the request's, or the recipient's while a mail is rendered).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.utils.translation import gettext, ngettext

from games.rules.text import Seat, Text, render

Names = Sequence[str] | Callable[[int], str]


def seat_name(number: int, names: Names | None = None) -> str:
    """What to call seat `number`: by the names given, else "Seat 1"."""
    if callable(names):
        return names(number)
    if names is not None and 0 <= number < len(names):
        return names[number]
    return gettext("Seat %(number)s") % {"number": number + 1}


def join_names(names: Sequence[str]) -> str:
    """Names in a row: "Alice, Bob and Carol"."""
    if len(names) < 2:
        return "".join(names)
    return gettext("%(list)s and %(last)s") % {"list": ", ".join(names[:-1]), "last": names[-1]}


def say(text: Text, names: Names | None = None) -> str:
    """The sentence in the active language; names by seat number (a sequence or a function)."""

    def name(seat: Seat) -> str:
        return seat_name(seat.number, names)

    return render(text, gettext, ngettext, name)
