"""The geometry of the board: the winding path in a drawing 400 units wide.

The path has seven rows of nine columns. Odd rows run to the right, even rows to the left, with
bends between them, and all rows sway like waves. Atlantis fills the upper left corner, the mainland
the lower edge.
"""

import math
from functools import cache
from itertools import pairwise

from ...drawing import Box, Point, pair
from ..model import MAINLAND, SPACES

WIDTH, HEIGHT = 400, 512
TILE = 38  # width of a space; a tap target should be at least 34 wide

_COLUMN, _LEFT = 43.0, 28.0
_ROW, _TOP = 56.0, 64.0
_BEND = 2.5  # distance of a bend from the outermost columns


def _place(space: int) -> Point:
    """The middle of a space. Spaces 1 … 5 are the first row, 6 its bend, 7 … 13 the second, …"""
    row, step = divmod(space + 1, 8)
    rightward = row % 2 == 0
    if step == 7:
        x = _LEFT + (8 * _COLUMN - _BEND if rightward else _BEND)
        return x, _TOP + (row + 0.5) * _ROW
    column = step + 1 if rightward else 7 - step
    return _LEFT + column * _COLUMN, _TOP + row * _ROW + 4.5 * math.sin(column * math.pi / 4)


# Spaces 0 and 54 are the ends of the trail, at the quays of Atlantis and the mainland.
PLACES: tuple[Point, ...] = (
    (112.0, 66.0),
    *(_place(space) for space in range(1, SPACES + 1)),
    (355.0, 455.0),
)


def _knots() -> list[tuple[float, Point]]:
    """(space, point) along the trail: the spaces, and points between them that round the bends."""
    knots: list[tuple[float, Point]] = []
    for space, (x, y) in enumerate(PLACES):
        bend = 0 < space < MAINLAND and (space + 1) % 8 == 7
        inward = -9.0 if x > WIDTH / 2 else 9.0
        if bend:
            knots.append((space - 0.5, (x + inward, y - 18.5)))
        knots.append((space, (x, y)))
        if bend:
            knots.append((space + 0.5, (x + inward, y + 18.5)))
    return [*knots[:-1], (SPACES + 0.4, (359.0, 409.0)), (SPACES + 0.7, (368.0, 427.0)), knots[-1]]


_KNOTS = _knots()


def _slope(i: int) -> Point:
    """A sixth of the way from the previous knot to the next one: a Bézier control vector."""
    (_b, before), (_a, after) = _KNOTS[max(i - 1, 0)], _KNOTS[min(i + 1, len(_KNOTS) - 1)]
    return (after[0] - before[0]) / 6, (after[1] - before[1]) / 6


@cache
def trail(first: int, last: int) -> str:
    """Path data of the smooth line from the middle of space `first` to that of `last`."""
    inside = [i for i, (space, _point) in enumerate(_KNOTS) if first <= space <= last]
    curves = []
    for i, j in pairwise(inside):
        (x0, y0), (x1, y1) = _KNOTS[i][1], _KNOTS[j][1]
        (sx, sy), (ex, ey) = _slope(i), _slope(j)
        dx, dy = x1 - x0, y1 - y0
        curves.append(f"{pair(sx, sy)} {pair(dx - ex, dy - ey)} {pair(dx, dy)}")
    start = _KNOTS[inside[0]][1]
    return f"M{pair(*start)}" + ("c" + " ".join(curves) if curves else "h0").replace(" -", "-")


@cache
def trail_box(first: int, last: int, margin: float = 24) -> Box:
    """A box that `trail` does not leave, with room for a stroke."""
    points = [point for space, point in _KNOTS if first <= space <= last]
    (left, right), (top, bottom) = ((min(side), max(side)) for side in zip(*points, strict=True))
    return left - margin, top - margin, right - left + 2 * margin, bottom - top + 2 * margin


@cache
def dashes(space: int, dash: float, period: float) -> str:
    """A dash pattern of about this period that divides the trail from this space to the next one
    evenly."""
    points = [point for knot, point in _KNOTS if space <= knot <= space + 1]
    length = sum(math.dist(*ends) for ends in pairwise(points))
    return f"{dash:g} {length / round(length / period) - dash:.2f}"


@cache
def middle(first: int, last: int) -> Point:
    """The point of the trail halfway between the spaces `first` and `last`."""
    half = (first + last) / 2
    if point := dict(_KNOTS).get(half):
        return point
    i = next(i for i, (space, _point) in enumerate(_KNOTS) if space > half) - 1
    (x0, y0), (x1, y1) = _KNOTS[i][1], _KNOTS[i + 1][1]
    (sx, sy), (ex, ey) = _slope(i), _slope(i + 1)
    # The curve of `trail` at its halfway point.
    return (x0 + x1) / 2 + 0.375 * (sx - ex), (y0 + y1) / 2 + 0.375 * (sy - ey)


def home(seat: int, figure: int, seats: int, space: int) -> Point:
    """Return the place of a figure on Atlantis or the mainland, the same in every drawing.

    Two rows. The figures of one seat are 34 units apart, so that each can be hit; three or four
    seats interleave.
    """
    column, row = (2 * figure, seat) if seats == 2 else (2 * figure + seat % 2, seat // 2)
    x, y = (20.0, 75.0) if space < MAINLAND else (250.0, 478.0)
    return x + 17 * column + 8.5 * row, y + 21 * row


def figure_place(seat: int, figure: int, seats: int, space: int) -> Point:
    """Return the place of a figure's feet."""
    if space <= 0 or space >= MAINLAND:
        return home(seat, figure, seats, space)
    x, y = PLACES[space]
    return x + 10.5, y + 15.5
