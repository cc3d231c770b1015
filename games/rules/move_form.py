"""The questions that make up a move, as plain data: what the page and the email show as a form."""

from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

import msgspec

from .drawing import Element
from .text import Text

V = TypeVar("V")  # a view

Answers = Mapping[str, Sequence[str]]  # field name → the values of a query string


class Choice(msgspec.Struct, frozen=True):
    """One answer to a FormField. element_id: the board element that stands for it; also: others
    that mean the same.

    icon: a name that `icon_svg` draws. worth: what it adds to a payment. fixed: it is shown with
    the others, but cannot be chosen.
    """

    value: str
    label: Text
    detail: Text | None = None
    element_id: str | None = None
    icon: str | None = None
    selected: bool = False
    also: tuple[str, ...] = ()
    worth: int = 0
    fixed: bool = False

    @property
    def elements(self) -> tuple[str, ...]:
        """All board elements that stand for it."""
        return () if self.element_id is None else (self.element_id, *self.also)


class FormField(msgspec.Struct, frozen=True):
    """A question of the move form. kind: "one" (radios), "many" (checkboxes), "pay" (checkboxes
    whose worth is to reach `due`).

    stamp: a value that is sent along with the answers, for this situation alone.
    redraws: its answers change the position that is drawn.
    """

    name: str
    kind: str
    prompt: Text
    choices: tuple[Choice, ...]
    help_text: Text | None = None
    due: int = 0
    stamp: str = ""
    redraws: bool = False

    @property
    def sum(self) -> int:
        """What the chosen answers are worth."""
        return sum(choice.worth for choice in self.choices if choice.selected)


class MoveForm(msgspec.Struct, Generic[V], frozen=True):
    """The questions that make up a move, as far as the answers lead.

    fields: the questions in order, answered ones included with their answer selected, so that one
    GET form shows them all. line: the whole move in notation, once the answers make one; preview:
    what it does; warnings: what the player may have overlooked. problem: why answers do not fit.
    view: the position that the answers so far lead to, to be drawn in place of the current one;
    None where they change nothing that can be drawn. together: the questions do not follow from
    one another, so that a changed answer keeps those after it. marks: what the answers would do,
    to be drawn on top of the board.
    """

    fields: tuple[FormField, ...] = ()
    line: str | None = None
    preview: tuple[Text, ...] = ()
    warnings: tuple[Text, ...] = ()
    problem: Text | None = None
    view: V | None = None
    together: bool = False
    marks: tuple[Element, ...] = ()
