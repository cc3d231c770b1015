"""Sentences for people, in English with named parameters; the caller translates them.

Games speak in `Text`. `games.translate` renders it in the reader's language and puts the names of
the players in. `_` and `ngettext` are the names that message extraction looks for.
"""

from collections.abc import Callable, Iterable, Sequence

import msgspec


class Seat(msgspec.Struct, frozen=True):
    """A player named in a Text; rendered as the player's name or as "you"."""

    number: int


class Day(msgspec.Struct, frozen=True):
    """A day named in a Text, as a moment of it, ISO 8601; rendered as "Sun 3 Jan 2027"."""

    moment: str


class Text(msgspec.Struct, frozen=True):
    """`message % params`, or `plural % params` where `count` asks for the plural."""

    message: str
    params: tuple[tuple[str, "Param"], ...] = ()
    plural: str | None = None
    count: int = 1

    def __str__(self) -> str:
        """The English sentence, seats written as "seat 1", for tests and the command line."""
        return render(self)


Param = str | int | Seat | Day | Text
Translate = Callable[[Text], str]


def _(message: str, /, **params: Param) -> Text:
    """A translatable sentence; `%(name)s` in the message takes the parameter `name`."""
    return Text(message, tuple(params.items()))


def ngettext(one: str, many: str, count: int, /, **params: Param) -> Text:
    """A translatable sentence with a plural; `%(count)s` is always available."""
    return Text(one, (("count", count), *params.items()), many, count)


def literal(message: str, /, **params: Param) -> Text:
    """A text without a word of its own, which no catalogue holds: a name, a number, "3 × ring"."""
    return Text(message, tuple(params.items()))


def render(
    text: Text,
    gettext: Callable[[str], str] = lambda message: message,
    plural: Callable[[str, str, int], str] = lambda one, many, n: one if n == 1 else many,
    name: Callable[[Seat], str] = lambda seat: f"seat {seat.number + 1}",
    day: Callable[[Day], str] = lambda day: day.moment[:10],
) -> str:
    """Text in some language, by the given gettext, plural form, seat names and days."""
    if text.plural is None:
        message = gettext(text.message)
    else:
        message = plural(text.message, text.plural, text.count)

    def value(param: Param) -> str | int:
        if isinstance(param, Text):
            return render(param, gettext, plural, name, day)
        if isinstance(param, Day):
            return day(param)
        return name(param) if isinstance(param, Seat) else param

    return message % {key: value(param) for key, param in text.params} if text.params else message


def joined(parts: Sequence[Text], separator: str) -> Text:
    """The parts with a separator, which has no words, between them; needs at least one part."""
    whole = parts[0]
    for part in parts[1:]:
        whole = literal(f"%(before)s{separator}%(part)s", before=whole, part=part)
    return whole


def and_list(parts: Sequence[Text]) -> Text:
    """ "flag, olive and ring"; needs at least one part."""
    if len(parts) == 1:
        return parts[0]
    return _("%(list)s and %(last)s", list=joined(parts[:-1], ", "), last=parts[-1])


def seat_list(seats: Iterable[int]) -> Text:
    """The players of these seats, as `and_list` joins them."""
    return and_list([literal("%(seat)s", seat=Seat(seat)) for seat in seats])


def paragraph(sentences: Iterable[Text]) -> Text | None:
    """Several sentences as one text; None without any."""
    parts = tuple(sentences)
    return joined(parts, " ") if parts else None


def result(scores: Sequence[int], winners: Sequence[int]) -> Text:
    """The scores from the highest to the lowest, and who won or shared the win."""
    ranking = sorted(range(len(scores)), key=lambda seat: -scores[seat])
    listed = and_list(
        [literal("%(seat)s %(score)s", seat=Seat(seat), score=scores[seat]) for seat in ranking]
    )
    names = seat_list(winners)
    if len(winners) > 1:
        return _(
            "The game is over: %(scores)s. %(winners)s share the win.", scores=listed, winners=names
        )
    return _("The game is over: %(scores)s. %(winners)s won.", scores=listed, winners=names)
