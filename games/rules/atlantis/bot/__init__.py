"""The bot: a sensible player that plans two of its own moves.

It tries every landing, pays as cheaply as it can, considers its bridge, and picks the move with
the best result by `WEIGHTS`, which were tuned in games against itself. For the best few moves it
also considers what the cards left could do next.
"""

from ...contract import Chance
from ..model import Buy, Command, Move, Pass, View
from ..moves import legal_moves
from .search import ORDER, WEIGHTS, Plan, SearchNode, Weights

__all__ = ["WEIGHTS", "Weights", "choose"]

AGAIN = 6  # of the best moves are examined one move further


def choose(view: View, chance: Chance, weights: Weights = WEIGHTS) -> Command:
    """The bot's command for the viewer, who is to act."""
    # Luck decides between equals: a fixed order would show which cards are not in the hand.
    node = SearchNode.seen(view, weights, chance.shuffle(ORDER))
    plans = sorted(node.plans(), key=lambda plan: -plan.worth)
    if plans:
        return max(plans[:AGAIN], key=_foresight).move
    # Stuck, or a way was overlooked: what is legal begins with the ways that can be paid.
    first = next(legal_moves(view))
    return first if isinstance(first, Move) else _purchase(view) or Pass()


def _foresight(plan: Plan) -> float:
    """The worth of a move, with a part of what the next one could make of it."""
    after = plan.after
    if after.over:
        return plan.worth
    best = max((again.worth for again in after.plans()), default=after.stuck())
    return plan.worth + after.weights.again * (best - plan.worth)


def _purchase(view: View) -> Buy | None:
    """With an empty hand, what loses least: half a tile is better than waiting."""
    assert view.viewer is not None, "the bot plays a seat"
    me = view.players[view.viewer]
    values = [tile.value for tile in me.tiles if tile.value > 1]
    if view.bought or me.cards or not values:
        return None
    return Buy(min(values, key=lambda value: (value - value // 2, value)))
