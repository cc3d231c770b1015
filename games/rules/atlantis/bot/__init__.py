"""The bot: a sensible player that plans two of its own moves.

It tries every landing, pays as cheaply as it can, considers its bridge, and picks the move with
the best result by `WEIGHTS`, which were tuned in games against itself. For the best few moves it
also considers what the cards left could do next.
"""

from ...bots import Budget
from ...contract import Chance
from ..model import Buy, Move, Pass, TurnCommand, View
from ..moves import legal_moves
from . import search
from .search import WEIGHTS, Plan, SearchNode, Weights

__all__ = ["WEIGHTS", "Weights", "choose", "choose_easy", "choose_strong"]

AGAIN = 6  # of the best moves are examined one move further
EXAMINED, TRIED = 10, 6  # of the strong bot: examined one move further, tried out
COMES_TO_MIND = 5  # of the easy bot
CARELESS = WEIGHTS._replace(debt=0.6, rivals=0.2, variety=0.0, bridge=0.0, rear=2.5, arrived=0.4)


def choose(view: View, chance: Chance, weights: Weights = WEIGHTS) -> TurnCommand:
    """The bot's command for the viewer, who is to act."""
    node = SearchNode.seen(view, weights, chance)
    plans = sorted(node.plans(), key=lambda plan: -plan.worth)
    if plans:
        return max(plans[:AGAIN], key=_foresight).move
    return _unplanned(view)


def choose_easy(view: View, chance: Chance) -> TurnCommand:
    """The command of a bot that makes the mistakes of people: it looks at its own tiles and figures
    only, thinks less of what crossing costs later, and one time in four does what comes to its
    mind."""
    node = SearchNode.seen(view, CARELESS, chance)
    plans = sorted(node.plans(), key=lambda plan: -plan.worth)
    if not plans:
        return _unplanned(view)
    return (plans[0] if chance.roll(4) else chance.shuffle(plans[:COMES_TO_MIND])[0]).move


def choose_strong(view: View, chance: Chance, budget: Budget) -> TurnCommand:
    """The command of a bot that tries its moves out in imagined games."""
    node = SearchNode.seen(view, WEIGHTS, chance)
    plans = sorted(node.plans(), key=lambda plan: -plan.worth)
    if not plans:
        return _unplanned(view)
    rated = sorted(((_foresight(plan), plan) for plan in plans[:EXAMINED]), key=lambda one: -one[0])
    priors, best = zip(*rated[:TRIED], strict=True)
    return search.best(view, best, priors, chance, budget).move


def _unplanned(view: View) -> TurnCommand:
    """Choose where no way was found (stuck, or overlooked): legal moves begin with those that can
    be paid."""
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
    """Buy what loses least with an empty hand: half a tile is better than waiting."""
    assert view.viewer is not None, "the bot plays a seat"
    me = view.players[view.viewer]
    values = [tile.value for tile in me.tiles if tile.value > 1]
    if view.bought or me.cards or not values:
        return None
    return Buy(min(values, key=lambda value: (value - value // 2, value)))
