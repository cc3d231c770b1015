"""The bot's answers besides turns: the setup, a creature, a defence, a crew."""

from collections.abc import Callable

from ...contract import Chance
from .. import model
from ..board import INLAND, own, swimmers, to_place
from ..creatures import harm_on, legal_steers
from ..evolve import harmed
from ..hexes import ISLE_DISTANCE, NEAR
from ..model import BEACH, FOREST, SEA, Launch, Place, View
from ..placing import best_harbour, free_tiles, values_left
from .evaluation import DISTANCE, Evaluator, turns_left

# Points at stake for which a defence is spent: between these, by chance, so that a player who knows
# what is at stake cannot conclude from the answer what the bot holds.
WORTH_A_TILE = (0.7, 2.1)
DOUBTS = 1000  # into how many parts chance divides the span
EYE = 0.06  # what it is worth to bring a creature near its prey


def steer(view: model.View, creature: model.Creature) -> model.Steer:
    """The move of a creature that hurts the others most, or at least comes near them."""
    board = view.board
    worth = steer_worth(Evaluator(view), board, creature)
    return max((model.Steer(), *legal_steers(board)), key=lambda move: round(worth(move), 6))


def steer_worth(
    evaluator: Evaluator, board: model.Board, creature: model.Creature
) -> Callable[[model.Steer], float]:
    """Return a function that gives the value of a move of this creature to the seat, in points; 0
    for no move."""
    now = evaluator.worth(board)
    lure = _lure(evaluator, board, creature)

    def worth(move: model.Steer) -> float:
        if move.start is None or move.to is None:
            return 0.0
        harm = harm_on(board, creature, move.to)
        done = 0.0 if harm is None else evaluator.worth(harmed(board, harm)) - now
        return done + EYE * (lure[move.to] - lure[move.start])

    return worth


def _lure(evaluator: Evaluator, board: model.Board, creature: model.Creature) -> list[float]:
    """Return for each hex how much prey of others, less own people, a creature there would have
    near."""
    reach = model.REACH[creature] + 1
    prey: list[tuple[int, float]] = []
    for who, place in enumerate(board.where):
        swims = (
            0 <= place < model.ABOARD
            and board.map[place] == model.SEA
            and creature is not model.Creature.WHALE
        )
        sails = model.ABOARD <= place < model.SAVED and creature is not model.Creature.SHARK
        if swims or sails:
            prey.append((place % model.ABOARD, -evaluator.factor[who]))
    return [
        sum(gain for hex_, gain in prey if DISTANCE[hex_][start] <= reach)
        for start in range(len(board.map))
    ]


def defend(view: model.View, attack: model.DefenceStage, chance: Chance) -> model.Defend:
    """Spend the tile where enough is at stake."""
    board = view.board
    if model.DEFENCES[attack.creature] not in (view.kept[view.seat] or ()):
        return model.Defend(False)
    evaluator = Evaluator(view)
    harm = harm_on(board, attack.creature, attack.site)
    if harm is None:
        return model.Defend(False)
    loss = evaluator.worth(board) - evaluator.worth(harmed(board, harm))
    least, most = WORTH_A_TILE
    wanted = least + (most - least) * chance.roll(DOUBTS) / DOUBTS
    return model.Defend(loss >= wanted or (loss > 0 and turns_left(board) < 5))


def crew(view: model.View, site: int) -> model.Crew:
    """The three for a new ship: own people first, the most valuable first."""
    evaluator = Evaluator(view)
    crowd = sorted(swimmers(view.board, site), key=lambda who: (-evaluator.factor[who], who))
    return model.Crew(tuple(sorted(crowd[: model.ROOM])))


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
    return Launch(best_harbour(view.board, view.seat))
