"""The geometry of the path: gaps, the next landing, the stack to take from.

Pure functions over what everybody sees. `tops` has 55 entries, indexed by space: the top tile
of each stack, None for water and for both ends (0 Atlantis, 54 the mainland). `bridges` are
spaces: a gap is bridged when one of them lies in it, which is why a bridge goes on holding
when its gap grows or merges, and is gone when its gap becomes part of an end.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from .model import ATLANTIS, MAINLAND, Gap, Item, Space, Tile, Tiles

Tops = Sequence[Tile | None]


def tops_of_stacks(path: Iterable[Tiles]) -> Tops:
    """`tops` of a state's path (stacks, bottom tile first)."""
    return [None, *[stack[-1] if stack else None for stack in path], None]


def tops_of_spaces(path: Iterable[Space]) -> Tops:
    """`tops` of a view's path."""
    return [None, *[space.top for space in path], None]


def find_gaps(tops: Tops, bridges: Collection[int]) -> tuple[Gap, ...]:
    """All gaps from Atlantis on: maximal runs of water between two stacks (A turn, step 3).

    The price is the lower of the two top values beside it, 0 when bridged. Water that touches
    Atlantis or the mainland is no gap.
    """
    return tuple(_gaps(tops, bridges))


def _gaps(tops: Tops, bridges: Collection[int]) -> Iterator[Gap]:
    before: Tile | None = None  # the last stack passed
    last_stack = ATLANTIS
    for space, tile in enumerate(tops):
        if tile is None:
            continue
        if before is not None and space > last_stack + 1:
            first, last = last_stack + 1, space - 1
            bridged = any(first <= bridge <= last for bridge in bridges)
            yield Gap(first, last, 0 if bridged else min(before.value, tile.value), bridged)
        before, last_stack = tile, space


def next_space(tops: Tops, start: int, item: Item) -> int:
    """The next space ahead of `start` whose top tile shows the item; the mainland if none does."""
    for space in range(start + 1, MAINLAND):
        tile = tops[space]
        if tile is not None and tile.item is item:
            return space
    return MAINLAND


def stack_behind(tops: Tops, occupied: Collection[int], space: int) -> int | None:
    """The nearest free stack behind `space`, occupied stacks and gaps skipped (A turn, step 4)."""
    for behind in range(space - 1, ATLANTIS, -1):
        if tops[behind] is not None and behind not in occupied:
            return behind
    return None


def crossed(gaps: Iterable[Gap], start: int, lands: int) -> tuple[Gap, ...]:
    """The gaps on the way from `start` to `lands`, bridged ones included."""
    return tuple(gap for gap in gaps if start < gap.first and gap.last < lands)


def gap_at(gaps: Iterable[Gap], space: int) -> Gap | None:
    """The gap that this space belongs to."""
    for gap in gaps:
        if gap.first <= space <= gap.last:
            return gap
    return None


def changed(gaps: Iterable[Gap], old: Iterable[Gap]) -> tuple[Gap, ...]:
    """The gaps that reach from one space to another as none of the old ones does."""
    known = {(gap.first, gap.last) for gap in old}
    return tuple(gap for gap in gaps if (gap.first, gap.last) not in known)


def without_top(tops: Tops, space: int) -> Tops:
    """The path after the last tile of the stack at `space` was taken: water."""
    return [*tops[:space], None, *tops[space + 1 :]]
