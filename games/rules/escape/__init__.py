"""Escape from Atlantis!: the rules, the notation, the pictures and the house bot.

`ESCAPE` is the engine: each method in a line, the work in the module that it names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from .. import engine
from ..engine import Chance, Closeup, Dialog, Held, OptionSpec, Outcome, Question, Text, _
from . import (
    board,
    board_text,
    evolve,
    hand,
    notation,
    options,
    play,
    sentences,
    settlement,
    tidings,
    view,
    wire,
)
from .model import Command, Event, State, View


class Escape:
    """The engine of Escape from Atlantis!; see `engine.Engine` for what each method promises."""

    key: ClassVar[str] = "escape"
    title: ClassVar[Text] = _("Escape from Atlantis!")
    seats: ClassVar[range] = options.SEATS
    schema: ClassVar[int] = wire.SCHEMA
    option_specs: ClassVar[tuple[OptionSpec, ...]] = options.SPECS

    def check_options(self, options_: Mapping[str, str], seats: int) -> Mapping[str, str]:
        return options.check_options(options_, seats)

    # play

    def setup(self, options_: Mapping[str, str], seats: int, chance: Chance) -> tuple[Event, ...]:
        return play.setup(self.check_options(options_, seats), seats, chance)

    def initial(self) -> State:
        return State()

    def evolve(self, state: State, event: Event) -> State:
        return evolve.evolve(state, event)

    def fold(self, events: Iterable[Event], state: State | None = None) -> State:
        return evolve.fold(events, state)

    def to_act(self, state: State) -> tuple[int, ...]:
        return board.acting(state.board)

    def decide(
        self, state: State, seat: int, command: Command, chance: Chance
    ) -> tuple[Event, ...]:
        return play.decide(state, seat, command, chance)

    def legal_commands(self, state: State, seat: int) -> Iterator[Command]:
        return play.legal_commands(view.view(state, seat))

    def command_of(self, event: Event) -> tuple[int, Command] | None:
        return play.command_of(event)

    def luck(self, events: Iterable[Event]) -> tuple[tuple[object, ...] | int, ...]:
        return play.luck(events)

    def outcome(self, state: State) -> Outcome | None:
        return state.board.outcome

    def question(self, view_: View) -> Question | None:
        return tidings.question(view_)

    def holdings(self, view_: View) -> tuple[tuple[Text, ...], ...]:
        return tidings.holdings(view_)

    def ending(self, view_: View) -> Text | None:
        return tidings.ending(view_)

    # the one door

    def view(self, state: State, seat: int | None) -> View:
        return view.view(state, seat)

    def visible(self, event: Event, seat: int | None) -> Event:
        return view.visible(event, seat)

    # wire

    def encode(self, event: Event) -> bytes:
        return wire.encode(event)

    def decode(self, payload: bytes | str, schema: int) -> Event:
        return wire.decode(payload, schema)

    # words

    def parse(self, text: str, view_: View) -> Command:
        return notation.parse(text, view_)

    def describe(self, move: Command | Event, view_: View) -> str:
        return notation.describe(move, view_)

    def sentence(self, event: Event) -> Text | None:
        return sentences.sentence(event)

    def dialog(self, view_: View, answers: Mapping[str, Sequence[str]]) -> Dialog:
        from . import dialog

        return dialog.dialog(view_, answers)

    def foresee(self, view_: View, command: Command) -> Dialog:
        from . import dialog

        return dialog.foresee(view_, command)

    def settlement(self, view_: View) -> tuple[tuple[int, tuple[Text, ...]], ...]:
        return settlement.settlement(view_)

    def hand(self, view_: View) -> tuple[Held, ...]:
        return hand.hand(view_)

    def notation_help(self) -> tuple[Text, ...]:
        return notation.notation_help()

    # pictures

    def board_text(self, view_: View, *, translate: Callable[[Text], str] = str) -> str:
        return board_text.board_text(view_, translate)

    def board_svg(
        self,
        view_: View,
        links: Mapping[str, str] | None = None,
        recent: Sequence[Event] = (),
        *,
        translate: Callable[[Text], str] = str,
        prefix: str = "",
        near: str = "",
        zoom: int = 0,
    ) -> str:
        from . import svg

        return svg.board_svg(
            view_, links, recent, translate=translate, prefix=prefix, near=near, zoom=zoom
        )

    def closeups(self, view_: View, near: str = "", zoom: int = 0) -> tuple[Closeup, ...]:
        from . import svg

        return svg.closeups(view_, near, zoom)

    def icon_svg(self, name: str) -> str:
        from . import svg

        return svg.icon_svg(name)

    # the house bot

    def bot(self, view_: View) -> Command:
        from . import bot

        return bot.choose(view_)


ESCAPE: engine.Engine = Escape()
