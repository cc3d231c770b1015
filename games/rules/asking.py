"""Asking questions of a query string: fields in order, with their answers selected.

Knows no game. Whatever stands in the query string, nothing here fails on it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from .engine import Engine, Field, Option, Text, View, _

Answers = Mapping[str, Sequence[str]]


def may_speak(engine: Engine, view: View) -> bool:
    """Whether the form of this viewer has anything to ask, be it only orders in advance."""
    return bool(engine.dialog(view, {}).fields)


class UnansweredError(Exception):
    """The next answer is needed before more can be asked."""


class Asker:
    """The fields asked so far and the first thing that does not fit."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.fields: list[Field] = []
        self.problem: Text | None = None

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
        options: Sequence[Option],
        *,
        default: str | None = None,
        misfit: Text | None = None,
        note: Text | None = None,
    ) -> str:
        """The option chosen. The only one chooses itself; UnansweredError where none is.

        misfit: what to say to an answer that is not among the options; without it such an
        answer gives way to the default.
        """
        values = [option.value for option in options]
        chosen = values[0] if len(values) == 1 else default
        given = self.given(name)
        if given in values:
            chosen = given
        elif given is not None and misfit is not None:
            self.refuse(misfit)
        answered = tuple(replace(option, selected=option.value == chosen) for option in options)
        self.fields.append(Field(name, "one", prompt, answered, note))
        if chosen is None:
            raise UnansweredError
        return chosen

    def many(
        self,
        name: str,
        prompt: Text,
        options: Sequence[Option],
        *,
        preset: Collection[str] | None,
        misfit: Text,
    ) -> set[str]:
        """The options ticked; `preset` takes the place of the answers while there are none."""
        values = {option.value for option in options}
        given = set(self.answers.get(name, ()) if preset is None else preset)
        if given - values:
            self.refuse(misfit)
        ticked = tuple(replace(option, selected=option.value in given) for option in options)
        self.fields.append(Field(name, "many", prompt, ticked))
        return given & values

    def count(
        self,
        name: str,
        prompt: Text,
        most: int,
        *,
        preset: int | None,
        misfit: Text,
        icon: str | None = None,
    ) -> int:
        """A number 0 … most; its options are these numbers, the answer selected."""
        number = self._number(name, most, misfit) if preset is None else preset
        options = tuple(
            Option(str(n), _("%(number)s", number=n), icon=icon, selected=n == number)
            for n in range(most + 1)
        )
        if most:
            self.fields.append(Field(name, "count", prompt, options, most=most))
        return number

    def _number(self, name: str, most: int, misfit: Text) -> int:
        given = self.given(name)
        if given is None:
            return 0
        number = int(given) if given.isascii() and given.isdecimal() and len(given) < 4 else -1
        if 0 <= number <= most:
            return number
        self.refuse(misfit)
        return most if number > most else 0
