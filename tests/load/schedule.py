"""What the people of a club do in their busiest hour: drawn beforehand, with a seed.

Two moves per person and day, a tenth of them in the busiest hour, at random moments. One in ten is
a reply by email. The others come with two pages, that of the table before the move and after it;
two in nine of these people open their first page before, which makes two pages per move.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .fill import Asked

MOVES = 2  # per person and day
BUSIEST = 0.1  # of a day, in one hour
FIRST_PAGE = 2 / 9
LISTENS = 50  # one person in fifty has a page open
IN_FRONT = 0.4  # of these pages; the others are in the background


class Pace(NamedTuple):
    """rate: moves per second of all, 0 for those of the busiest hour. replies: the share of them by
    email. thinking: the seconds between a page and its move at most, a quarter of it at least; and
    those of play before the figures begin."""

    rate: float = 0.0
    replies: float = 0.1
    thinking: float = 20.0


class Move(NamedTuple):
    """at: seconds from the beginning of the figures at which the visit begins, or the reply is
    sent. thinking: seconds from then until the move; 0 for a reply."""

    at: float
    asked: "Asked"
    thinking: float = 0.0
    first_page: bool = False


USUAL = Pace()


@dataclass
class Schedule:
    """moves: in order. open_pages: tables that somebody listens to, and whether in front. warm_up:
    the seconds before the figures begin."""

    moves: list[Move]
    open_pages: list[tuple["Asked", bool]]
    warm_up: float


def draw(
    asked: "Sequence[Asked]", people: int, seconds: float, seed: int, pace: Pace = USUAL
) -> Schedule:
    """The busiest hour of this number of people, for some seconds. Each game sees one move at most.

    asked: the games of the club in which nobody has moved yet.
    """
    dice = random.Random(seed)
    games = dice.sample(asked, len(asked))
    rate = pace.rate or people * MOVES * BUSIEST / 3600
    moves: list[Move] = []
    at = -pace.thinking
    while games and (at := at + dice.expovariate(rate)) < seconds:
        game = games.pop()
        # Where a bot plays, the answer waits for it.
        if dice.random() < pace.replies and not game.turn.has_bot:
            moves.append(Move(at, game))
        else:
            first = dice.random() < FIRST_PAGE
            moves.append(Move(at, game, dice.uniform(pace.thinking / 4, pace.thinking), first))
    listening = games[: people // LISTENS]
    return Schedule(moves, [(game, dice.random() < IN_FRONT) for game in listening], pace.thinking)
