"""The bot's setup: who stands where, and where the ships lie."""

from ...contract import Chance
from ..board import INLAND, own, to_place
from ..hexes import ISLE_DISTANCE, NEAR
from ..model import BEACH, FOREST, SEA, Launch, Place, View
from ..placing import best_harbour, free_tiles, values_left
from .evaluation import DISTANCE


def place(view: View, chance: Chance) -> Place | None:
    """The next explorer: near an isle and together, but not on the beach that sinks first; None
    when all are placed.

    The value is drawn by chance, and the tile depends on public facts only, so that nobody learns
    from the tile which value stands there.
    """
    board = view.board
    colour = to_place(board)
    if colour is None or view.viewer is None:
        return None
    value = chance.shuffle(values_left(view.values, colour))[0]
    mine = [spot for who in own(board, view.viewer) if (spot := board.where[who]) >= 0]

    def worth(hex_: int) -> float:
        coast = sum(board.map[near] == SEA for near in NEAR[hex_])
        friends = sum(DISTANCE[hex_][spot] <= 1 for spot in mine)
        points = -0.5 * ISLE_DISTANCE[hex_] + 0.35 * min(friends, 3) + 0.3 * min(coast, 2)
        points -= {BEACH: 0.5, FOREST: 0.0}.get(board.map[hex_], 0.25)
        if hex_ in INLAND:
            points -= 1.5
        return points

    return Place(value, max(free_tiles(board), key=lambda hex_: (worth(hex_), -hex_)))


def launch(view: View) -> Launch:
    """A ship where most own people can reach it."""
    assert view.viewer is not None, "a seat looks"
    return Launch(best_harbour(view.board, view.viewer))
