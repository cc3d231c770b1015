"""Lines of answers as emails print them, with what they lead to, and how they are read again.

"A olive pay cheapest – space 36, costs 4, takes statue 7" may be copied as a whole. What follows
the dash says nothing to the game, so it may only be what the line says that was printed.
"""

import difflib
import re
from collections.abc import Iterator
from typing import Any

from .contract import AnyGame
from .errors import MalformedMove, MoveError
from .guidance import LegalLine
from .line_reader import plain, shortened
from .text import Text, Translate, _

_DASH = re.compile(r"\s[-\u2013\u2014]\s")  # mail programs make another one of ours
_MARKS = re.compile(r"^[\s|>*\u2022-]+")  # before a line that was copied
_WORD = re.compile(r"[^\W_]+")
_ALIKE = 0.6  # how alike a changed explanation and the true one are, as difflib counts


def written(line: LegalLine, engine: AnyGame, translate: Translate) -> str:
    """The line in the reader's language, with what it leads to behind a dash."""
    words = engine.notation.localised(str(line), translate)
    return words if line.detail is None else f"{words} – {translate(line.detail)}"


def parse(engine: AnyGame, text: str, view: Any, translate: Translate) -> Any:
    """The command that a line of a player means, as `Notation.parse` reads it; a printed line may
    be whole. Raises MoveError."""
    answer = _answer(engine, text, view, translate)
    if answer is None:
        return engine.notation.parse(text, view)
    line, words, is_changed = answer
    if not is_changed:
        return engine.notation.parse(words, view)
    try:
        return engine.notation.parse(text, view)
    except MoveError:
        assert line.detail is not None, "it was compared"
        raise MalformedMove(_reason(text, line.detail)) from None


def suggest(engine: AnyGame, text: str, view: Any, translate: Translate) -> Any | None:
    """The one legal command that a line comes close to; see `Notation.suggest`. Of a printed line
    whose explanation was changed, that is its command."""
    answer = _answer(engine, text, view, translate)
    if answer is None:
        return engine.notation.suggest(text, view)
    try:
        return engine.notation.parse(answer[1], view)
    except MoveError:
        return None


def _answer(
    engine: AnyGame, text: str, view: Any, translate: Translate
) -> tuple[LegalLine, str, bool] | None:
    """(the printed line that was copied, its answer, whether what follows was changed); None for
    any other line."""
    if (dash := _DASH.search(text)) is None:
        return None
    words, said = _MARKS.sub("", text[: dash.start()]), _plain(text[dash.end() :])
    for line in _printed(engine, view):
        if line.detail is None or not _choice(line, engine, translate).fullmatch(_plain(words)):
            continue
        true = _plain(translate(line.detail))
        if said == true:
            return line, words, False
        if difflib.SequenceMatcher(None, said, true).ratio() >= _ALIKE:
            return line, words, True
    return None


def _printed(engine: AnyGame, view: Any) -> Iterator[LegalLine]:
    """All lines that the viewer may read in an email."""
    guide = engine.presentation.guide(view)
    if guide is not None:
        yield from guide.examples
    for section in engine.presentation.legal(view):
        yield from section.lines


def _choice(line: LegalLine, engine: AnyGame, translate: Translate) -> re.Pattern[str]:
    """A pattern for the answers that a line stands for."""
    parts = (
        "|".join(re.escape(_plain(engine.notation.localised(way, translate))) for way in part)
        for part in line.parts
    )
    return re.compile(" ".join(f"(?:{part})" for part in parts))


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(plain(text)))


def _reason(text: str, detail: Text) -> Text:
    return _(
        "In “%(line)s”: %(reason)s",
        line=shortened(text),
        reason=_(
            "What follows the dash is not what this move does now: %(detail)s. To make the move, "
            "send only what stands before the dash.",
            detail=detail,
        ),
    )
