"""What a seat can do now, as lines of text: all legal answers, in groups.

A person can read the lines, and so can a program that knows nothing of the game: "{A, B}" stands
for one of A and B, and what follows " – " explains the line.
"""

import textwrap
from collections.abc import Iterable
from itertools import islice
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.log.game_log import Log
from games.rules.contract import Notation
from games.rules.guidance import LegalSection, merged
from games.translate import say, with_colon

MOST_LINES = 60
WIDTH = 64  # characters of a line, as emails break it
INDENT = "  "


def lines(log: Log, seat: int) -> list[str]:
    """At most 60 lines: how to read them, then headings and the legal answers below them."""
    engine = log.engine
    notation = engine.notation
    view = engine.rules.view(log.state, seat)
    found = engine.presentation.legal(view)
    if not found:
        commands = islice(engine.rules.legal_commands(log.state, seat), MOST_LINES)
        listed = [notation.localised(notation.describe(c, view), say) for c in commands]
        return _cut([f"{INDENT}{line}" for line in listed])
    written = _written(found, notation)
    if _height(written) > MOST_LINES:
        found = tuple(LegalSection(s.title, merged(s.lines)) for s in found)
        written = _written(found, notation)
    return _cut(written)


def _written(found: Iterable[LegalSection], notation: Notation[Any, Any, Any]) -> list[str]:
    text: list[str] = []
    for section in found:
        text.append(with_colon(say(section.title)))
        for line in section.lines:
            words = notation.localised(str(line), say)
            detail = f" – {say(line.detail)}" if line.detail is not None else ""
            text.append(f"{INDENT}{words}{detail}")
    if any("{" in line for line in text):
        text.insert(0, _("Choose one option from each pair of braces, and no option twice."))
    return text


def _height(text: Iterable[str]) -> int:
    return sum(len(textwrap.wrap(line, WIDTH)) for line in text)


def _cut(text: list[str]) -> list[str]:
    """The lines that fit, and how many do not."""
    kept = list(text)
    while _height(kept) >= MOST_LINES:
        kept.pop()
    if left_out := len(text) - len(kept):
        kept.append(
            ngettext(
                "There is %(count)s more line on the game page.",
                "There are %(count)s more lines on the game page.",
                left_out,
            )
            % {"count": left_out}
        )
    return kept
