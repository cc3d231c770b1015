"""Parts of the board that emails show enlarged: on a phone, the names of 133 hexes are too small to
be read."""

from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import combinations_with_replacement, product

from ...drawing import Box
from ..board import acting, herd, out, own
from ..hexes import HEXES, LAND
from ..model import ABOARD, SEA, CreatureStage, View
from .geometry import CENTRES, SHORE, WIDTH

Hexes = frozenset[int]

DETAIL_WIDTH, DETAIL_HEIGHT = 176, 232  # at most; a name of 5.4 units has 9 px of a phone's 308
DETAIL_LEAST_HEIGHT = 144
DETAIL_RIM = 32  # around a hex that matters, so that its neighbours are seen
DETAIL_STEP = 8  # between windows that are tried


def details(view: View) -> tuple[Box, ...]:
    """One or two parts of the drawing that show most of what the viewer decides about, from the
    left to the right; () if nothing is to be decided."""
    return _best(_matters(view))


def _matters(view: View) -> Hexes:
    """The hexes that the viewer decides about: all land in the setup, the hex of a question, else
    those of the viewer's own explorers, and of the creatures that may be moved."""
    board, seat = view.board, view.viewer
    land = frozenset(hex_ for hex_ in LAND if board.map[hex_] != SEA)
    if board.is_setup:
        return land
    if seat is None or seat not in acting(board):
        return frozenset()
    if board.site is not None:
        return frozenset([board.site])
    found = {board.where[who] % ABOARD for who in own(board, seat) if out(board.where[who])}
    if isinstance(board.stage, CreatureStage):
        found |= {*herd(board, board.stage.creature)}
    return frozenset(found) or land


@lru_cache(maxsize=64)
def _best(matters: Hexes) -> tuple[Box, ...]:
    """The two windows that show most of these hexes together; one if it shows as much."""
    wanted = _bits(matters)
    windows: dict[int, list[Box]] = {}  # what is shown → the windows that show it
    for box, shows in _windows():
        if shown := shows & wanted:
            windows.setdefault(shown, []).append(box)
    if not windows:
        return ()
    pair = max(
        combinations_with_replacement(windows, 2),
        key=lambda pair: (
            (pair[0] | pair[1]).bit_count(),
            pair[0] == pair[1],
            -(pair[0] & pair[1]).bit_count(),
        ),
    )
    return tuple(sorted(_around(shown, windows[shown]) for shown in set(pair)))


def _around(shown: int, windows: list[Box]) -> Box:
    """The window with these hexes closest to its middle, trimmed."""
    hexes = frozenset(hex_ for hex_ in range(len(HEXES)) if shown >> hex_ & 1)
    return _trimmed(min(windows, key=lambda box: _off(box, hexes)), hexes)


def _bits(hexes: Iterable[int]) -> int:
    """These hexes as a number with a bit for each."""
    return sum(1 << hex_ for hex_ in hexes)


@cache
def _windows() -> tuple[tuple[Box, int], ...]:
    """(window, the hexes in it that are not close to its edge)."""
    corners = product(
        range(0, WIDTH - DETAIL_WIDTH + 1, DETAIL_STEP),
        range(0, SHORE - DETAIL_HEIGHT + 1, DETAIL_STEP),
    )
    boxes: list[Box] = [(x, y, DETAIL_WIDTH, DETAIL_HEIGHT) for x, y in corners]
    return tuple(
        (box, _bits(hex_ for hex_ in range(len(HEXES)) if _shows(box, hex_))) for box in boxes
    )


def _shows(box: Box, hex_: int) -> bool:
    """Return whether the hex is in this part with some of what is around it, as far as there is
    any."""
    (x, y), (left, top, wide, high) = CENTRES[hex_], box
    right, bottom = left + wide, top + high
    return (left + DETAIL_RIM * (left > 0) <= x <= right - DETAIL_RIM * (right < WIDTH)) and (
        top + DETAIL_RIM * (top > 0) <= y <= bottom - DETAIL_RIM * (bottom < SHORE)
    )


def _off(box: Box, shown: Hexes) -> float:
    """Return the distance of these hexes from the middle of a window."""
    left, top, wide, high = box
    xs, ys = [CENTRES[hex_][0] for hex_ in shown], [CENTRES[hex_][1] for hex_ in shown]
    return abs(min(xs) + max(xs) - 2 * left - wide) + abs(min(ys) + max(ys) - 2 * top - high)


def _trimmed(box: Box, shown: Hexes) -> Box:
    """The same part without rows in which nothing matters."""
    left, top, wide, high = box
    rows = [CENTRES[hex_][1] for hex_ in shown]
    first, last = min(rows) - DETAIL_RIM, max(rows) + DETAIL_RIM
    more = max(0.0, DETAIL_LEAST_HEIGHT - (last - first)) / 2
    start = max(top, (first - more) // DETAIL_STEP * DETAIL_STEP)
    end = min(top + high, -((-last - more) // DETAIL_STEP) * DETAIL_STEP)
    return left, start, wide, end - start
