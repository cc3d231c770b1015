"""From a mail to its first own line, which is all that is ever read as an order.

The rest of the writer's own lines may hold a note to the table; nothing else is taken from them.
Pure: no database, no settings.
"""

from __future__ import annotations

import re
import unicodedata

import msgspec

from . import html_text, quote_stripping
from .mime import ParsedMail

FULL = 64  # a line to which the next word does not fit within this was broken by a program
LONGEST = 1000  # characters of an order

# What stands in texts and is not seen.
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f"))
_SPACES = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2007": " ", "\t": " ", "\u2028": "\n"})


class Reply(msgspec.Struct, frozen=True):
    """line: the first own line, "" for none. more: the own lines after it."""

    line: str
    more: tuple[str, ...] = ()


def read(mail: ParsedMail) -> Reply:
    """What the writer of this mail wrote."""
    lines = _lines(mail)
    own = quote_stripping.own_lines(lines)
    if not own:
        return Reply("")
    first, rest = _unbroken(own)
    return Reply(first[:LONGEST], tuple(rest))


def _lines(mail: ParsedMail) -> list[str]:
    """The lines of the plain text, of the HTML where there is no plain text to speak of."""
    plain = _clean(mail.plain or "")
    if plain.strip():
        lines = plain.split("\n")
        return _unfold(lines, delsp=mail.delsp) if mail.flowed else lines
    return [_clean(line) for line in html_text.lines_of(mail.html)] if mail.html else []


def _clean(text: str) -> str:
    """Text with ordinary spaces and nothing unseen; other control characters become spaces."""
    text = text.translate(_INVISIBLE).translate(_SPACES)
    return "".join(
        char if char == "\n" or unicodedata.category(char) != "Cc" else " " for char in text
    )


def _unfold(lines: list[str], *, delsp: bool) -> list[str]:
    """Paragraphs that format=flowed (RFC 3676) has broken, whole again; quoted ones stay as they
    are but for that."""
    found: list[str] = []
    open_at: str | None = None  # the quote marks of a paragraph that goes on
    for line in lines:
        marks = re.match(r">*", line)
        depth = marks[0] if marks else ""
        text = line[len(depth) :].removeprefix(" ")
        goes_on = text.endswith(" ") and text != "-- "
        if open_at == depth and text != "-- ":
            found[-1] = (found[-1][:-1] if delsp else found[-1]) + text
        else:
            found.append(f"{depth} {text}" if depth else text)
        open_at = depth if goes_on else None
    return found


def _unbroken(own: list[str]) -> tuple[str, list[str]]:
    """(the first line, the others): lines that a program broke at its margin are one line."""
    first, rest = own[0], own[1:]
    width = len(first)
    while rest and rest[0] and width + 1 + len(rest[0].split()[0]) > FULL and width > FULL // 2:
        width = len(rest[0])
        first = f"{first} {rest.pop(0)}"
    return first, rest
