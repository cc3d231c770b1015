"""The answers that a move form takes, followed in advance: what a page needs to ask one question
after another without its server.

A tree has a node for each state of the form, down to a limit. Beyond it, and where an answer cannot
be followed in advance, a branch is None: there the server has to be asked. Knows no game.

An answer that changes the drawn position is followed from the first node only. In a turn of several
steps, all steps that may follow one another would be millions of positions; the page asks for the
tree of the next step while its player looks at the board.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Generic

import msgspec

from .contract import V
from .move_form import Answers, FormField, MoveForm

LIMIT = 240  # forms of one tree
POSITIONS = 32  # that are drawn for one tree

Ask = Callable[[Answers], MoveForm[V]]
Key = tuple[tuple[str, tuple[str, ...]], ...]  # answers in the order of the form


class Node(msgspec.Struct, Generic[V], frozen=True):
    """A state of the form. branches: for each field, per choice, the number of the node that the
    choice leads to; None where the server has to be asked. A payment has no branches."""

    form: MoveForm[V]
    branches: tuple[tuple[int | None, ...], ...]

    @property
    def position(self) -> Key:
        """The answers that decide which position is drawn."""
        fields = self.form.fields
        last = [
            at
            for at, field in enumerate(fields, start=1)
            if field.redraws and any(choice.selected for choice in field.choices)
        ]
        return _key((), fields, last[-1] if last else 0)


def choice_tree(ask: Ask[V], answers: Answers, limit: int = LIMIT) -> tuple[Node[V], ...]:
    """The tree from these answers on, nearest nodes first; `limit` is the most of them.

    A choice keeps the answers to earlier questions, as they are selected, and drops later ones.
    """
    return tuple(_Tree(ask, answers, limit).nodes())


class _Tree(Generic[V]):
    def __init__(self, ask: Ask[V], answers: Answers, limit: int) -> None:
        root = ask(answers)
        self.ask, self.limit = ask, limit
        self.forms = [root]
        self.hidden = _hidden(root, answers)
        self.known = {_key(self.hidden, root.fields, len(root.fields)): 0}
        self.redrawn = 0

    def nodes(self) -> Iterator[Node[V]]:
        here = 0
        while here < len(self.forms):
            form = self.forms[here]
            ways = [self.ways(here, at, field) for at, field in enumerate(form.fields)]
            yield Node(form, tuple(ways))
            here += 1

    def ways(self, here: int, at: int, field: FormField) -> tuple[int | None, ...]:
        """The nodes to which the choices of a field lead."""
        form = self.forms[here]
        if field.kind == "pay":
            return ()
        if field.kind != "one":
            return (None,) * len(field.choices)
        before = _key(self.hidden, form.fields, at)
        return tuple(
            here
            if choice.selected
            else self.way((*before, (field.name, (choice.value,))), here, field)
            for choice in field.choices
        )

    def way(self, key: Key, here: int, field: FormField) -> int | None:
        """The node of these answers; None beyond the limits."""
        if self.forms[here].together:
            return None
        if key not in self.known:
            if len(self.forms) >= self.limit:
                return None
            if field.redraws:
                if here or self.redrawn >= POSITIONS:
                    return None
                self.redrawn += 1
            self.known[key] = len(self.forms)
            self.forms.append(self.ask(dict(key)))
        return self.known[key]


def _key(hidden: Key, fields: Sequence[FormField], count: int) -> Key:
    """The selection in the first fields."""
    return hidden + tuple(
        (field.name, tuple(choice.value for choice in field.choices if choice.selected))
        for field in fields[:count]
    )


def _hidden(form: MoveForm[V], answers: Answers) -> Key:
    """Answers to what the form does not ask."""
    asked = {field.name for field in form.fields}
    return tuple((name, tuple(values)) for name, values in answers.items() if name not in asked)
