"""The path, prepared for quick answers: where a card leads and what a way costs.

Made from a view, and again for each tile that a move may take.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from ..box import INDEX, ITEMS
from ..model import MAINLAND, Gap, Tile, View
from ..path import find_gaps, tops_of_spaces

UNKNOWN = 4  # the mean value of a tile that is not yet seen


class PathModel:
    """Stacks, gaps and bridges at one moment; never changed once made.

    tops: as in path, a tile not yet seen counting as UNKNOWN. ahead: per item, the spaces that
    are known to show it.
    """

    def __init__(
        self,
        tops: list[Tile | None],
        heights: list[int],
        ahead: Sequence[Sequence[int]],
        bridges: tuple[int, ...],
    ) -> None:
        self.tops = tops
        self._heights = heights
        self._ahead = ahead
        self.bridges = bridges
        self.gaps = find_gaps(tops, bridges)
        self._firsts = [gap.first for gap in self.gaps]
        self._sums = [0, *accumulate(gap.price for gap in self.gaps)]
        self._next: dict[tuple[int | None, int | None], PathModel] = {}

    @classmethod
    def seen(cls, view: View) -> "PathModel":
        """The path as everybody sees it."""
        tops = list(tops_of_spaces(view.path))
        ahead: list[list[int]] = [[] for _ in ITEMS]
        for space, tile in enumerate(tops):
            if tile is not None:
                ahead[INDEX[tile.item]].append(space)
        heights = [0, *(space.height for space in view.path), 0]
        return cls(tops, heights, ahead, tuple(gap.first for gap in view.gaps if gap.bridged))

    def follow(self, start: int, item: int) -> int:
        """Return the space to which a card of this item leads; an unknown tile is no landing."""
        ahead = self._ahead[item]
        at = bisect_right(ahead, start)
        return ahead[at] if at < len(ahead) else MAINLAND

    def debt(self, place: int) -> int:
        """Return the price of the way from this space to the mainland."""
        return self._sums[-1] - self._sums[bisect_right(self._firsts, place)]

    def dearest(self, start: int, lands: int) -> Gap:
        """The gap with the highest price between these spaces; there is one."""
        low, high = (bisect_right(self._firsts, place) for place in (start, lands))
        return max(self.gaps[low:high], key=lambda gap: gap.price)

    def after(self, taken: int | None, bridge: int | None) -> "PathModel":
        """The path with the tile of this space taken and a bridge built."""
        key = taken, bridge
        if key not in self._next:
            self._next[key] = self._changed(taken, bridge)
        return self._next[key]

    def _changed(self, taken: int | None, bridge: int | None) -> "PathModel":
        bridges = self.bridges if bridge is None else (*self.bridges, bridge)
        if taken is None:
            return PathModel(self.tops, self._heights, self._ahead, bridges)
        tops, heights, ahead = list(self.tops), list(self._heights), list(self._ahead)
        tile = tops[taken]
        assert tile is not None, "tiles are taken from stacks"
        heights[taken] -= 1
        tops[taken] = Tile(tile.item, UNKNOWN) if heights[taken] else None
        item = INDEX[tile.item]
        ahead[item] = [space for space in ahead[item] if space != taken]
        return PathModel(tops, heights, ahead, bridges)
