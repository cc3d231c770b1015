"""What a seat can do now, in words, from the game's own turn form: two questions deep.

Told as the form tells it, place by place and price by price, so that no line of it is a move as
one would write it. Examples that happen to be such a move are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from games.log.game_log import Log
from games.rules.contract import Choice, FormField, MoveError, MoveForm, View
from games.translate import say

MOST = 60  # lines
DOTS = "…"


def lines(log: Log, view: Any) -> list[str]:
    """Questions and what can be answered to them, those below an answer indented."""
    found = list(_lines(log, view))
    return [*found[:MOST], DOTS] if len(found) > MOST else found


def _lines(log: Log, view: Any) -> Iterator[str]:
    dialog = log.engine.presentation.move_form(view, {})
    if dialog.problem is not None:
        yield say(dialog.problem)
    for text in dialog.preview:  # there is only one way
        yield say(text)
    asked = dialog.fields
    for field in asked:
        yield say(field.prompt)
        for choice in field.choices:
            yield f"  {_no_move(field, choice, log, view)}"
            if field == asked[-1] and field.kind == "one":
                yield from _below(log, view, asked, field, choice)
        if field.help_text is not None:
            yield f"  {say(field.help_text)}"


def _below(
    log: Log, view: Any, asked: tuple[FormField, ...], field: FormField, choice: Choice
) -> Iterator[str]:
    """The next question once this option is chosen."""
    chosen = {f.name: [o.value for o in f.choices if o.selected] for f in asked}
    deeper: MoveForm[View] = log.engine.presentation.move_form(
        view, {**chosen, field.name: [choice.value]}
    )
    fresh = [f for f in deeper.fields if f.name not in chosen]
    if not fresh or fresh[0].kind == "count":
        return
    for inner in fresh[0].choices:
        yield f"      {_no_move(fresh[0], inner, log, view)}"


def _no_move(field: FormField, choice: Choice, log: Log, view: Any) -> str:
    """The answer, behind its question where it is written just like a move."""
    words = _named(choice)
    return f"{say(field.prompt)} – {words}" if _is_move(words, log, view) else words


def _named(choice: Choice) -> str:
    detail = f": {say(choice.detail)}" if choice.detail is not None else ""
    return f"{say(choice.label)}{detail}"


def without_moves(lines: Iterable[str], log: Log, view: Any, *, own: str = "") -> list[str]:
    """Lines that help, their examples cut off by … where the seat could play them now, wherever
    a mail program may break them. own: what the player wrote, which may be told back."""
    return [
        "".join(
            part if part.strip().casefold() in own.casefold() else _shortened(part, log, view)
            for part in re.split(r"([:.;–()“”])", line)
        ).strip()
        for line in lines
    ]


def _shortened(part: str, log: Log, view: Any) -> str:
    """As much of these words as holds no move."""
    if not _holds_a_move(part, log, view):
        return part
    listed = part.split(",")
    if len(listed) > 1:
        rest = ",".join(_shortened(one, log, view) for one in listed)
        if not _holds_a_move(rest, log, view):
            return rest
    words = part.split()
    for end in range(len(words) - 1, 0, -1):
        kept = " ".join(words[:end])
        if not _holds_a_move(kept, log, view):
            return f" {kept} {DOTS} "
    return f" {DOTS} "


def _holds_a_move(part: str, log: Log, view: Any) -> bool:
    words = part.split()
    pieces = [words[:end] for end in range(1, len(words) + 1)]
    pieces += [words[start:] for start in range(1, len(words))]
    return any(_is_move(" ".join(piece), log, view) for piece in pieces)


def _is_move(text: str, log: Log, view: Any) -> bool:
    try:
        log.engine.notation.parse(text, view)
    except MoveError:
        return False
    return True
