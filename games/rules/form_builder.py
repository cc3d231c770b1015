"""Builds a move form from the answers of a query string: fields in order, answers selected.

Knows no game. Answers that do not fit never raise: they leave a sentence in `problem`.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Generic

from msgspec.structs import replace

from .contract import C, V
from .drawing import Element
from .errors import MoveError
from .move_form import Answers, Choice, FormField, MoveForm
from .text import Text


class UnansweredError(Exception):
    """The next answer is needed before more can be asked."""


class FormBuilder(Generic[V]):
    """The fields asked so far and the first problem. view, together, marks: see `MoveForm`."""

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
