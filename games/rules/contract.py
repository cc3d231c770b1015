"""The contract between a game and everything that runs games.

A game is a decider: `decide` knows all the rules and returns facts (events), `evolve` folds facts
into a state and never refuses. One `Game` puts the four parts together: rules, notation,
presentation (in presentation.py) and bot. A part is whatever has the functions of its protocol, a
module or a small object. An object that inherits from the protocol may leave out functions that
have a body there; a module must define all of them. The docstring of `games.rules` has an example.

Nothing here knows a particular game, the network, a clock or a source of randomness.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

import msgspec

from .bots import Budget, Level
from .drawing import Element, board_svg
from .errors import IllegalMove
from .presentation import Presentation
from .text import Text, Translate, _, literal

T = TypeVar("T")
S = TypeVar("S")  # the state
C = TypeVar("C")  # a command
E = TypeVar("E")  # an event
V = TypeVar("V")  # a view: what one seat, or a spectator, may know of a state
C_co = TypeVar("C_co", covariant=True)
E_contra = TypeVar("E_contra", contravariant=True)
V_contra = TypeVar("V_contra", contravariant=True)

# -- plain data ------------------------------------------------------------------------


class Chance(Protocol):
    """The only source of randomness in `setup` and `decide`. The events hold what it gave."""

    def shuffle(self, items: Sequence[T], /) -> tuple[T, ...]: ...

    def roll(self, faces: int, /) -> int:
        """A face 0 … faces − 1."""
        ...


class BotChance(Chance, Protocol):
    """The only source of randomness of a bot, with a stream of its own for each choice."""

    def per_game(self) -> Chance:
        """A stream that begins with the same numbers at each choice of this bot in this game."""
        ...


class Outcome(msgspec.Struct, frozen=True):
    """The end: a score per seat (points) and the seats that share the win."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]

    @classmethod
    def highest(cls, scores: tuple[int, ...]) -> Self:
        """The highest score wins; a tie is a shared win."""
        best = max(scores)
        return cls(scores, tuple(seat for seat, score in enumerate(scores) if score == best))


class OptionSpec(msgspec.Struct, frozen=True):
    """An option of a game, chosen when a game is created. choices: (value, label)."""

    name: str
    label: Text
    help_text: Text
    choices: tuple[tuple[str, Text], ...]
    default: str


class Question(msgspec.Struct, Generic[C], frozen=True):
    """A question to a seat, other than to take its turn.

    hours: the time to answer, where it is not the usual time for a move. default: the command
    that is given for the seat when that time is over; None: the game waits.
    """

    text: Text
    hours: int | None = None
    default: C | None = None


# -- the four parts ----------------------------------------------------------------------


class Rules(Protocol[S, C, E, V]):
    """Setup, moves and secrets of a game.

    The first event of every `setup` and `decide` shows which command it came from (`command_of`),
    the rest are its consequences. So a log can be split into moves, and each can be decided again.
    An event that belongs to a seat has it as its attribute `seat`.
    """

    def setup(self, options: Mapping[str, str], seats: int, chance: Chance) -> tuple[E, ...]:
        """The first events of a game; `options` have passed `Game.check_options`."""
        ...

    def initial(self) -> S:
        """The state before the first event."""
        ...

    def evolve(self, state: S, event: E) -> S:
        """The state after an event; knows no rule and never refuses."""
        ...

    def fold(self, state: S, events: Iterable[E]) -> S:
        """The state after these events: that of `evolve` for one after the other, in less time
        where a game can save it."""
        for event in events:
            state = self.evolve(state, event)
        return state

    def to_act(self, state: S) -> tuple[int, ...]:
        """The seats that are asked for a command now."""
        ...

    def decide(self, state: S, seat: int, command: C, chance: Chance) -> tuple[E, ...]:
        """The events that the command leads to; IllegalMove where the rules forbid it."""
        ...

    def legal_commands(self, state: S, seat: int) -> Iterator[C]:
        """Every command of this seat; one canonical, cheapest payment for each."""
        ...

    def command_of(self, event: E) -> tuple[int, C] | None:
        """(seat, command) for the first event of a move, None for consequences and setup."""
        ...

    def recorded_chance(self, events: Iterable[E]) -> tuple[tuple[object, ...] | int, ...]:
        """Return the results of chance in the events of a setup or of one move, in the order drawn:
        a tuple for a shuffle, an int for a roll. With them, a move can be decided again without
        the seed.
        """
        ...

    def outcome(self, state: S) -> Outcome | None:
        """The result once the game is over."""
        ...

    def points(self, state: S) -> tuple[int, ...]:
        """Return per seat the points of what it has so far, for the chart of a finished game: they
        may depend on secrets. () for games without points on the way."""
        return ()

    def view(self, state: S, seat: int | None) -> V:
        """The state as the seat, or a spectator (None), may know it."""
        ...

    def visible(self, event: E, seat: int | None) -> E:
        """The event as the seat may read it while the game lasts."""
        ...

    def is_reversible(self, events: Iterable[E]) -> bool:
        """Return whether a player may take back the move that consists of these events, as long as
        nobody has acted since: it drew, rolled and revealed nothing."""
        return False

    def check_options(self, options: Mapping[str, str], seats: int) -> None:
        """IllegalMove where these options, each valid by itself, do not go together."""
        return

    def turn_number(self, state: S) -> int | None:
        """The number of the turn, where a seat may give several commands in one; else None."""
        return None

    def is_order(self, command: C) -> bool:
        """Return whether the command is an order in advance: nobody but its seat may notice that it
        was given, as long as nothing follows from it at once."""
        return False

    def due_command(self, state: S, seat: int) -> C | None:
        """The answer to the open question of this seat that its orders give; None where they give
        none."""
        return None

    def standing_orders(self, state: S, seat: int) -> tuple[tuple[C, C], ...]:
        """The orders of this seat that are in force, each with the command that withdraws it."""
        return ()

    def question(self, view: V) -> Question[C] | None:
        """Return the question to the viewer; None if there is none, or if it is simply its turn.

        A seat whose question changes is asked again, with new time.
        """
        return None


class Notation(Protocol[C, E_contra, V_contra]):
    """Moves as lines of text; parse(describe(command, view), view) == command."""

    def parse(self, text: str, view: V_contra) -> C:
        """The command that a line means for the viewer; MoveError where it means no legal one."""
        ...

    def suggest(self, text: str, view: V_contra) -> C | None:
        """The one legal command that a line which `parse` refuses comes close to, to ask back; None
        where it could be several, and for a line that negates, doubts, reports or asks."""
        return None

    def describe(self, move: C | E_contra, view: V_contra) -> str:
        """The move in notation; "" for an event that is only the consequence of one."""
        ...

    def localised(self, line: str, translate: Translate) -> str:
        """A line that `describe` wrote with the words of the reader's language, which `parse`
        understands as well."""
        return line

    def help_lines(self) -> tuple[Text, ...]:
        """Return lines that explain how to write a move."""
        ...


class Bot(Protocol[C_co, V_contra]):
    """A computer player. It knows its own view and nothing else.

    Equal views and equal chance give equal commands. Whatever a choice hides from others must come
    from `chance`, since everybody can run this code on what everybody knows, and on guesses.
    """

    def choose(self, view: V_contra, chance: BotChance) -> C_co:
        """The command of the viewer, who is to act."""
        ...

    def choose_easy(self, view: V_contra, chance: BotChance) -> C_co:
        """The same for a bot that makes the mistakes of people."""
        return self.choose(view, chance)

    def choose_strong(self, view: V_contra, chance: BotChance, budget: Budget) -> C_co:
        """The same for a bot that searches, as far as the budget reaches."""
        return self.choose(view, chance)


# -- events in the log -------------------------------------------------------------------


class Codec(Generic[E]):
    """Writes and reads the events of one game as the log keeps them: canonical JSON, read again
    where its schema is known.

    events: their union, of structs with tag_field="kind". schema: the version of their format.
    """

    def __init__(self, events: Any, schema: int = 1) -> None:
        self.events, self.schema = events, schema
        self._encoder = msgspec.json.Encoder(order="sorted")
        self._decoder: msgspec.json.Decoder[E] = msgspec.json.Decoder(events)

    def encode(self, event: E) -> bytes:
        """Canonical JSON of the event, its tag under "kind"; what the log stores and digests."""
        return self._encoder.encode(event)

    def decode(self, payload: bytes | str, schema: int) -> E:
        """The event in a stored payload. ValueError for a schema that is not known here, and
        msgspec.ValidationError (a ValueError) for what is no event of this game."""
        if schema != self.schema:
            raise ValueError(f"events of schema {schema} are unknown here ({self.schema})")
        return self._decoder.decode(payload)


# -- the game ----------------------------------------------------------------------------

NO_SUMMARY = literal("")


@dataclass(frozen=True, kw_only=True)
class Game(Generic[S, C, E, V]):
    """A game: its parts and what they have in common. There is one instance per game.

    summary: what it is about, in one sentence for people who do not know it. seats: how many can
    play. turns: about how many each player has in a whole game, 0 for any number. options: what can
    be chosen for a game. playouts: the imagined games of a decision of the
    strong bot that take about two seconds of processor time. plans_turns: whether a player can plan
    the next turn while others move.
    """

    key: str
    title: Text
    summary: Text = NO_SUMMARY
    seats: range
    turns: int = 0
    codec: Codec[E]
    rules: Rules[S, C, E, V]
    notation: Notation[C, E, V]
    presentation: Presentation[C, E, V]
    bot: Bot[C, V]
    options: tuple[OptionSpec, ...] = ()
    playouts: int = 1
    plans_turns: bool = False

    def bot_command(
        self, level: Level, view: V, chance: BotChance, budget: Budget | None = None
    ) -> C:
        """Return the command of a bot of this level for the viewer, who is to act.

        The default budget is `playouts`.
        """
        match level:
            case Level.EASY:
                return self.bot.choose_easy(view, chance)
            case Level.NORMAL:
                return self.bot.choose(view, chance)
            case Level.STRONG:
                return self.bot.choose_strong(view, chance, budget or Budget(self.playouts))

    def fold(self, events: Iterable[E], state: S | None = None) -> S:
        """The state after all events, from the beginning or from `state`."""
        return self.rules.fold(self.rules.initial() if state is None else state, events)

    def setup(self, options: Mapping[str, str], seats: int, chance: Chance) -> tuple[E, ...]:
        """The first events of a game with these options, completed with defaults."""
        return self.rules.setup(self.check_options(options, seats), seats, chance)

    def board_svg(
        self,
        view: V,
        links: Mapping[str, str] | None = None,
        recent: Sequence[E] = (),
        *,
        translate: Translate = str,
        prefix: str = "",
        chosen: Collection[str] = (),
        questions: Mapping[str, int] = {},
        marks: Sequence[Element] = (),
        scenery_url: str = "",
    ) -> str:
        """The board as one <svg>; see `Presentation.draw` and `drawing.board_svg`."""
        drawn = self.presentation.draw(view, links, recent, translate=translate)
        return board_svg(
            drawn,
            prefix=prefix,
            chosen=chosen,
            questions=questions,
            marks=marks,
            scenery_url=scenery_url,
        )

    def accepts_input(self, view: V) -> bool:
        """Return whether the viewer has anything to fill in, if only orders in advance."""
        return bool(self.presentation.move_form(view, {}).fields)

    def check_options(self, options: Mapping[str, str], seats: int) -> dict[str, str]:
        """Options completed with defaults; IllegalMove with the reason where they are not valid."""
        if seats not in self.seats:
            raise IllegalMove(
                _(
                    "This game is for %(least)s to %(most)s players.",
                    least=self.seats[0],
                    most=self.seats[-1],
                )
            )
        known = {spec.name: spec for spec in self.options}
        for name, value in options.items():
            if name not in known:
                raise IllegalMove(_("There is no option called “%(name)s”.", name=name))
            if value not in dict(known[name].choices):
                label = known[name].label
                raise IllegalMove(
                    _("“%(value)s” is not a valid choice for “%(name)s”.", value=value, name=label)
                )
        full = {name: options.get(name, spec.default) for name, spec in known.items()}
        self.rules.check_options(full, seats)
        return full


# The one place where types are given up. Code that handles any game never looks into states,
# commands, events or views; it hands them from one part of a game to the next.
State = Any
Command = Any
Event = Any
View = Any
AnyGame = Game[State, Command, Event, View]
