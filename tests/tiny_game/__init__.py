"""Twenty, a game small enough to read in a minute, which shows what a game must have.

Everybody holds a secret card, 1 to 9. In turn each player rolls a die as often as they like and
then stops. Rolls and card together should come close to twenty; more than twenty is worth nothing.
"""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from games.rules import contract, presentation
from games.rules.contract import Chance, Codec, Game, OptionSpec, Outcome
from games.rules.errors import IllegalMove
from games.rules.line_reader import LineReader, Vocabulary
from games.rules.move_form import Answers, Choice, FormBuilder, MoveForm
from games.rules.presentation import HandItem
from games.rules.text import Seat, Text, Translate, _, literal, result

TARGET, CARDS, FACES = 20, tuple(range(1, 10)), 6


class Roll(msgspec.Struct, frozen=True, tag="roll"):
    """Roll the die."""


class Stop(msgspec.Struct, frozen=True, tag="stop"):
    """Roll no more."""


Command = Roll | Stop


class Dealt(msgspec.Struct, frozen=True, tag_field="kind", tag="dealt"):
    """The cards of all seats, and what is left; None for those the reader may not see."""

    cards: tuple[int | None, ...]
    deck: tuple[int, ...]


class Rolled(msgspec.Struct, frozen=True, tag_field="kind", tag="rolled"):
    seat: int
    face: int  # 1 … 6


class Stopped(msgspec.Struct, frozen=True, tag_field="kind", tag="stopped"):
    seat: int


class Ended(msgspec.Struct, frozen=True, tag_field="kind", tag="ended"):
    scores: tuple[int, ...]
    winners: tuple[int, ...]


Event = Dealt | Rolled | Stopped | Ended


class Table(msgspec.Struct, frozen=True):
    """State and view alike: a view has None for the cards of others. active: the seat to act."""

    cards: tuple[int | None, ...] = ()
    rolled: tuple[int, ...] = ()
    active: int | None = None
    outcome: Outcome | None = None
    viewer: int | None = None


class Rules(contract.Rules[Table, Command, Event, Table]):
    def setup(self, options: Mapping[str, str], seats: int, chance: Chance) -> tuple[Event, ...]:
        cards = chance.shuffle(CARDS)
        return (Dealt(cards[:seats], cards[seats:]),)

    def initial(self) -> Table:
        return Table()

    def evolve(self, state: Table, event: Event) -> Table:
        match event:
            case Dealt(cards):
                return Table(cards, (0,) * len(cards), active=0)
            case Rolled(seat, face):
                rolled = list(state.rolled)
                rolled[seat] += face
                return msgspec.structs.replace(state, rolled=tuple(rolled))
            case Stopped(seat):
                following = seat + 1 if seat + 1 < len(state.cards) else None
                return msgspec.structs.replace(state, active=following)
            case Ended(scores, winners):
                return msgspec.structs.replace(state, outcome=Outcome(scores, winners))

    def to_act(self, state: Table) -> tuple[int, ...]:
        return () if state.active is None else (state.active,)

    def turn_number(self, state: Table) -> int | None:
        return state.active

    def decide(
        self, state: Table, seat: int, command: Command, chance: Chance
    ) -> tuple[Event, ...]:
        check(self.view(state, seat))
        if isinstance(command, Roll):
            return (Rolled(seat, chance.roll(FACES) + 1),)
        stopped = Stopped(seat)
        if self.evolve(state, stopped).active is not None:
            return (stopped,)
        sums = [one + (card or 0) for one, card in zip(state.rolled, state.cards, strict=True)]
        end = Outcome.highest(tuple(points if points <= TARGET else 0 for points in sums))
        return (stopped, Ended(end.scores, end.winners))

    def legal_commands(self, state: Table, seat: int) -> Iterator[Command]:
        if seat in self.to_act(state):
            yield Roll()
            yield Stop()

    def command_of(self, event: Event) -> tuple[int, Command] | None:
        match event:
            case Rolled(seat):
                return seat, Roll()
            case Stopped(seat):
                return seat, Stop()
            case _:
                return None

    def recorded_chance(self, events: Iterable[Event]) -> tuple[tuple[object, ...] | int, ...]:
        return tuple(
            (*event.cards, *event.deck) if isinstance(event, Dealt) else event.face - 1
            for event in events
            if isinstance(event, Dealt | Rolled)
        )

    def outcome(self, state: Table) -> Outcome | None:
        return state.outcome

    def view(self, state: Table, seat: int | None) -> Table:
        cards = state.cards if state.outcome else seen(state.cards, seat)
        return msgspec.structs.replace(state, cards=cards, viewer=seat)

    def visible(self, event: Event, seat: int | None) -> Event:
        return Dealt(seen(event.cards, seat), ()) if isinstance(event, Dealt) else event


def seen(cards: tuple[int | None, ...], seat: int | None) -> tuple[int | None, ...]:
    return tuple(card if number == seat else None for number, card in enumerate(cards))


def check(view: Table) -> None:
    if view.viewer is None or view.viewer != view.active:
        raise IllegalMove(_("It’s not your turn."))


WORDS = Vocabulary({"roll": ("roll",), "stop": ("stop",)}, "i", r"\w+", longest=100)


class Notation(contract.Notation[Command, Event, Table]):
    def parse(self, text: str, view: Table) -> Command:
        check(view)
        reader = LineReader(text, WORDS)
        match reader.words:
            case ["roll"]:
                return Roll()
            case ["stop"]:
                return Stop()
        raise reader.malformed(_("Write roll or stop."))

    def describe(self, move: Command | Event, view: Table) -> str:
        return {Roll: "roll", Rolled: "roll", Stop: "stop", Stopped: "stop"}.get(type(move), "")

    def help_lines(self) -> tuple[Text, ...]:
        return (_("Roll the die once more: roll"), _("Take what you have: stop"))


class Presentation(presentation.Presentation[Command, Event, Table]):
    def sentence(self, event: Event) -> Text | None:
        match event:
            case Dealt():
                return _("Everybody has a card.")
            case Rolled(seat, face):
                return _("%(seat)s rolled a %(face)s.", seat=Seat(seat), face=face)
            case Stopped(seat):
                return _("%(seat)s stopped.", seat=Seat(seat))
            case Ended(scores, winners):
                return result(scores, winners)

    def move_form(self, view: Table, answers: Answers) -> MoveForm[Table]:
        builder: FormBuilder[Table] = FormBuilder(answers)
        choices = [Choice("roll", _("Roll the die")), Choice("stop", _("Stop"))]

        def ask() -> Command:
            check(view)
            return Roll() if builder.one("do", _("What do you do?"), choices) == "roll" else Stop()

        return builder.build(ask, lambda command: self.preview(view, command))

    def preview(self, view: Table, command: Command) -> MoveForm[Table]:
        check(view)
        text = _("The die is rolled.") if command == Roll() else _("Your turn is over.")
        return MoveForm(line=NOTATION.describe(command, view), preview=(text,))

    def board_text(self, view: Table, *, translate: Translate = str) -> str:
        lines = [
            f"{seat + 1}: {rolled} + {'?' if card is None else card}"
            for seat, (rolled, card) in enumerate(zip(view.rolled, view.cards, strict=True))
        ]
        return "\n".join([translate(_("Twenty")), *lines]) + "\n"

    def hand(self, view: Table) -> tuple[HandItem, ...]:
        card = None if view.viewer is None else view.cards[view.viewer]
        return () if card is None else (HandItem(str(card), literal(str(card)), 1),)


class Bot(contract.Bot[Command, Table]):
    def choose(self, view: Table, chance: Chance) -> Command:
        assert view.viewer is not None
        points = view.rolled[view.viewer] + (view.cards[view.viewer] or 0)
        return Roll() if points <= TARGET - 4 else Stop()


NOTATION = Notation()
TWENTY: Game[Table, Command, Event, Table] = Game(
    key="twenty",
    title=_("Twenty"),
    seats=range(1, 7),
    codec=Codec(Event),
    rules=Rules(),
    notation=NOTATION,
    presentation=Presentation(),
    bot=Bot(),
    options=(OptionSpec("dice", _("Dice"), _("How many."), (("one", _("one")),), "one"),),
)
