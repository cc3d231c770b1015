"""The bot's setup: who stands where, and where the ships lie."""

from __future__ import annotations

from ..board import INLAND, own, to_place
from ..hexes import ISLE_DISTANCE, NEAR
from ..model import BEACH, FOREST, SEA, Launch, Place, View
from ..placing import best_harbour, free_tiles, values_left
from .evaluation import DISTANCE

HIGH = 3


def place(view: View) -> Place | None:
    """The next explorer: valuable people near an isle, together, but not on the beach that sinks
    first; None when all are placed.
    """
    board = view.board
    colour = to_place(board)
    if colour is None or view.viewer is None:
        return None
    left = values_left(view.values, colour)
    # The order of the values must reveal nothing, so it follows from public facts.
    value = left[(sum(board.where) * 7 + len(left)) % len(left)]
    mine = [spot for who in own(board, view.viewer) if (spot := board.where[who]) >= 0]

    def worth(hex_: int) -> float:
        coast = sum(board.map[near] == SEA for near in NEAR[hex_])
        friends = sum(DISTANCE[hex_][spot] <= 1 for spot in mine)
        points = -0.5 * ISLE_DISTANCE[hex_] + 0.35 * min(friends, 3) + 0.3 * min(coast, 2)
        points -= {BEACH: 0.5, FOREST: 0.0}.get(board.map[hex_], 0.25)
        if hex_ in INLAND:
            points -= 1.5
        return points if value >= HIGH else 0.5 * points

    return Place(value, max(free_tiles(board), key=lambda hex_: (worth(hex_), -hex_)))


def launch(view: View) -> Launch:
    """A ship where most own people can reach it."""
    assert view.viewer is not None, "a seat looks"
    return Launch(best_harbour(view.board, view.viewer))
