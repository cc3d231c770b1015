"""The geometry of the board, in a drawing 400 units wide."""

from collections.abc import Iterable

from ...drawing import Point, pair
from ..hexes import HEXES, ISLE_SHORES

WIDTH, HEIGHT = 400, 424
HEX = 31.2  # width of a hex, from flat side to flat side
PITCH = 27.02  # from row to row
_LEFT, _TOP = 12.8, 33.0

# A hex around (0, 0), and the same a little smaller, for rings inside it.
OUTLINE = "M0-18L15.6-9V9L0 18-15.6 9V-9z"


def _centre(hex_: int) -> Point:
    row, col = HEXES[hex_]
    shift = HEX if row % 2 == 0 else HEX / 2
    return _LEFT + col * HEX + shift, _TOP + row * PITCH


CENTRES: tuple[Point, ...] = tuple(_centre(hex_) for hex_ in range(len(HEXES)))

SHORE = 392  # where the sea ends and the legend begins


def isle_point(isle: int, x: float, y: float) -> Point:
    """A point of an isle, measured from its corner of the sea."""
    return (x if isle % 2 == 0 else WIDTH - x, y if isle < 2 else SHORE - y)


def isle_place(isle: int) -> str:
    """The transform that puts a drawing for the north-west corner into the corner of an isle."""
    return (
        "",
        f"translate({WIDTH})scale(-1 1)",
        f"translate(0 {SHORE})scale(1-1)",
        f"translate({WIDTH} {SHORE})scale(-1)",
    )[isle]


# The end of a way onto an isle.
ISLE_CENTRES: tuple[Point, ...] = tuple(
    isle_point(isle, 30, 34) for isle in range(len(ISLE_SHORES))
)


def outlines(hexes: Iterable[int]) -> str:
    """Path data of these hexes, one closed path each.

    Each begins at a distance from the one before, which is the same for neighbours: that compresses
    to a tenth.
    """
    parts, at = [], (0.0, 0.0)
    for x, y in map(CENTRES.__getitem__, hexes):
        top = round(x, 1), round(y - 18, 1)
        parts.append(f"m{pair(top[0] - at[0], top[1] - at[1])}l15.6 9v18l-15.6 9-15.6-9v-18z")
        at = top
    return "".join(parts)


def row_of(count: int, width: float, most: float) -> tuple[float, ...]:
    """Positions of `count` things side by side around 0, at most `most` apart and `width` in
    all."""
    if count < 2:
        return (0.0,) * count
    apart = min(most, width / (count - 1))
    return tuple(apart * (number - (count - 1) / 2) for number in range(count))
