"""Finds the first own line of an email, the only one that is read as a command or a move.

The other own lines may hold a note to the other players. Pure: no database, no settings.
"""

import unicodedata

import msgspec

from . import html_text, quote_stripping
from .mime import ParsedMail

MARGIN = 64  # a mail program broke a line to which the next word does not fit within this
LONGEST = 1000  # characters of the first line

_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f"))
_SPACES = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2007": " ", "\t": " ", "\u2028": "\n"})


class Reply(msgspec.Struct, frozen=True):
    """line: the first own line, or "". more: the own lines after it."""

    line: str
    more: tuple[str, ...] = ()


def read(mail: ParsedMail) -> Reply:
    """What the writer of this email wrote."""
    own = quote_stripping.own_lines(_lines(mail))
    if not own:
        return Reply("")
    first, rest = _unbroken(own)
    return Reply(first[:LONGEST], tuple(rest))


def _lines(mail: ParsedMail) -> list[str]:
    """The lines of the plain text; of the HTML if the plain text is empty."""
    plain = _clean(mail.plain or "")
    if plain.strip():
        lines = plain.split("\n")
        return _unfold(lines, delsp=mail.delsp) if mail.flowed else lines
    return [_clean(line) for line in html_text.lines_of(mail.html)] if mail.html else []


def _clean(text: str) -> str:
    """The text with ordinary spaces, without invisible and control characters."""
    text = text.translate(_INVISIBLE).translate(_SPACES)
    return "".join(
        char if char == "\n" or unicodedata.category(char) != "Cc" else " " for char in text
    )


def _unfold(lines: list[str], *, delsp: bool) -> list[str]:
    """Joins the paragraphs that format=flowed (RFC 3676) has broken."""
    found: list[str] = []
    open_depth: str | None = None  # the quote marks of a paragraph that goes on
    for line in lines:
        text = line.lstrip(">")
        depth = line[: len(line) - len(text)]
        text = text.removeprefix(" ")
        goes_on = text.endswith(" ") and text != "-- "
        if open_depth == depth and text != "-- ":
            found[-1] = (found[-1][:-1] if delsp else found[-1]) + text
        else:
            found.append(f"{depth} {text}" if depth else text)
        open_depth = depth if goes_on else None
    return found


def _unbroken(own: list[str]) -> tuple[str, list[str]]:
    """(the first line, the others); joins lines that a mail program broke at its margin."""
    first, rest = own[0], own[1:]
    width = len(first)
    while rest and rest[0] and width > MARGIN // 2 and width + 1 + len(rest[0].split()[0]) > MARGIN:
        width = len(rest[0])
        first = f"{first} {rest.pop(0)}"
    return first, rest
