"""The strong bot: the most promising moves, each tried out in imagined games."""

from collections.abc import Sequence
from functools import cache

from ...contract import Chance
from ...fast_random import seeds
from ...search import Budget, best_of
from ..model import View
from .dealing import Deal, KnownTable
from .playout import World
from .search import Plan

MOST = 30.0  # points of a lead that count
WEIGHT = 30  # how many imagined games the normal bot's opinion of a move is worth


def best(
    view: View, plans: Sequence[Plan], priors: Sequence[float], chance: Chance, budget: Budget
) -> Plan:
    """The plan that ends best in worlds that agree with the view. priors: what the normal bot
    thinks of each, in points."""
    assert view.viewer is not None, "a seat looks"
    seat, known = view.viewer, KnownTable(view)
    deal = cache(lambda _number: Deal(known, *seeds(chance, 1)))

    def result(plan: Plan, number: int) -> float:
        world = World(known, deal(number))
        world.begin(seat, plan.move)
        world.play(seat)
        return max(-MOST, min(MOST, world.lead(seat)))

    return best_of(plans, budget, result, priors=priors, weight=WEIGHT)
