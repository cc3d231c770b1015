"""The answers that a move form takes, followed in advance: what a page needs to ask one question
after another without its server.

A tree has a node for each state of the form, down to a limit. Beyond it, and where an answer cannot be
followed in advance, a branch is None: there the server has to be asked. Knows no game.
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic

import msgspec

from .contract import V
from .move_form import Answers, FormField, MoveForm

LIMIT = 240  # forms of one tree

Ask = Callable[[Answers], MoveForm[V]]
Key = tuple[tuple[str, tuple[str, ...]], ...]  # answers in the order of the form


class Node(msgspec.Struct, Generic[V], frozen=True):
    """A state of the form. branches: for each field, per choice, the number of the node that the
    choice leads to; None where the server has to be asked."""

    form: MoveForm[V]
    branches: tuple[tuple[int | None, ...], ...]


def choice_tree(ask: Ask[V], answers: Answers, limit: int = LIMIT) -> tuple[Node[V], ...]:
    """The tree from these answers on, nearest nodes first; `limit` is the most of them.

    A choice keeps the answers to earlier questions, as they are selected, and drops later ones.
    """
    root = ask(answers)
    known: dict[Key, int] = {}
    forms = [root]
    hidden = _hidden(root, answers)
    known[_key(hidden, root.fields, len(root.fields))] = 0
    waiting = deque([0])
    branches: list[tuple[tuple[int | None, ...], ...]] = []
    while waiting:
        here = waiting.popleft()
        branches.append(tuple(_branches(here, forms, known, waiting, ask, hidden, limit)))
    return tuple(Node(form, ways) for form, ways in zip(forms, branches, strict=True))


def _branches(
    here: int,
    forms: list[MoveForm[V]],
    known: dict[Key, int],
    waiting: deque[int],
    ask: Ask[V],
    hidden: Key,
    limit: int,
) -> Iterator[tuple[int | None, ...]]:
    form = forms[here]
    for at, field in enumerate(form.fields):
        ways: list[int | None] = []
        for choice in field.choices:
            if choice.selected and field.kind == "one":
                ways.append(here)
                continue
            if form.together or field.redraws or field.kind != "one":
                ways.append(None)
                continue
            key = (*_key(hidden, form.fields, at), (field.name, (choice.value,)))
            if key not in known:
                if len(forms) >= limit:
                    ways.append(None)
                    continue
                known[key] = len(forms)
                waiting.append(len(forms))
                forms.append(ask(dict(key)))
            ways.append(known[key])
        yield tuple(ways)


def _key(hidden: Key, fields: tuple[FormField, ...], count: int) -> Key:
    """What is selected in the first fields."""
    return hidden + tuple(
        (field.name, tuple(choice.value for choice in field.choices if choice.selected))
        for field in fields[:count]
    )


def _hidden(form: MoveForm[V], answers: Answers) -> Key:
    """Answers to what the form does not ask."""
    asked = {field.name for field in form.fields}
    return tuple((name, tuple(values)) for name, values in answers.items() if name not in asked)
