"""Atlantis in nouns: items, tiles, commands, events, the state and the view of it.

Spaces are numbered from Atlantis: 0 is Atlantis, 1 … 53 the path, 54 the mainland. Seats are
numbered from 0. Figures are 0, 1, 2 for A, B, C. No rules here: those are in `rules` and `moves`.
"""

from enum import StrEnum

import msgspec

from ..contract import Outcome

ATLANTIS = 0
SPACES = 53
MAINLAND = SPACES + 1
FIGURES = "ABC"


class Item(StrEnum):
    """The seven items, in the order in which hands are sorted."""

    FLAG = "flag"
    OLIVE = "olive"
    HELMET = "helmet"
    AMPHORA = "amphora"
    RING = "ring"
    CROWN = "crown"
    STATUE = "statue"


class Tile(msgspec.Struct, frozen=True, array_like=True, order=True):
    """A path tile; in JSON ["helmet", 5]."""

    item: Item
    value: int


Cards = tuple[Item, ...]
Tiles = tuple[Tile, ...]


# -- commands ------------------------------------------------------------------------


class Buy(msgspec.Struct, frozen=True, tag="buy"):
    """Give up a collected tile of this value, draw half of it rounded down (A turn, step 1)."""

    value: int


class Move(msgspec.Struct, frozen=True, tag="move"):
    """Move a figure with these cards in this order; pay; perhaps build the bridge.

    pay_tiles: values of collected tiles, highest first. pay_cards: cards of the hand, sorted.
    bridge: a space of the gap to bridge (any of its spaces; canonical is the first), before
    the move or after the tile is taken. planned: the plan of the seat says so; nobody gives this.
    """

    figure: int
    cards: Cards
    pay_tiles: tuple[int, ...] = ()
    pay_cards: Cards = ()
    bridge_before: int | None = None
    bridge_after: int | None = None
    planned: bool = False


class Pass(msgspec.Struct, frozen=True, tag="pass"):
    """No legal move: show the hand, draw two (No move)."""


class PlanLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A move for the next turn, with the cheapest payment, and what must hold by then.

    most: all that is paid, what is paid too much included, is at most this. least: the tile taken
    is worth at least this (0: any, or none). lands: `cards` lead to this space; None: to any.
    spare: the card that is played behind `cards` if their last space is occupied. ends: it may end
    the game. even_so: also if another figure of the others has reached the mainland since.
    """

    figure: int
    cards: Cards
    most: int
    least: int
    lands: int | None = None
    spare: Item | None = None
    ends: bool = False
    even_so: bool = False


class Plan(msgspec.Struct, frozen=True, tag="plan"):
    """The plan for the next turn: the first line that fits is played. No line: no plan."""

    lines: tuple[PlanLine, ...] = ()


TurnCommand = Buy | Move | Pass
Command = TurnCommand | Plan


# -- events --------------------------------------------------------------------------


class Prepared(msgspec.Struct, frozen=True, tag_field="kind", tag="prepared"):
    """The table is laid. order: seats in turn order. path: 53 stacks, bottom tile first.

    deck: the 105 cards, top first, hands not yet dealt. In `visible` the deck is empty and of
    each stack only the top tile is left (`heights` has how many lie there).
    """

    order: tuple[int, ...]
    path: tuple[Tiles, ...]
    heights: tuple[int, ...]
    deck: Cards


class Dealt(msgspec.Struct, frozen=True, tag_field="kind", tag="dealt"):
    """The first hands, per seat, sorted; hands the reader may not see are None."""

    hands: tuple[Cards | None, ...]
    counts: tuple[int, ...]


class Bought(msgspec.Struct, frozen=True, tag_field="kind", tag="bought"):
    """seat gave up this tile for `count` cards (the Drew that follows)."""

    seat: int
    tile: Tile
    count: int


class Moved(msgspec.Struct, frozen=True, tag_field="kind", tag="moved", omit_defaults=True):
    """A whole move up to the tile taken; the draw follows as Drew.

    start, via: spaces, where it stood and every landing, the last one included. price: gap prices
    owed. taken, taken_from: the tile and the space it was taken from. planned: by the seat's plan.
    """

    seat: int
    figure: int
    cards: Cards
    start: int
    via: tuple[int, ...]
    price: int
    paid_tiles: Tiles
    paid_cards: Cards
    taken: Tile | None
    taken_from: int | None
    bridge_before: int | None
    bridge_after: int | None
    planned: bool = False


class Planned(msgspec.Struct, frozen=True, tag_field="kind", tag="planned"):
    """seat left this plan, or none (no lines); None where the reader may not see it.

    arrived: figures of the others on the mainland at that time.
    """

    seat: int
    lines: tuple[PlanLine, ...] | None
    arrived: int


class Passed(msgspec.Struct, frozen=True, tag_field="kind", tag="passed"):
    """seat had no legal move and showed this hand to everyone."""

    seat: int
    hand: Cards


class Reshuffled(msgspec.Struct, frozen=True, tag_field="kind", tag="reshuffled"):
    """The discards became the deck, top first; in `visible` cards is None."""

    count: int
    cards: Cards | None


class Drew(msgspec.Struct, frozen=True, tag_field="kind", tag="drew"):
    """seat drew `count` cards; cards None where the reader may not see them.

    ends_turn: not so when bought, nor when the deck ran out and more follows.
    """

    seat: int
    count: int
    cards: Cards | None
    ends_turn: bool


class Settled(msgspec.Struct, frozen=True, tag_field="kind", tag="settled"):
    """The final movement of one seat.

    crossings[figure]: the gap prices on its way; () if it has arrived.
    """

    seat: int
    crossings: tuple[tuple[int, ...], ...]
    owed: int
    paid_tiles: Tiles
    paid_cards: Cards
    short: int


class Ended(msgspec.Struct, frozen=True, tag_field="kind", tag="ended"):
    """The scores per seat, debts included, and the winners."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]


Played = Bought | Moved | Passed  # the first event of a move; its player knows all of it before
Event = Prepared | Dealt | Played | Planned | Reshuffled | Drew | Settled | Ended


# -- the state: everything, secrets included ---------------------------------------------


class State(msgspec.Struct, frozen=True):
    """The whole game. Lists per player are indexed by seat.

    path: 53 stacks, bottom tile first, index 0 is space 1; () is water. hands: cards of each
    item, in the order of Item. bridges: the spaces on which bridges were built, those that were
    washed away since included. deck: top first. turn: turns begun. active: the seat to act,
    None before the deal and after the end. plans: those that are in force.
    """

    order: tuple[int, ...] = ()
    path: tuple[Tiles, ...] = ()
    figures: tuple[tuple[int, int, int], ...] = ()
    hands: tuple[tuple[int, ...], ...] = ()
    tiles: tuple[Tiles, ...] = ()
    unbuilt: tuple[bool, ...] = ()
    bridges: tuple[int, ...] = ()
    deck: Cards = ()
    discards: Cards = ()
    turn: int = 0
    active: int | None = None
    bought: bool = False
    settled: tuple[Settled, ...] = ()
    outcome: Outcome | None = None
    plans: tuple[Planned | None, ...] = ()


# -- the view: what one seat (or a spectator) may know ---------------------------------


class Space(msgspec.Struct, frozen=True):
    """A space of the path: its top tile and how many tiles lie there (0: water).

    Nobody may see covered tiles.
    """

    top: Tile | None
    height: int


class Gap(msgspec.Struct, frozen=True):
    """A maximal run of water between two stacks: first … last; the price is 0 when bridged."""

    first: int
    last: int
    price: int
    bridged: bool


class Player(msgspec.Struct, frozen=True):
    """A seat as a reader sees it; hand is None where it is secret."""

    seat: int
    figures: tuple[int, int, int]
    tiles: Tiles
    cards: int
    hand: Cards | None
    bridge: bool  # still unbuilt

    @property
    def points(self) -> int:
        """The sum of the tiles, which everybody sees."""
        return sum(tile.value for tile in self.tiles)


class View(msgspec.Struct, frozen=True):
    """Everything `viewer` may know, and nothing else. players are indexed by seat.

    turn: turns begun, 1 for the first. bought: the seat to act has bought in this turn.
    outcome and settled are set once the game is over. plan: the viewer's own, if it is in force.
    """

    viewer: int | None
    order: tuple[int, ...]
    to_act: tuple[int, ...]
    turn: int
    bought: bool
    path: tuple[Space, ...]  # index 0 is space 1
    gaps: tuple[Gap, ...]
    players: tuple[Player, ...]
    deck: int
    discards: Cards
    outcome: Outcome | None = None
    settled: tuple[Settled, ...] = ()
    plan: Planned | None = None
