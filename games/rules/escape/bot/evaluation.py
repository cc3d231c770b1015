"""The value of a board for each seat, by how near its explorers are to an isle.

An `Evaluator` holds what stays the same while explorers and ships move: what each hex is worth to
those who sail, swim or stand there, with the reach of the creatures. With it a board is weighed in
some microseconds.
"""

from typing import NamedTuple

from ..hexes import HEXES, ISLE_DISTANCE, distance
from ..model import (
    ABOARD,
    EACH,
    LAST_TURNS,
    MOUNTAIN,
    SAVED,
    SEA,
    VALUES,
    Board,
    Ending,
    View,
)

COUNT = len(HEXES)
MEAN = sum(VALUES) / EACH  # of an explorer whose value one does not know
DISTANCE: tuple[tuple[int, ...], ...] = tuple(
    tuple(distance(one, other) for other in range(COUNT)) for one in range(COUNT)
)
# The share of an explorer's value that its place is worth, by the distance to the nearest isle; on
# an isle, it is worth all of it.
BY_SHIP = tuple(0.75 - 0.03 * away for away in ISLE_DISTANCE)
BY_SWIMMING = tuple(0.60 - 0.06 * away for away in ISLE_DISTANCE)
ON_LAND = tuple(0.35 - 0.02 * away for away in ISLE_DISTANCE)


class Weights(NamedTuple):
    """The weights of the evaluation, tuned in games against the greedy player."""

    ship_risk: float = 0.03  # what a ship within reach of a kind of creature loses
    swim_risk: float = 0.03  # the same for a swimmer
    rivals: float = 1.0
    ship: tuple[float, ...] = BY_SHIP
    swim: tuple[float, ...] = BY_SWIMMING
    land: tuple[float, ...] = ON_LAND


WEIGHTS = Weights()


def turns_left(board: Board) -> float:
    """Return the number of turns that a seat may expect, including this one."""
    tiles = sum(letter != SEA for letter in board.map)
    mountains = board.map.count(MOUNTAIN)
    if board.options.ending is Ending.VOLCANO:
        rounds = tiles - mountains + (mountains + 1) / 2
    elif board.options.ending is Ending.SUBMERGED:
        rounds = float(tiles)
    elif board.dry is None:
        rounds = tiles + float(LAST_TURNS * board.seats)
    else:
        rounds = float(board.dry + LAST_TURNS * board.seats - board.turn)
    return rounds / board.seats + 0.5


class Evaluator:
    """The values of places, for the board of a view."""

    def __init__(self, view: View, weights: Weights | None = None) -> None:
        board = view.board
        weights = weights or WEIGHTS
        self.view, self.seat = view, view.seat
        self.seat_of = [who // EACH % board.seats for who in range(len(view.values))]
        share = -weights.rivals / max(1, board.seats - 1)
        self.factor = [
            (1.0 if board.options.equal else float(value or MEAN))
            * (1.0 if seat == self.seat else share)
            for value, seat in zip(view.values, self.seat_of, strict=True)
        ]
        kinds = ((2, board.sharks), (1, board.serpents), (3, board.whales))
        near_shark, near_serpent, near_whale = (
            [any(DISTANCE[start][hex_] <= reach for start in herd) for hex_ in range(COUNT)]
            for reach, herd in kinds
        )
        self.swim = [
            chance * (1 - weights.swim_risk * (near_shark[hex_] + near_serpent[hex_]))
            for hex_, chance in enumerate(weights.swim)
        ]
        self.sail = [
            chance * (1 - weights.ship_risk * (near_whale[hex_] + near_serpent[hex_]))
            for hex_, chance in enumerate(weights.ship)
        ]
        self.land = weights.land

    def worth(self, board: Board) -> float:
        """Return the value of the board to the seat, in points: that of its explorers' places, less
        that of the others'."""
        swim, sail, land, map_ = self.swim, self.sail, self.land, board.map
        total = 0.0
        for factor, place in zip(self.factor, board.where, strict=True):
            if place >= SAVED:
                total += factor
            elif place >= ABOARD:
                total += factor * sail[place - ABOARD]
            elif place >= 0:
                total += factor * (swim if map_[place] == SEA else land)[place]
        return total

    def on_hex(self, board: Board, hex_: int) -> float:
        """Return the value of the seat's explorers on this hex, less that of the others'."""
        return sum(
            factor for factor, place in zip(self.factor, board.where, strict=True) if place == hex_
        )
