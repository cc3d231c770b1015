"""An estimate of a game's result: the standings of players, weighed by their value in the end.

The numbers are those of a regression over 4,000 games that the players of `playout` played with
each other: of the final difference of two players on the differences between their standings, after
a move of the first.
"""

from typing import NamedTuple

FEW = 4  # cards that count as more than a point
LONG = 20.0  # turns to come that make a game long


class Standing(NamedTuple):
    """The standing of a player, or a weight of each of its parts."""

    points: float  # of tiles and cards
    debt: float  # that the figures would owe
    cards: float  # at most FEW
    variety: float  # different items in the hand
    way: float  # the squares of how far the figures have come, 0 … 1 each
    arrived: float  # figures on the mainland
    bridge: float  # whether it is unbuilt


LATE = Standing(1.05, -0.87, 0.77, -0.08, -2.07, 2.44, -0.27)  # at the end of the game
EARLY = Standing(-0.01, 0.05, 1.67, 1.91, 47.3, -11.7, 4.49)  # added in a long game


def worth(standing: Standing, turns: float) -> float:
    """The value of a standing, in points. turns: an estimate of those that each player still
    has."""
    early = min(turns, LONG) / LONG
    return sum(
        (late + early * more) * amount
        for late, more, amount in zip(LATE, EARLY, standing, strict=True)
    )
