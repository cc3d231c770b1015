"""What a seat can do now, in words, from the game's own turn form: two questions deep.

Told as the form tells it, place by place and price by price, so that no line of it is a move as
one would write it. Examples that happen to be such a move are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from games.event_log import Log
from games.rules.engine import Dialog, Field, MoveError, Option
from games.translate import say

MOST = 60  # lines
DOTS = "…"


def lines(log: Log, view: Any) -> list[str]:
    """Questions and what can be answered to them, those below an answer indented."""
    found = list(_lines(log, view))
    return [*found[:MOST], DOTS] if len(found) > MOST else found


def _lines(log: Log, view: Any) -> Iterator[str]:
    dialog = log.engine.dialog(view, {})
    if dialog.problem is not None:
        yield say(dialog.problem)
    for text in dialog.preview:  # there is only one way
        yield say(text)
    asked = dialog.fields
    for field in asked:
        yield say(field.prompt)
        for option in field.options:
            yield f"  {_named(option)}"
            if field == asked[-1] and field.kind == "one":
                yield from _below(log, view, asked, field, option)
        if field.help is not None:
            yield f"  {say(field.help)}"


def _below(
    log: Log, view: Any, asked: tuple[Field, ...], field: Field, option: Option
) -> Iterator[str]:
    """The next question once this option is chosen."""
    chosen = {f.name: [o.value for o in f.options if o.selected] for f in asked}
    deeper: Dialog = log.engine.dialog(view, {**chosen, field.name: [option.value]})
    fresh = [f for f in deeper.fields if f.name not in chosen]
    if not fresh or fresh[0].kind == "count":
        return
    for inner in fresh[0].options:
        yield f"      {_named(inner)}"


def _named(option: Option) -> str:
    detail = f": {say(option.detail)}" if option.detail is not None else ""
    return f"{say(option.label)}{detail}"


def without_moves(lines: Iterable[str], log: Log, view: Any) -> list[str]:
    """Lines that help, their examples replaced by … where the seat could play them now, wherever
    a mail program may break them."""
    return [
        "".join(
            f" {DOTS} " if _holds_a_move(part, log, view) else part
            for part in re.split(r"([:.;–()“”])", line)
        ).strip()
        for line in lines
    ]


def _holds_a_move(part: str, log: Log, view: Any) -> bool:
    words = part.split()
    pieces = [words[:end] for end in range(1, len(words) + 1)]
    pieces += [words[start:] for start in range(1, len(words))]
    return any(_is_move(" ".join(piece), log, view) for piece in pieces)


def _is_move(text: str, log: Log, view: Any) -> bool:
    try:
        log.engine.parse(text, view)
    except MoveError:
        return False
    return True
