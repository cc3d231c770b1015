"""What a seat can do now, in words: the first two questions of the game's own form.

It lists places and prices as the form does, so no line is a move as one would write it. Examples
that happen to be a legal move are cut.
"""

import re
from collections.abc import Iterable, Iterator

from games.rules.contract import AnyGame, MoveError, View
from games.rules.move_form import Choice, FormField
from games.translate import say

MAX_LINES = 60
ELLIPSIS = "…"


def lines(game: AnyGame, view: View) -> list[str]:
    """Questions and their possible answers; those below an answer are indented."""
    found = list(_lines(game, view))
    return [*found[:MAX_LINES], ELLIPSIS] if len(found) > MAX_LINES else found


def _lines(game: AnyGame, view: View) -> Iterator[str]:
    form = game.presentation.move_form(view, {})
    if form.problem is not None:
        yield say(form.problem)
    for text in form.preview:  # there is only one way
        yield say(text)
    for field in form.fields:
        yield say(field.prompt)
        for choice in field.choices:
            yield f"  {_answer(field, choice, game, view)}"
            if field == form.fields[-1] and field.kind == "one":
                yield from _next_question(game, view, form.fields, field, choice)
        if field.help_text is not None:
            yield f"  {say(field.help_text)}"


def _next_question(
    game: AnyGame, view: View, asked: tuple[FormField, ...], field: FormField, choice: Choice
) -> Iterator[str]:
    """The answers to the question that follows this choice."""
    chosen = {f.name: [c.value for c in f.choices if c.selected] for f in asked}
    fields = game.presentation.move_form(view, {**chosen, field.name: [choice.value]}).fields
    following = next((f for f in fields if f.name not in chosen), None)
    if following is not None and following.kind != "count":
        for inner in following.choices:
            yield f"      {_answer(following, inner, game, view)}"


def _answer(field: FormField, choice: Choice, game: AnyGame, view: View) -> str:
    """The answer; behind its question if it is written just like a move."""
    detail = f": {say(choice.detail)}" if choice.detail is not None else ""
    words = f"{say(choice.label)}{detail}"
    return f"{say(field.prompt)} – {words}" if _is_move(words, game, view) else words


def without_moves(lines: Iterable[str], game: AnyGame, view: View, *, own: str = "") -> list[str]:
    """The lines with every example cut that the seat could play now, wherever a mail program may
    break the line. own: what the player wrote, which may be repeated."""
    return [
        "".join(
            part if part.strip().casefold() in own.casefold() else _cut(part, game, view)
            for part in re.split(r"([:.;–()“”])", line)
        ).strip()
        for line in lines
    ]


def _cut(part: str, game: AnyGame, view: View) -> str:
    """As much of these words as holds no move."""
    if not _holds_a_move(part, game, view):
        return part
    listed = part.split(",")
    if len(listed) > 1:
        rest = ",".join(_cut(one, game, view) for one in listed)
        if not _holds_a_move(rest, game, view):
            return rest
    words = part.split()
    for end in range(len(words) - 1, 0, -1):
        kept = " ".join(words[:end])
        if not _holds_a_move(kept, game, view):
            return f" {kept} {ELLIPSIS} "
    return f" {ELLIPSIS} "


def _holds_a_move(part: str, game: AnyGame, view: View) -> bool:
    words = part.split()
    pieces = [words[:end] for end in range(1, len(words) + 1)]
    pieces += [words[start:] for start in range(1, len(words))]
    return any(_is_move(" ".join(piece), game, view) for piece in pieces)


def _is_move(text: str, game: AnyGame, view: View) -> bool:
    try:
        game.notation.parse(text, view)
    except MoveError:
        return False
    return True
