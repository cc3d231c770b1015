"""Positions and moves in a line each, so that a test reads like a sentence about the game."""

from collections.abc import Sequence
from typing import TypeVar

import pytest

from games.rules.atlantis.coins import cards_of
from games.rules.atlantis.model import (
    FIGURES,
    Buy,
    Command,
    Drew,
    Ended,
    Event,
    Item,
    Move,
    Moved,
    Pass,
    Settled,
    State,
    Tile,
    View,
)
from games.rules.contract import Chance
from games.rules.errors import IllegalMove
from tests.rules.atlantis.games import ATLANTIS
from tests.rules.atlantis.position_lines import ITEM, parse_position

T = TypeVar("T")
E = TypeVar("E")


class Unshuffled:
    """Chance that leaves everything as it lies."""

    def shuffle(self, items: Sequence[T], /) -> tuple[T, ...]:
        return tuple(items)

    def roll(self, faces: int, /) -> int:
        return 0


class Reversing(Unshuffled):
    """Chance whose shuffles turn everything round."""

    def shuffle(self, items: Sequence[T], /) -> tuple[T, ...]:
        return tuple(reversed(items))


class NoLuck(Unshuffled):
    """Chance that must not be asked."""

    def shuffle(self, items: Sequence[T], /) -> tuple[T, ...]:
        raise AssertionError("nothing was to be shuffled")


def table(position: str) -> State:
    """The state of a line of text (see tests.rules.atlantis.position_lines)."""
    return parse_position(position)


def order(line: str) -> Command:
    """A command from its short form: "B f h pay 5 2 o bridge 27", "buy 6", "pass"."""
    words = line.split()
    if words == ["pass"]:
        return Pass()
    if words[0] == "buy":
        return Buy(int(words[1]))
    before = after = None
    if words[0] == "bridge":
        before, words = int(words[1]), words[2:]
    if len(words) > 2 and words[-2] == "bridge":
        after, words = int(words[-1]), words[:-2]
    at = words.index("pay") if "pay" in words else len(words)
    coins = words[at + 1 :]
    return Move(
        figure=FIGURES.index(words[0]),
        cards=tuple(ITEM[word] for word in words[1:at]),
        pay_tiles=tuple(int(coin) for coin in coins if coin.isdigit()),
        pay_cards=tuple(ITEM[coin] for coin in coins if not coin.isdigit()),
        bridge_before=before,
        bridge_after=after,
    )


class Played:
    """The result of a move: its events, and the state after them."""

    def __init__(self, state: State, events: tuple[Event, ...]) -> None:
        self.events = events
        self.state = ATLANTIS.fold(events, state)

    def one(self, kind: type[E]) -> E:
        """The only event of its kind."""
        (event,) = self.all(kind)
        return event

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def moved(self) -> Moved:
        return self.one(Moved)

    @property
    def drew(self) -> Drew:
        return self.one(Drew)

    @property
    def ended(self) -> Ended:
        return self.one(Ended)

    def settled(self, seat: int) -> Settled:
        (event,) = (event for event in self.all(Settled) if event.seat == seat)
        return event


def play(position: str | State, line: str, chance: Chance | None = None) -> Played:
    """Play a move for the seat that is to act."""
    state = table(position) if isinstance(position, str) else position
    (seat,) = ATLANTIS.rules.to_act(state)
    return Played(state, ATLANTIS.rules.decide(state, seat, order(line), chance or Unshuffled()))


def refusal(position: str | State, line: str, seat: int | None = None) -> str:
    """Return why the move is refused."""
    state = table(position) if isinstance(position, str) else position
    if seat is None:
        (seat,) = ATLANTIS.rules.to_act(state)
    with pytest.raises(IllegalMove) as caught:
        ATLANTIS.rules.decide(state, seat, order(line), NoLuck())
    return str(caught.value)


def legal(position: str | State) -> list[Command]:
    """All commands of the seat that is to act."""
    state = table(position) if isinstance(position, str) else position
    (seat,) = ATLANTIS.rules.to_act(state)
    return list(ATLANTIS.rules.legal_commands(state, seat))


def hand(state: State, seat: int) -> str:
    """A hand as letters, sorted by item."""
    return "".join(item[0] for item in cards_of(state.hands[seat]))


def tile(text: str) -> Tile:
    """ "o4" is olive 4."""
    return Tile(ITEM[text[0]], int(text[1]))


def item(letter: str) -> Item:
    return ITEM[letter]


def view_to_act(state: State) -> View:
    """The view of the seat that is to act."""
    (seat,) = ATLANTIS.rules.to_act(state)
    view: View = ATLANTIS.rules.view(state, seat)
    return view
