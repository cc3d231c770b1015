"""Positions to draw, set up by hand: views from first turn to last, no rules needed."""

from itertools import pairwise

from games.rules.atlantis.model import (
    MAINLAND,
    SPACES,
    Gap,
    Item,
    Moved,
    Player,
    Settled,
    Space,
    Tile,
    View,
)
from games.rules.contract import Outcome

ITEMS = tuple(Item)


def top(space: int) -> Tile:
    """Some tile for every space; all items and values come up."""
    return Tile(ITEMS[(space * 5 + space // 9) % 7], (space * 3 + space // 7) % 7 + 1)


def laid_path() -> list[Space]:
    """The path of the first turn: 10 stacks, 10 single, 6 stacks, water, and the same backwards."""
    heights = [2] * 10 + [1] * 10 + [2] * 6 + [0] + [2] * 6 + [1] * 10 + [2] * 10
    return [Space(top(n) if h else None, h) for n, h in enumerate(heights, start=1)]


def gaps_of(path: list[Space], bridged: frozenset[int] = frozenset()) -> tuple[Gap, ...]:
    """Runs of water between two stacks; a gap is bridged where it holds a space of `bridged`."""
    filled = [n for n, space in enumerate(path, start=1) if space.height]
    gaps = []
    for left, right in pairwise(filled):
        if right > left + 1:
            tops = path[left - 1].top, path[right - 1].top
            price = min(tile.value for tile in tops if tile)
            has_bridge = any(left < n < right for n in bridged)
            gaps.append(Gap(left + 1, right - 1, 0 if has_bridge else price, has_bridge))
    return tuple(gaps)


def view(
    figures: list[tuple[int, int, int]],
    *,
    water: tuple[int, ...] = (),
    single: tuple[int, ...] = (),
    bridged: frozenset[int] = frozenset(),
    to_act: tuple[int, ...] = (0,),
    viewer: int | None = 0,
    outcome: Outcome | None = None,
    settled: tuple[Settled, ...] = (),
) -> View:
    path = laid_path()
    for n in single:
        path[n - 1] = Space(top(n + 20), 1)
    for n in water:
        path[n - 1] = Space(None, 0)
    players = tuple(
        Player(seat, places, (top(seat + 3),), 5, None, True) for seat, places in enumerate(figures)
    )
    return View(
        viewer=viewer,
        order=tuple(range(len(figures))),
        to_act=to_act,
        turn=1,
        bought=False,
        path=tuple(path),
        gaps=gaps_of(path, bridged),
        players=players,
        deck=60,
        discards=(),
        outcome=outcome,
        settled=settled,
    )


def start(seats: int = 3) -> View:
    return view([(0, 0, 0)] * seats)


def middle() -> View:
    return view(
        [(0, 12, 23), (18, 30, 7), (0, 26, 41), (5, 16, 33)],
        water=(3, 8, 9, 13, 14, 15, 19, 21, 22, 27, 28, 31, 36, 37, 38, 39),
        single=(2, 4, 24, 25, 32),
        bridged=frozenset({14, 38}),
        to_act=(1,),
    )


def middle_moves() -> tuple[Moved, ...]:
    return (
        Moved(0, 1, (Item.FLAG,), 6, (12,), 0, (), (), top(8), 8, None, None),
        Moved(2, 2, (Item.RING, Item.RING), 20, (33, 41), 3, (), (), top(40), 40, None, None),
        Moved(3, 0, (Item.CROWN,), 0, (5,), 0, (), (), top(4), 4, None, None),
    )


def late() -> View:
    return view(
        [(54, 48, 52), (54, 54, 45), (40, 50, 54)],
        water=tuple(n for n in range(1, 53) if n not in (36, 40, 44, 45, 48, 50, 51, 52)),
        single=(44, 45, 50, 51),
        bridged=frozenset({47}),
        to_act=(2,),
    )


def finished(seats: int = 4) -> View:
    return view(
        [(MAINLAND,) * 3] * seats,
        water=tuple(n for n in range(1, SPACES + 1) if n not in (44, 47, 48, 52, 53)),
        single=(44, 47),
        to_act=(),
        outcome=Outcome(tuple(range(10, 10 + seats)), (seats - 1,)),
    )


SCENES = {
    "start": start,
    "four on Atlantis": lambda: start(4),
    "middle": middle,
    "late": late,
    "finished": finished,
}
