"""Paying: tiles at face value, cards at one point each, no change.

Knows sums and nothing else: not the path, not whose turn it is.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property

from .box import ITEMS
from .model import Cards, Tile, Tiles

Counts = tuple[int, ...]  # cards of each item, in the order of Item


class Purse:
    """The tile values that a player can pay with, highest first, for many prices in a row.

    The sums of many tiles take milliseconds, so they are added up when something is owed.
    """

    def __init__(self, values: Iterable[int]) -> None:
        self.values = tuple(sorted(values, reverse=True))
        self.worth = sum(self.values)

    @cached_property
    def sums(self) -> dict[int, tuple[int, ...]]:
        """`sums[s]` is the choice of tiles worth exactly s that has the fewest tiles, and of those
        the one with the highest first."""
        sums: dict[int, tuple[int, ...]] = {0: ()}
        for value in self.values:
            for worth, chosen in list(sums.items()):
                better, held = (*chosen, value), sums.get(worth + value)
                if (
                    held is None
                    or len(better) < len(held)
                    or (len(better) == len(held) and better > held)
                ):
                    sums[worth + value] = better
        return sums

    @cached_property
    def _worths(self) -> list[int]:
        return sorted(self.sums)

    def cheapest(self, price: int, cards: int) -> tuple[tuple[int, ...], int] | None:
        """The payment that overpays least, then with the fewest cards: (tile values, cards).

        `cards` is how many cards there are to pay with. None if the price is out of reach.
        """
        if not price:
            return (), 0
        below = [worth for worth in self._worths if worth <= price]
        if price - below[-1] <= cards:
            return self.sums[below[-1]], price - below[-1]
        if len(below) == len(self._worths):
            return None
        return self.sums[self._worths[len(below)]], 0


def settle(owed: int, tiles: Sequence[Tile], cards: int) -> tuple[tuple[int, ...], int]:
    """The final payment (End): as `Purse.cheapest`, or everything when that is not enough."""
    purse = Purse(tile.value for tile in tiles)
    return purse.cheapest(owed, cards) or (purse.values, cards)


def hand_over(count: int, hand: Counts, order: Sequence[int] = ()) -> Cards:
    """`count` cards to pay with, sorted: one by one from the item held most often; of those held
    equally often, the first in `order`, by default that of the items."""
    left = list(hand)
    given = [0] * len(left)
    order = order or range(len(left))
    for _ in range(count):
        most = max(order, key=left.__getitem__)
        left[most] -= 1
        given[most] += 1
    return cards_of(given)


def tiles_worth(values: Iterable[int], tiles: Sequence[Tile]) -> Tiles | None:
    """Tiles of these values, of equal ones the first collected; None if one is not there."""
    left = list(tiles)
    chosen: list[Tile] = []
    for value in values:
        tile = next((tile for tile in left if tile.value == value), None)
        if tile is None:
            return None
        left.remove(tile)
        chosen.append(tile)
    return tuple(chosen)


def cards_of(counts: Iterable[int]) -> Cards:
    """Counts as sorted cards."""
    return tuple(item for item, n in zip(ITEMS, counts, strict=True) for _ in range(n))


def counts_of(cards: Iterable[str]) -> Counts:
    """Cards as counts."""
    cards = tuple(cards)
    return tuple(cards.count(item) for item in ITEMS)
