"""The levels of bots, and the common base of those that search: find the candidate that does best
over imagined games.

The same budget is spent whatever the position, so that the time a search takes reveals nothing
about what the searcher holds.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Level(StrEnum):
    """The strength of a bot, stored in events and rows. easy: makes the mistakes of people. normal:
    plans a little. strong: searches."""

    EASY = "easy"
    NORMAL = "normal"
    STRONG = "strong"


def unlimited() -> None:
    """A search that may take any time."""


class Budget(NamedTuple):
    """The limit of a search for a decision: imagined games, all of them in every position.

    check: called before each; it raises what stops the search.
    """

    playouts: int
    check: Callable[[], None] = unlimited

    def part(self, share: float) -> "Budget":
        """A part of this budget, at least one playout."""
        return self._replace(playouts=max(1, round(self.playouts * share)))


def best_of(
    candidates: Sequence[T],
    budget: Budget,
    result: Callable[[T, int], float],
    *,
    priors: Sequence[float] = (),
    weight: int = 0,
) -> T:
    """The candidate with the best mean result, by sequential halving; of equal ones the first.

    result(candidate, number): how world `number` (0, 1, 2 …) ends after it. All candidates of a
    round meet the same worlds, so that luck hardly decides between them. priors: what each is
    thought to be worth beforehand, which counts as much as this many (`weight`) results.
    """
    left = [(0.0, place) for place in range(len(candidates))]
    rounds = max(1, (len(candidates) - 1).bit_length())
    sums = [weight * prior for prior in priors] or [0.0] * len(candidates)
    spent, world = 0, 0
    for number in range(rounds):
        share = (budget.playouts - spent) // (rounds - number)
        each = max(1, share // len(left))
        for _ in range(each):
            for _mean, place in left:
                budget.check()
                sums[place] += result(candidates[place], world)
            world += 1
        spent += each * len(left)
        left = sorted(((sums[place] / (world + weight), place) for _m, place in left), key=_rank)
        if number < rounds - 1:
            left = sorted(left[: (len(left) + 1) // 2], key=lambda one: one[1])
    return candidates[left[0][1]]


def _rank(one: tuple[float, int]) -> tuple[float, int]:
    return -one[0], one[1]
