"""What a board is worth to each seat, by how far its people are from an isle and what is near them.

A `Evaluator` holds what stays the same while explorers and ships move: the way to the isles from every
hex, the reach of the creatures, the time left. With it a board is weighed in some microseconds.
"""

from functools import cache
from typing import NamedTuple

from ..board import is_out
from ..hexes import CENTRE, HEXES, ISLE_AT, NEAR, distance
from ..model import (
    ABOARD,
    EACH,
    LAST_TURNS,
    MOUNTAIN,
    ROOM,
    SAVED,
    SEA,
    VALUES,
    Board,
    Ending,
    View,
)

COUNT = len(HEXES)
FAR = 40  # a way that does not exist
MEAN = sum(VALUES) / EACH  # of an explorer whose value one does not know
DISTANCE: tuple[tuple[int, ...], ...] = tuple(
    tuple(distance(one, other) for other in range(COUNT)) for one in range(COUNT)
)


class Weights(NamedTuple):
    """What counts how much; tuned by letting bots with different weights play each other."""

    pace: float = 2.2  # steps of a turn that a ship with own people gets
    ship_risk: float = 0.2  # to be wrecked by a creature that is within reach, until the next turn
    swim_risk: float = 0.24  # to be eaten by one that is within reach
    swim_wear: float = 0.88  # what a swimmer keeps of its chance for each hex it has to swim
    sail_wear: float = 0.97  # the same for each turn in a ship
    guest: float = 0.72  # in a ship that others steer
    land: float = 0.93  # for each step from the tile to the ship
    stranded: float = 0.55  # of a swimmer's chance, for who stands on land far from any ship
    rivals: float = 0.55  # what the others lose is worth to me, shared among them


WEIGHTS = Weights()


@cache
def ways_to_isles(map_: str) -> tuple[int, ...]:
    """For every hex the sea hexes to swim or sail to one that touches an isle, FAR where walled in."""
    far = [FAR] * COUNT
    edge = list(ISLE_AT)
    for hex_ in edge:
        far[hex_] = 0
    for hex_ in edge:
        for near in NEAR[hex_]:
            if far[near] == FAR and map_[near] == SEA:
                far[near] = far[hex_] + 1
                edge.append(near)
    for hex_ in range(COUNT):  # from land: one step to the water
        if map_[hex_] != SEA:
            far[hex_] = min(
                (far[near] + 1 for near in NEAR[hex_] if map_[near] == SEA), default=FAR
            )
    if far[CENTRE] == FAR:
        far[CENTRE] = 9  # the way opens when a tile beside it sinks
    return tuple(far)


def turns_left(board: Board) -> float:
    """How many more turns a seat may expect, this one included."""
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
    """How good it is to be where, for the board of a view."""

    def __init__(self, view: View, weights: Weights = WEIGHTS) -> None:
        board = view.board
        assert view.viewer is not None, "a seat looks"
        self.view, self.seat, self.weights = view, view.viewer, weights
        self.left = turns_left(board)
        self.values = [
            1.0 if board.options.equal else float(value or MEAN) for value in view.values
        ]
        self.seat_of = [who // EACH % board.seats for who in range(len(self.values))]
        rivals = sum(is_out(board, seat) for seat in range(board.seats) if seat != self.seat)
        share = -weights.rivals / max(1, rivals)
        self.factor = [
            value * (1.0 if seat == self.seat else share)
            for value, seat in zip(self.values, self.seat_of, strict=True)
        ]
        self.chart(board)

    def chart(self, board: Board) -> None:
        """Take over the map and the creatures of this board."""
        w = self.weights
        isles = ways_to_isles(board.map)
        # Chances by hex, for a map and the ships with room.
        self.known: dict[tuple[str, tuple[int, ...]], dict[int, float]] = {}
        swim_danger = [0.0] * COUNT
        sail_danger = [0.0] * COUNT
        for reach, herd, danger in (
            (2, board.sharks, (swim_danger,)),
            (1, board.serpents, (swim_danger, sail_danger)),
            (3, board.whales, (sail_danger,)),
        ):
            for start in herd:
                away = DISTANCE[start]
                for hex_ in range(COUNT):
                    if away[hex_] <= reach:
                        for one in danger:
                            one[hex_] += 1.0
        self.swim: list[float] = [
            self.in_time(isles[hex_] + 1)
            * w.swim_wear ** (isles[hex_] + 1)
            * (1 - w.swim_risk) ** min(3.0, swim_danger[hex_])
            for hex_ in range(COUNT)
        ]
        self.sail: list[float] = [
            self.in_time((isles[hex_] + 1) / w.pace)
            * w.sail_wear ** ((isles[hex_] + 1) / w.pace)
            * (1 - w.ship_risk) ** min(3.0, sail_danger[hex_])
            for hex_ in range(COUNT)
        ]

    def in_time(self, turns: float) -> float:
        """The probability that this many turns remain, 0 … 1, with a little slack."""
        late = float(turns - self.left)
        if late > 3:
            return 0.02
        if late < -4:
            return 1.0
        return float(0.02 + 0.98 / (1 + 2.2 ** (late * 1.6)))

    def worth(self, board: Board) -> float:
        """What the board is worth to the seat, in points: its people's chances, less the others'."""
        where, factor, map_ = board.where, self.factor, board.map
        aboard: dict[int, list[int]] = {ship: [] for ship in board.ships}
        total = 0.0
        rest: list[int] = []
        for who, place in enumerate(where):
            if place < 0:
                continue
            if place >= SAVED:
                total += factor[who]
            elif place >= ABOARD:
                aboard[place - ABOARD].append(who)
            else:
                rest.append(who)
        free: list[int] = []
        for ship, people in aboard.items():
            if people:
                total += self.crew(ship, people)
            if len(people) < ROOM:
                free.append(ship)
        roomy = tuple(free)
        known = self.known.setdefault((map_, roomy), {})
        for who in rest:
            hex_ = where[who]
            chance = known.get(hex_)
            if chance is None:
                reckon = self.swimmer if map_[hex_] == SEA else self.on_land
                chance = known[hex_] = reckon(hex_, roomy)
            total += factor[who] * chance
        return total

    def crew(self, ship: int, people: list[int]) -> float:
        """What the people in a ship add: full chances for who steers, less for guests."""
        chance, seat_of = self.sail[ship], self.seat_of
        seats = [seat_of[who] for who in people]
        most = max(map(seats.count, seats))
        guest = self.weights.guest
        return chance * sum(
            self.factor[who] * (1.0 if seats.count(seat) == most else guest)
            for who, seat in zip(people, seats, strict=True)
        )

    def swimmer(self, hex_: int, roomy: tuple[int, ...]) -> float:
        alone = self.swim[hex_]
        for ship in roomy:
            away = DISTANCE[hex_][ship]
            if away <= 1:
                alone = max(alone, self.sail[ship] * (0.9 if away == 0 else 0.7))
        return alone

    def on_land(self, hex_: int, roomy: tuple[int, ...]) -> float:
        best = self.swim[hex_] * self.weights.stranded
        away, sail, land = DISTANCE[hex_], self.sail, self.weights.land
        for ship in roomy:
            steps = away[ship]
            if steps < 6:
                chance = sail[ship] * 0.86 * land**steps
                if chance > best:
                    best = chance
        return best
