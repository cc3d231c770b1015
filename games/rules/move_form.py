"""The form of a move: its questions as plain data, which the page and the email show, how a game
builds them, and all answers in advance. Knows no game.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

import msgspec
from msgspec.structs import replace

from .drawing import Element
from .errors import MoveError
from .text import Text

C = TypeVar("C")  # a command
V = TypeVar("V")  # a view

Answers = Mapping[str, Sequence[str]]  # field name → the values of a query string
Key = tuple[tuple[str, tuple[str, ...]], ...]  # answers in the order of the form

MOST_FORMS = 240  # of one tree
MOST_POSITIONS = 32  # that are drawn for one tree

# -- the questions as data -------------------------------------------------------------


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


# -- building a form -------------------------------------------------------------------


class UnansweredError(Exception):
    """The next answer is needed before more can be asked."""


class FormBuilder(Generic[V]):
    """Builds a form from the answers of a query string: fields in order, answers selected.

    It holds the fields asked so far and the first problem: answers that do not fit never raise, but
    leave a sentence in `problem`. view, together, marks: see `MoveForm`.
    """

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.fields: list[FormField] = []
        self.problem: Text | None = None
        self.view: V | None = None
        self.together = False
        self.marks: tuple[Element, ...] = ()

    def refuse(self, problem: Text) -> None:
        """Keep the sentence about the first answer that does not fit."""
        if self.problem is None:
            self.problem = problem

    def given(self, name: str) -> str | None:
        """The last non-empty answer of this name."""
        values = [value for value in self.answers.get(name, ()) if value]
        return values[-1] if values else None

    def one(
        self,
        name: str,
        prompt: Text,
        choices: Sequence[Choice],
        *,
        default: str | None = None,
        invalid_message: Text | None = None,
        help_text: Text | None = None,
        redraws: bool = False,
        aliases: Mapping[str, str] = {},
    ) -> str:
        """The value chosen. A single choice is selected at once; UnansweredError without any.

        invalid_message: for an answer that is not among the choices; without a message such an
        answer is replaced by the default. aliases: answers that mean another one.
        """
        values = [choice.value for choice in choices]
        chosen = values[0] if len(values) == 1 else default
        given = self.given(name)
        given = aliases.get(given, given) if given is not None else None
        if given in values:
            chosen = given
        elif given is not None and invalid_message is not None:
            self.refuse(invalid_message)
        answered = tuple(replace(choice, selected=choice.value == chosen) for choice in choices)
        self.fields.append(FormField(name, "one", prompt, answered, help_text, redraws=redraws))
        if chosen is None:
            raise UnansweredError
        return chosen

    def many(
        self, name: str, prompt: Text, choices: Sequence[Choice], *, invalid_message: Text
    ) -> set[str]:
        """The values ticked."""
        ticked = self._ticked(set(self.answers.get(name, ())), choices, invalid_message)
        self.fields.append(FormField(name, "many", prompt, ticked))
        return _selected(ticked)

    def pay(
        self,
        name: str,
        prompt: Text,
        choices: Sequence[Choice],
        *,
        due: int,
        stamp: str,
        initial: Collection[str],
        invalid_message: Text,
    ) -> set[str]:
        """The values ticked to pay `due`; `initial` replaces answers that lack the stamp."""
        given = set(self.answers.get(name, ()))
        wanted = given - {stamp} if stamp in given else set(initial)
        ticked = self._ticked(wanted, choices, invalid_message)
        self.fields.append(FormField(name, "pay", prompt, ticked, due=due, stamp=stamp))
        return _selected(ticked)

    def _ticked(
        self, wanted: set[str], choices: Sequence[Choice], invalid_message: Text
    ) -> tuple[Choice, ...]:
        if wanted - {choice.value for choice in choices if not choice.fixed}:
            self.refuse(invalid_message)
        return tuple(
            replace(choice, selected=choice.value in wanted and not choice.fixed)
            for choice in choices
        )

    def build(self, ask: Callable[[], C], preview: Callable[[C], MoveForm[V]]) -> MoveForm[V]:
        """The form: the fields that `ask` leaves here, with the preview of the command it returns.

        `ask` raises UnansweredError where it needs an answer first.
        """
        form: MoveForm[V] = MoveForm()
        try:
            command = ask()
            if self.problem is None:
                form = preview(command)
        except UnansweredError:
            pass
        except MoveError as error:
            self.refuse(error.text)
        return replace(
            form,
            fields=tuple(self.fields),
            problem=self.problem,
            view=self.view,
            together=self.together,
            marks=(*self.marks, *form.marks),
        )


def _selected(choices: Sequence[Choice]) -> set[str]:
    return {choice.value for choice in choices if choice.selected}


# -- all answers in advance ------------------------------------------------------------

Ask = Callable[[Answers], MoveForm[V]]


class ChoiceNode(msgspec.Struct, Generic[V], frozen=True):
    """A state of the form. branches: for each field, per choice, the number of the node that the
    choice leads to; None beyond the limit and where an answer cannot be followed in advance: there
    the server has to be asked. A payment has no branches."""

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


def choice_tree(
    ask: Ask[V], answers: Answers, limit: int = MOST_FORMS
) -> tuple[ChoiceNode[V], ...]:
    """The answers that a form takes from these on, followed in advance: what a page needs to ask
    one question after another without its server.

    The tree has a node for each state of the form, the nearest first, and at most `limit` of them.
    A choice keeps the answers to earlier questions, as they are selected, and drops later ones.

    An answer that changes the drawn position is followed from the first node only. In a turn of
    several steps, all steps that may follow one another would be millions of positions; the page
    asks for the tree of the next step while its player looks at the board.
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

    def nodes(self) -> Iterator[ChoiceNode[V]]:
        here = 0
        while here < len(self.forms):
            form = self.forms[here]
            ways = [self.ways(here, at, field) for at, field in enumerate(form.fields)]
            yield ChoiceNode(form, tuple(ways))
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
                if here or self.redrawn >= MOST_POSITIONS:
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
