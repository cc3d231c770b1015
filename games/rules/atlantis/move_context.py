"""A player's view made ready for questions: where figures can go and what it costs.

Reads a View and nothing else. Which commands are legal is said in moves.
"""

from collections.abc import Iterator, Sequence

import msgspec

from . import path
from .box import ITEMS
from .coins import Counts, Purse, counts_of, hand_over
from .model import ATLANTIS, MAINLAND, Cards, Gap, Move, Moved, View


class Route(msgspec.Struct, frozen=True):
    """A way for a figure to a free space or the mainland: the cards in order, every landing."""

    start: int
    cards: Cards
    via: tuple[int, ...]

    @property
    def lands(self) -> int:
        return self.via[-1]


class MoveContext:
    """A view made ready for questions about the seat that looks; it must see a hand."""

    def __init__(self, view: View) -> None:
        if view.viewer is None:
            raise ValueError("spectators have no hand to ask about")
        self.view = view
        self.me = view.players[view.viewer]
        self.hand: Counts = counts_of(self.me.hand or ())
        self.tops = path.tops_of_spaces(view.path)
        self.gaps = view.gaps
        self.bridges = tuple(gap.first for gap in view.gaps if gap.bridged)
        self.occupied = frozenset(
            space
            for player in view.players
            for space in player.figures
            if ATLANTIS < space < MAINLAND
        )
        self.purse = Purse(tile.value for tile in self.me.tiles)

    def arrivals(self, figure: int, lands: int) -> int:
        """Own figures on the mainland once this one has landed."""
        others = [at for other, at in enumerate(self.me.figures) if other != figure]
        return (*others, lands).count(MAINLAND)

    def taken_from(self, figure: int, lands: int) -> int | None:
        """The space whose top tile a figure takes that lands there; the space it left is free."""
        occupied = self.occupied - {self.me.figures[figure]}
        return path.stack_behind(self.tops, occupied, lands)

    def gaps_after(self, taken_from: int | None, bridges: Sequence[int]) -> tuple[Gap, ...]:
        """The gaps once the tile is taken. Prices beside a stack just uncovered are unknown."""
        tops = self.tops
        if taken_from is not None and self.view.path[taken_from - 1].height == 1:
            tops = path.without_top(tops, taken_from)
        return path.find_gaps(tops, bridges)

    def gaps_left(self, event: Moved) -> tuple[Gap, ...]:
        """The gaps after this move, with the bridge that it builds."""
        built = [site for site in (event.bridge_before, event.bridge_after) if site is not None]
        return self.gaps_after(event.taken_from, (*self.bridges, *built))


def routes(context: MoveContext, figure: int) -> Iterator[Route]:
    """Every way of a figure, whatever it costs; of equal cards to one place only the first.

    Which landing follows depends on the space and the card alone, so ways that come to the
    same space with the same cards in another order are one way. That keeps forty cards and
    long chains small: there are at most eleven occupied spaces to pass.
    """
    start = context.me.figures[figure]
    if start == MAINLAND:
        return
    seen: set[tuple[int, Counts]] = set()

    def onward(at: int, left: Counts, cards: Cards, via: tuple[int, ...]) -> Iterator[Route]:
        for index, item in enumerate(ITEMS):
            if not left[index]:
                continue
            lands = path.next_space(context.tops, at, item)
            remaining = (*left[:index], left[index] - 1, *left[index + 1 :])
            if (lands, remaining) in seen:
                continue
            seen.add((lands, remaining))
            if lands in context.occupied:
                yield from onward(lands, remaining, (*cards, item), (*via, lands))
            else:
                yield Route(start, (*cards, item), (*via, lands))

    yield from onward(start, context.hand, (), ())


def cheapest(
    context: MoveContext, cards: Cards, price: int
) -> tuple[tuple[int, ...], Cards] | None:
    """The canonical payment beside these played cards: (tile values, cards); None: too dear."""
    left = tuple(held - used for held, used in zip(context.hand, counts_of(cards), strict=True))
    found = context.purse.cheapest(price, sum(left))
    return found and (found[0], hand_over(found[1], left))


def plain_moves(context: MoveContext) -> Iterator[Move]:
    """Moves with bridges as they are."""
    for figure in range(len(context.me.figures)):
        for route in routes(context, figure):
            crossed = path.crossed(context.gaps, route.start, route.lands)
            payment = cheapest(context, route.cards, sum(gap.price for gap in crossed))
            if payment is not None:
                yield Move(figure, route.cards, *payment)
