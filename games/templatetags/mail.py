"""Plain text that is pleasant to read in any mail program, and the players' colours."""

import itertools
import textwrap

from django import template

from games.mail import kinds
from games.mail.kinds.invitation import plain_name
from games.mail.kinds.moderation import restricted_until
from games.templatetags.when import zoned
from games.translate import join_names

register = template.Library()
register.filter(plain_name)
register.filter(join_names)
register.filter("kind_label", kinds.label)
register.filter("ends", lambda decision: restricted_until(decision, zoned))

WIDTH = 72

# Those of the pages (seat-0 … in app.css): Okabe and Ito's, distinct to nearly every eye.
SEAT_COLOURS = (
    "#0072b2",
    "#d55e00",
    "#f0e442",
    "#111111",
    "#009e73",
    "#56b4e9",
    "#e69f00",
    "#cc79a7",
)


@register.filter
def wrap(text: object) -> str:
    """Lines of at most 72 characters; words are never broken."""
    return "\n".join(_lines(str(text), WIDTH, whole_words=True))


def _lines(text: str, width: int, *, whole_words: bool = False) -> list[str]:
    """Wrap like textwrap.wrap, but return the many texts of one line at once.

    whole_words: words are broken neither at the end of a line nor at hyphens.
    """
    if len(text) <= width and text.isprintable():
        return [text.rstrip()] if text.strip() else []
    breaks = not whole_words
    return textwrap.wrap(text, width, break_long_words=breaks, break_on_hyphens=breaks)


@register.filter
def item(text: object, indent: int = 2) -> str:
    """A line of a list: "- " before it, what follows indented."""
    return textwrap.fill(
        str(text),
        WIDTH,
        initial_indent=" " * (indent - 2) + "- ",
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


@register.filter
def barred(text: object, indent: int = 0) -> str:
    """News or a message, each line after a bar: quoted in a reply and cut
    anywhere, none of its lines can be read as a move."""
    margin = " " * indent
    lines = [
        part for line in str(text).splitlines() for part in _lines(line, WIDTH - 2 - indent) or [""]
    ]
    return "\n".join(f"| {margin}{line}".rstrip() for line in lines)


@register.filter
def barred_item(text: object) -> str:
    """An item of a list behind a bar: "| - " before it, what follows indented."""
    return "\n".join(f"| {line}" for line in item(text).splitlines())


@register.filter
def barred_line(text: object) -> str:
    """A line behind a bar; where it is broken, the rest stands below its text, further in."""
    words = str(text).lstrip(" ")
    margin = " " * (len(str(text)) - len(words))
    lines = textwrap.wrap(
        words,
        WIDTH - 2,
        initial_indent=margin,
        subsequent_indent=margin + "    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(f"| {line}".rstrip() for line in lines or [""])


@register.filter
def barred_example(text: object) -> str:
    """An answer that can be copied, behind a bar and four spaces."""
    return barred_line(f"    {text}")


@register.filter
def narrow(board: object) -> str:
    """A board in letters: its rows as they are, longer lines of words broken at spaces."""
    lines = (
        [line]
        if len(line) <= WIDTH
        else textwrap.wrap(line, WIDTH, subsequent_indent="    ", break_on_hyphens=False)
        for line in str(board).splitlines()
    )
    return "\n".join(itertools.chain.from_iterable(lines))


@register.filter
def seat_colour(seat: int) -> str:
    """The colour of a seat's figures."""
    return SEAT_COLOURS[seat % len(SEAT_COLOURS)]


@register.filter
def places(count: int) -> range:
    """Return a range, to loop over `count` empty places."""
    return range(max(0, count))
