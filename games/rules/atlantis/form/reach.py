"""The landings that the viewer can reach, their prices, and where the bridge would help.

Asks moves for every way and sorts them for the form; asks the player nothing.
"""

from typing import NamedTuple

from .. import path
from ..coins import counts_of
from ..model import FIGURES, Gap
from ..move_context import MoveContext, Route, routes


class Landing(NamedTuple):
    """A space in reach of a figure: every choice of cards that leads there, and the price."""

    figure: int
    space: int
    routes: tuple[Route, ...]  # first what keeps most cards, then most different ones
    gaps: tuple[Gap, ...]  # crossed, bridged ones included
    price: int

    def due(self, bridge: Gap | None) -> int:
        """The price once this gap is bridged."""
        if bridge is None or bridge not in self.gaps:
            return self.price
        return self.price - bridge.price


class Reach:
    """Every landing of each figure, payable or not."""

    def __init__(self, context: MoveContext) -> None:
        self.context = context
        self.budget = context.purse.worth + sum(context.hand)  # before any card is played
        self.landings = [self._landings(figure) for figure in range(len(FIGURES))]

    def _landings(self, figure: int) -> tuple[Landing, ...]:
        found: dict[int, list[Route]] = {}
        for route in routes(self.context, figure):
            found.setdefault(route.lands, []).append(route)
        start = self.context.me.figures[figure]
        landings = []
        for space in sorted(found):
            gaps = path.crossed(self.context.gaps, start, space)
            price = sum(gap.price for gap in gaps)
            ways = tuple(sorted(found[space], key=self._costs))
            landings.append(Landing(figure, space, ways, gaps, price))
        return tuple(landings)

    def _costs(self, route: Route) -> tuple[int, int]:
        """(cards played, how few different items are left)."""
        used = counts_of(route.cards)
        kinds = sum(n > m for n, m in zip(self.context.hand, used, strict=True))
        return len(route.cards), -kinds

    def payable(self, landing: Landing, bridge: Gap | None = None) -> tuple[Route, ...]:
        """The ways there that leave enough to pay with, once this gap is bridged."""
        due = landing.due(bridge)
        return tuple(way for way in landing.routes if self.budget - len(way.cards) >= due)

    def sites_before(self, landing: Landing) -> tuple[Gap, ...]:
        """Gaps over which the own bridge may be built first, so that the way can be paid."""
        if not self.context.me.bridge:
            return ()
        unbridged = (gap for gap in self.context.gaps if not gap.bridged)
        return tuple(gap for gap in unbridged if self.payable(landing, gap))

    def sites_after(self, landing: Landing) -> tuple[Gap, ...]:
        """Gaps over which the own bridge may be built once the tile is taken."""
        context = self.context
        if not context.me.bridge or not self.payable(landing):
            return ()
        if context.arrivals(landing.figure, landing.space) == len(FIGURES):
            return ()  # this ends the game
        taken_from = context.taken_from(landing.figure, landing.space)
        left = context.gaps_after(taken_from, context.bridges)
        return tuple(gap for gap in left if not gap.bridged)

    def can_land(self, landing: Landing) -> bool:
        """Return whether the way can be paid, if need be with the own bridge."""
        return bool(self.payable(landing) or self.sites_before(landing))

    def offered(self, figure: int) -> tuple[Landing, ...]:
        """The landings to choose from, nearest first."""
        return tuple(landing for landing in self.landings[figure] if self.can_land(landing))

    @property
    def stuck(self) -> bool:
        """No figure can move with cards, tiles and bridges as they are (No move)."""
        return not any(self.payable(landing) for each in self.landings for landing in each)
