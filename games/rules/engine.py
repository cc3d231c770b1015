"""The contract every game fulfils, and the words in which it speaks.

A game is a Decider: `decide` knows all rules and returns facts (events), `evolve` folds
facts into a state and never refuses. Nothing here knows a particular game, the network,
a clock or a source of chance; nothing here imports anything but the standard library
and msgspec.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeVar

import msgspec

T = TypeVar("T")


# -- words ---------------------------------------------------------------------------
# Rules speak in `Text`: an English message with named parameters, translated at the edge
# (games.translate) with the parameters put in afterwards. `_` and `ngettext` are the names
# that message extraction looks for.


class Seat(msgspec.Struct, frozen=True):
    """A player named in a Text; the edge puts the name (or "you") there."""

    number: int


Param = "str | int | Seat | Text"


class Text(msgspec.Struct, frozen=True):
    """A sentence for people: `message % params`, or the plural form when `count` asks for it."""

    message: str
    params: tuple[tuple[str, Any], ...] = ()
    plural: str | None = None
    count: int = 1

    def __str__(self) -> str:
        """The English sentence, seats written as "seat 1", for tests and the command line."""
        return render(self)


def _(message: str, /, **params: str | int | Seat | Text) -> Text:
    """A translatable sentence; `%(name)s` in the message takes the parameter `name`."""
    return Text(message, tuple(params.items()))


def ngettext(one: str, many: str, count: int, /, **params: str | int | Seat | Text) -> Text:
    """A translatable sentence with a plural; `%(count)s` is there by itself."""
    return Text(one, (("count", count), *params.items()), many, count)


def render(
    text: Text,
    gettext: Callable[[str], str] = lambda message: message,
    plural: Callable[[str, str, int], str] = lambda one, many, n: one if n == 1 else many,
    name: Callable[[Seat], str] = lambda seat: f"seat {seat.number + 1}",
) -> str:
    """Text in some language: the edge passes its own gettext, plural form and seat names."""
    message = (
        gettext(text.message)
        if text.plural is None
        else plural(text.message, text.plural, text.count)
    )

    def value(param: str | int | Seat | Text) -> str | int:
        if isinstance(param, Text):
            return render(param, gettext, plural, name)
        if isinstance(param, Seat):
            return name(param)
        return param

    return message % {key: value(param) for key, param in text.params} if text.params else message


# -- errors --------------------------------------------------------------------------


class MoveError(Exception):
    """A move that was not made. Nothing changed; `text` tells the player what to do."""

    def __init__(self, text: Text) -> None:
        super().__init__(str(text))
        self.text = text


class MalformedMove(MoveError):
    """The line could not be read; the text echoes what was read and how it is written."""


class IllegalMove(MoveError):
    """The line was read, but the rules forbid it; the text says which rule and why."""


class AmbiguousMove(MoveError):
    """The line fits several moves; the text names them."""


# -- chance --------------------------------------------------------------------------


class Chance(Protocol):
    """The only source of luck in `setup` and `decide`. What it gave stands in the events."""

    def shuffle(self, items: Sequence[T], /) -> tuple[T, ...]: ...

    def roll(self, faces: int, /) -> int:
        """A face 0 … faces − 1."""
        ...


# -- results and the dialog ----------------------------------------------------------


class Outcome(msgspec.Struct, frozen=True):
    """The end: a score per seat (points) and the seats that share the win."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]


class Option(msgspec.Struct, frozen=True):
    """One answer to a Field. `mark` is the id of the board element that stands for it."""

    value: str
    label: Text
    detail: Text | None = None
    mark: str | None = None
    icon: str | None = None  # a name that `Engine.icon_svg` draws
    selected: bool = False


class Closeup(msgspec.Struct, frozen=True):
    """A way to look at another part of a board that is too full for a narrow window.

    near and zoom are what `board_svg` is then asked for. `mark` is the id of the board element
    that stands for it, None for a button with a `sign` beside the board.
    """

    near: str
    zoom: int
    label: Text
    mark: str | None = None
    sign: str = ""


class Field(msgspec.Struct, frozen=True):
    """A question of the turn form. kind: "one" (radios), "many" (checkboxes), "count" (0 … most)."""

    name: str
    kind: str
    prompt: Text
    options: tuple[Option, ...]
    help: Text | None = None
    most: int = 0


class Dialog(msgspec.Struct, frozen=True):
    """How far the answers lead: what to ask next, and, once complete, the move and its preview.

    `fields` are the open questions in order, those answered already included with their answer
    selected, so that one GET form shows them all. `line` is the whole move in notation once the
    answers make one; `preview` says what it does; `warnings` what a careful friend would say
    (overpaying, a bridge that will be washed away). `problem` says why answers do not fit.
    `view` is the position as the answers so far leave it, to be drawn in place of the view asked
    about; None where they change nothing that can be drawn.
    """

    fields: tuple[Field, ...]
    line: str | None = None
    preview: tuple[Text, ...] = ()
    warnings: tuple[Text, ...] = ()
    problem: Text | None = None
    view: Any = None


class Question(msgspec.Struct, frozen=True):
    """What a seat is asked where that is not simply its turn, with what it answers about.

    hours: how long it has, where that is not the table's time for a move. otherwise: the command
    that is given for it when that time is over; None: the game waits.
    """

    text: Text
    hours: int | None = None
    otherwise: Any = None


class OptionSpec(msgspec.Struct, frozen=True):
    """A table option of a game, for the page that makes a table."""

    name: str
    label: Text
    help: Text
    choices: tuple[tuple[str, Text], ...]
    default: str


class Held(msgspec.Struct, frozen=True):
    """Equal things in a hand: `icon` is a name that `Engine.icon_svg` draws."""

    icon: str
    label: Text
    count: int


# -- the contract --------------------------------------------------------------------

State = Any
Command = Any
Event = Any
View = Any


class Engine(Protocol):
    """A game. One instance per game, stateless, in the registry `games.rules.ENGINES`.

    The first event of every `setup` and `decide` tells which command it came from
    (`command_of`); the rest are its consequences. So a log can be cut into moves again and
    each checked by deciding it anew.
    """

    key: ClassVar[str]
    title: ClassVar[Text]
    seats: ClassVar[range]  # how many can play
    schema: ClassVar[int]  # version of the events written today
    option_specs: ClassVar[tuple[OptionSpec, ...]]

    def check_options(self, options: Mapping[str, str], seats: int) -> Mapping[str, str]:
        """Options completed with defaults; IllegalMove with the reason where they cannot be had."""
        ...

    # play
    def setup(
        self, options: Mapping[str, str], seats: int, chance: Chance
    ) -> tuple[Event, ...]: ...
    def initial(self) -> State: ...
    def evolve(self, state: State, event: Event) -> State: ...
    def fold(self, events: Iterable[Event], state: State | None = None) -> State: ...
    def to_act(self, state: State) -> tuple[int, ...]: ...
    def decide(
        self, state: State, seat: int, command: Command, chance: Chance
    ) -> tuple[Event, ...]: ...
    def legal_commands(self, state: State, seat: int) -> Iterator[Command]: ...
    def command_of(self, event: Event) -> tuple[int, Command] | None:
        """(seat, command) for the first event of a move, None for consequences and setup."""
        ...

    def luck(self, events: Iterable[Event]) -> tuple[tuple[object, ...] | int, ...]:
        """What chance gave, read off the events of a setup or of one move, in the order asked:
        a tuple for a shuffle, an int for a roll. So a move is decided anew without the seed."""
        ...

    def outcome(self, state: State) -> Outcome | None: ...

    def question(self, view: View) -> Question | None:
        """What the viewer is asked; None where nothing is, or where it is simply its turn.

        A seat whose question has become another one is asked anew, with new time.
        """
        ...

    def holdings(self, view: View) -> tuple[tuple[Text, ...], ...]:
        """Per seat, what everybody can see that it has, in a few words each."""
        ...

    def ending(self, view: View) -> Text | None:
        """How a game that is over came to its end, where there are several ways; else None."""
        ...

    # the one door
    def view(self, state: State, seat: int | None) -> View: ...
    def visible(self, event: Event, seat: int | None) -> Event: ...

    # wire
    def encode(self, event: Event) -> bytes:
        """Canonical JSON of the event, its tag under "kind"; what the log stores and digests."""
        ...

    def decode(self, payload: bytes | str, schema: int) -> Event:
        """The event in a stored payload, upcast at JSON level when `schema` is an older one."""
        ...

    # words
    def parse(self, text: str, view: View) -> Command: ...
    def describe(self, move: Command | Event, view: View) -> str:
        """The move in notation; parse(describe(command, view), view) == command."""
        ...

    def sentence(self, event: Event) -> Text | None:
        """What happened, for the log and the mail; None for what nobody needs to read.

        Takes an event that has passed `visible`.
        """
        ...

    def dialog(self, view: View, answers: Mapping[str, Sequence[str]]) -> Dialog: ...
    def foresee(self, view: View, command: Command) -> Dialog:
        """The dialog of a command that was typed: its line, preview and warnings, no questions;
        IllegalMove where it may not be made."""
        ...

    def settlement(self, view: View) -> tuple[tuple[int, tuple[Text, ...]], ...]:
        """(seat, lines) of the final scoring, explained line by line; empty before the end."""
        ...

    def notation_help(self) -> tuple[Text, ...]: ...

    def hand(self, view: View) -> tuple[Held, ...]:
        """The viewer's own hand, equal things counted, in the order of the rules; () without one."""
        ...

    # pictures
    def board_text(self, view: View, *, translate: Callable[[Text], str] = str) -> str:
        """The board as lines of plain text, for mails without pictures and the command line.

        translate: as for `board_svg`.
        """
        ...

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
        """The board as one <svg>; no style elements or attributes, classes for the page's CSS,
        colours as presentation attributes so that it stands alone as well.

        links: board element id (Option.mark) → href; those elements become links.
        recent: visible events since the viewer's last move, drawn as marks.
        translate: puts labels and the title into the reader's language; plain text, not HTML.
        prefix: goes before every id, where several boards stand on one page.
        near, zoom: the part round this element, closer by so many steps; see `closeups`.
        """
        ...

    def closeups(self, view: View, near: str = "", zoom: int = 0) -> tuple[Closeup, ...]:
        """Where one can look from the picture that `board_svg` draws of these; () where the
        whole board can be read and hit in any window."""
        ...

    def icon_svg(self, name: str) -> str: ...

    # the house bot: sees its own view and nothing else
    def bot(self, view: View) -> Command: ...
