"""The view of a seat, with hands, deck and covered tiles that it does not see dealt by chance.

A deal agrees with the view and holds no fact from outside it. Sets of spaces are numbers with a bit
for each space, which makes questions such as "the next helmet ahead" quick.
"""

from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

from games.rules.chance import FastRandom

from ..box import CARDS, HALF_A, HALF_B, HEIGHTS_A, INDEX, ITEMS
from ..coins import counts_of
from ..model import MAINLAND, View

T = TypeVar("T")


class KnownTable:
    """A view, prepared for many deals.

    values: of the top tiles by space, 0 for none. items: per item, the spaces whose top tile shows
    it. unseen: the cards that others hold or draw. covered: the spaces with a tile below the top
    one, in the first half of the path and in the second; tiles: those that may lie there, as (item,
    value).
    """

    def __init__(self, view: View) -> None:
        self.order = view.order
        self.discards = [INDEX[item] for item in view.discards]
        unseen = Counter(CARDS)
        unseen.subtract(view.discards)
        for player in view.players:
            unseen.subtract(player.hand or ())
        self.unseen = [INDEX[item] for item in unseen.elements()]
        self.hands = [
            None if player.hand is None else list(counts_of(player.hand)) for player in view.players
        ]
        self.cards = [player.cards for player in view.players]
        self.figures = [list(player.figures) for player in view.players]
        self.purses = [[tile.value for tile in player.tiles] for player in view.players]
        self.unbuilt = [player.bridge for player in view.players]
        self.bridges = spaces(gap.first for gap in view.gaps if gap.bridged)
        self.occupied = spaces(
            place for figures in self.figures for place in figures if 0 < place < MAINLAND
        )
        self._see_path(view)

    def _see_path(self, view: View) -> None:
        border = len(HEIGHTS_A)
        pools = Counter(HALF_A), Counter(HALF_B)
        self.values = [0] * (MAINLAND + 1)
        self.items = [0] * len(ITEMS)
        self.covered: tuple[list[int], list[int]] = ([], [])
        for place, space in enumerate(view.path, 1):
            if space.top is None:
                continue
            half = place > border + 1
            pools[half][space.top] -= 1
            self.values[place] = space.top.value
            self.items[INDEX[space.top.item]] |= 1 << place
            if space.height > 1:
                self.covered[half].append(place)
        self.stacks = spaces(place for place, value in enumerate(self.values) if value)
        for player in view.players:
            for tile in player.tiles:  # which half it came from is not known for certain
                pools[0 if pools[0][tile] > 0 else 1][tile] -= 1
        self.tiles = tuple(
            [(INDEX[tile.item], tile.value) for tile in (+pool).elements()] for pool in pools
        )  # tiles that left the game among them


class Deal:
    """One world that agrees with a view. seed: of the luck to come. deck: in no order, since each
    card is drawn by chance. below: the covered tile of each stack that has one."""

    def __init__(self, known: KnownTable, seed: int) -> None:
        luck = FastRandom(seed)
        self.seed = luck.below(1 << 31)
        self.deck = known.unseen.copy()
        self.hands: list[list[int]] = []
        for seen, cards in zip(known.hands, known.cards, strict=True):
            hand = seen or [0] * len(ITEMS)
            if seen is None:
                for _ in range(cards):
                    hand[drawn(self.deck, luck)] += 1
            self.hands.append(hand)
        self.below: dict[int, tuple[int, int]] = {}
        tiles = [pool.copy() for pool in known.tiles]
        for half, places in enumerate(known.covered):
            for place in places:
                pool = tiles[half] or tiles[1 - half]
                self.below[place] = drawn(pool, luck)


def drawn(pile: list[T], luck: FastRandom) -> T:
    """Take away and return any of these things; the pile has no order."""
    at = luck.below(len(pile))
    pile[at], pile[-1] = pile[-1], pile[at]
    return pile.pop()


def spaces(places: Iterable[int]) -> int:
    """The set of these spaces."""
    return sum({1 << place for place in places})
