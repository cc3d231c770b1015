"""Atlantis by Leo Colovini: the rules, the notation, the pictures and the house bot.

`ATLANTIS` is the engine: each method in a line, the work in the module that it names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from ..engine import Chance, Closeup, Dialog, Held, IllegalMove, OptionSpec, Outcome, Text, _
from . import board_text, hand, moves, notation, play, sentences, settlement, view, wire
from .model import Command, Event, Preview, State, View

ORDER = OptionSpec(
    name="order",
    label=_("Order of play"),
    help=_("Who moves first, and who after whom. The first player starts with the fewest cards."),
    choices=(("random", _("Random")), ("seated", _("As seated"))),
    default="random",
)


class Atlantis:
    """The engine of Atlantis; see `engine.Engine` for what each method promises."""

    key: ClassVar[str] = "atlantis"
    title: ClassVar[Text] = _("Atlantis")
    seats: ClassVar[range] = range(2, 5)
    schema: ClassVar[int] = wire.SCHEMA
    option_specs: ClassVar[tuple[OptionSpec, ...]] = (ORDER,)

    def check_options(self, options: Mapping[str, str], seats: int) -> Mapping[str, str]:
        if seats not in self.seats:
            raise IllegalMove(_("Atlantis is for two to four players."))
        checked = {ORDER.name: ORDER.default, **options}
        for name, value in checked.items():
            if name != ORDER.name:
                raise IllegalMove(_("Atlantis has no option “%(name)s”.", name=name))
            if value not in dict(ORDER.choices):
                raise IllegalMove(_("The order of play cannot be “%(value)s”.", value=value))
        return checked

    # play

    def setup(self, options: Mapping[str, str], seats: int, chance: Chance) -> tuple[Event, ...]:
        return play.setup(self.check_options(options, seats), seats, chance)

    def initial(self) -> State:
        return State()

    def evolve(self, state: State, event: Event) -> State:
        return play.evolve(state, event)

    def fold(self, events: Iterable[Event], state: State | None = None) -> State:
        return play.fold(events, state)

    def to_act(self, state: State) -> tuple[int, ...]:
        return play.to_act(state)

    def decide(
        self, state: State, seat: int, command: Command, chance: Chance
    ) -> tuple[Event, ...]:
        return play.decide(state, seat, command, chance)

    def legal_commands(self, state: State, seat: int) -> Iterator[Command]:
        return play.legal_commands(state, seat)

    def command_of(self, event: Event) -> tuple[int, Command] | None:
        return play.command_of(event)

    def luck(self, events: Iterable[Event]) -> tuple[tuple[object, ...] | int, ...]:
        return play.luck(events)

    def outcome(self, state: State) -> Outcome | None:
        return state.outcome

    def preview(self, view: View, command: Command) -> Preview:
        """What the command would do; IllegalMove where it may not be made."""
        return moves.preview(view, command)

    def question(self, view_: View) -> None:
        return None

    def holdings(self, view_: View) -> tuple[tuple[Text, ...], ...]:
        return hand.holdings(view_)

    def ending(self, view_: View) -> None:
        return None

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

    def parse(self, text: str, view: View) -> Command:
        return notation.parse(text, view)

    def describe(self, move: Command | Event, view: View) -> str:
        return notation.describe(move, view)

    def sentence(self, event: Event) -> Text | None:
        return sentences.sentence(event)

    def dialog(self, view: View, answers: Mapping[str, Sequence[str]]) -> Dialog:
        from . import dialog

        return dialog.dialog(view, answers)

    def foresee(self, view: View, command: Command) -> Dialog:
        from . import dialog

        return dialog.foresee(view, command)

    def settlement(self, view: View) -> tuple[tuple[int, tuple[Text, ...]], ...]:
        return settlement.settlement(view)

    def hand(self, view: View) -> tuple[Held, ...]:
        return hand.hand(view)

    def notation_help(self) -> tuple[Text, ...]:
        return notation.notation_help()

    # pictures

    def board_text(self, view: View, *, translate: Callable[[Text], str] = str) -> str:
        return board_text.board_text(view, translate)

    def board_svg(
        self,
        view: View,
        links: Mapping[str, str] | None = None,
        recent: Sequence[Event] = (),
        *,
        translate: Callable[[Text], str] = str,
        prefix: str = "",
        near: str = "",
        zoom: int = 0,
    ) -> str:
        from . import svg

        return svg.board_svg(view, links, recent, translate=translate, prefix=prefix)

    def closeups(self, view: View, near: str = "", zoom: int = 0) -> tuple[Closeup, ...]:
        return ()

    def icon_svg(self, name: str) -> str:
        from . import svg

        return svg.icon_svg(name)

    # the house bot

    def bot(self, view: View) -> Command:
        from . import bot

        return bot.choose(view)


ATLANTIS = Atlantis()
