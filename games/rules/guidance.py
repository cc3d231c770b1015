"""Guidance for players who answer by email: the question, how to answer it, the legal answers.

Plain data; `Presentation.guide`, `legal` and `introduction` make it from a view.
"""

import re
from collections.abc import Iterable

import msgspec

from .text import Text, Translate


class Guide(msgspec.Struct, frozen=True):
    """The decision that the viewer is asked for.

    task: what is asked, in the imperative, without a full stop. forms: how an answer can be
    written, a line each. examples: a few complete answers that are legal now, with what they lead
    to, the cheapest first. is_listed: every line of `legal` is a whole answer, so that a few of
    them say more than the forms.
    """

    task: Text
    forms: tuple[Text, ...]
    examples: tuple["LegalLine", ...]
    is_listed: bool = True


class LegalLine(msgspec.Struct, frozen=True):
    """Legal answers of one shape: one choice of each part in order, no choice twice.

    detail: what the answer leads to, as far as all of them lead to the same.
    """

    parts: tuple[tuple[str, ...], ...]
    detail: Text | None = None

    def __str__(self) -> str:
        """ "place {6, 5} {D4, D5}": a part with a single choice stands without braces."""
        return " ".join(
            part[0] if len(part) == 1 else f"{{{', '.join(part)}}}" for part in self.parts
        )


class LegalSection(msgspec.Struct, frozen=True):
    """A heading and the answers below it."""

    title: Text
    lines: tuple[LegalLine, ...]


def legal_line(*parts: str | Iterable[str], detail: Text | None = None) -> LegalLine:
    """A line of fixed words (str) and of parts with a choice."""
    return LegalLine(
        tuple((part,) if isinstance(part, str) else tuple(part) for part in parts), detail
    )


def merged(lines: Iterable[LegalLine]) -> tuple[LegalLine, ...]:
    """The lines without details; those that differ in one part only are one line."""
    found: dict[tuple[tuple[str, ...], ...], dict[str, None]] = {}
    others: list[LegalLine] = []
    for line in lines:
        if len(line.parts) < 2 or len(line.parts[0]) > 1:
            others.append(LegalLine(line.parts))
            continue
        key = (line.parts[0], *line.parts[2:])
        found.setdefault(key, {}).update(dict.fromkeys(line.parts[1]))
    return (
        *(LegalLine((key[0], tuple(choices), *key[1:])) for key, choices in found.items()),
        *others,
    )


def in_words_of(line: str, words: Text, translate: Translate) -> str:
    """A line of notation with the words of the reader's language. words: all words of the notation
    in one text, whose translation has as many, in the same order."""
    known = dict(zip(words.message.split(), translate(words).split(), strict=True))
    return re.sub(r"[a-z]+", lambda found: known.get(found[0], found[0]), line)


def sections(*found: tuple[Text, Iterable[LegalLine]]) -> tuple[LegalSection, ...]:
    """The sections that have lines."""
    made = (LegalSection(title, tuple(lines)) for title, lines in found)
    return tuple(section for section in made if section.lines)
