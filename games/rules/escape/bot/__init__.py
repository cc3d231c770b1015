"""The bot: a sensible player.

It knows how far all explorers are from an isle, which creatures are near and how long the island
may last, and does what is best for its own explorers and worst for the others.
"""

from msgspec.structs import replace

from ...bots import Budget
from ...contract import BotChance, Chance
from ..board import anybody_out, sinkable
from ..creatures import legal_steers
from ..model import (
    EACH,
    Command,
    Creature,
    CreatureStage,
    CrewStage,
    DefenceStage,
    OverStage,
    SetupStage,
    Steer,
    Turn,
    TurnStage,
    View,
)
from ..steps import after_step
from . import strong
from .evaluation import Evaluator
from .responses import crew, defend, launch, place, steer
from .turn import best_movement, turn

__all__ = ["choose", "choose_easy", "choose_strong"]

SPREAD = 350  # hundredths of a point by which a value may be taken for more or less


def choose(view: View, chance: BotChance) -> Command:
    """The command for the viewer, who is asked."""
    if view.viewer not in view.to_act:
        raise ValueError("nobody asks this seat")
    match view.board.stage:
        case SetupStage():
            return place(view, chance) or launch(view)
        case TurnStage():
            return turn(blurred(view, chance))
        case CrewStage(site=site):
            return crew(blurred(view, chance), site)
        case CreatureStage(creature=creature):
            return steer(blurred(view, chance), creature)
        case DefenceStage() as attack:
            return defend(blurred(view, chance), attack, chance)
        case OverStage():
            raise ValueError("the game is over")


def choose_easy(view: View, chance: BotChance) -> Command:
    """The command of a bot that makes the mistakes of people.

    It overlooks steps, sinks tiles as they come and often leaves creatures alone.
    """
    match view.board.stage:
        case TurnStage():
            return _easy_turn(blurred(view, chance), chance)
        case CreatureStage(creature=creature):
            return _easy_steer(blurred(view, chance), creature, chance)
        case _:
            return choose(view, chance)


def _easy_turn(view: View, chance: Chance) -> Turn:
    """Play some of the steps of a good movement, and any tile; forget kept tiles."""
    board = view.board
    steps, _board = best_movement(Evaluator(view), board)
    steps = steps[: chance.roll(3)]
    for step in steps:
        board = after_step(board, step)
    if not anybody_out(board) and steps:
        return Turn(None, steps)
    tiles = sinkable(board)
    if not tiles:
        return Turn(None, steps, roll=True)
    return Turn(None, steps, sink=chance.shuffle(tiles)[0])


def _easy_steer(view: View, creature: Creature, chance: Chance) -> Steer:
    """Choose the best move one time in three; else any, or none."""
    number = chance.roll(3)
    if number == 0:
        return steer(view, creature)
    moves = tuple(legal_steers(view.board))
    return chance.shuffle(moves)[0] if number == 1 and moves else Steer()


def choose_strong(view: View, chance: BotChance, budget: Budget) -> Command:
    """The command of a bot that tries its moves out in imagined games."""
    match view.board.stage:
        case TurnStage():
            return strong.turn(blurred(view, chance), chance, budget)
        case CreatureStage(creature=creature):
            return strong.steer(blurred(view, chance), creature, chance, budget)
        case _:
            return choose(view, chance)


def blurred(view: View, chance: BotChance) -> View:
    """The view with the values of each own colour exchanged among its explorers, the same way for
    the whole game: compared with an error each, the explorers get the values in that order.

    Everybody can run the bot with guessed values and keep the guess under which it would have moved
    as it did. That finds the values it planned with, at best; what they say about the true ones is
    bounded by the blur alone.
    """
    luck, values = chance.per_game(), list(view.values)
    for first in range(0, len(values), EACH):
        known = [value for value in view.values[first : first + EACH] if value is not None]
        if len(known) < EACH:
            continue  # of another seat, or forgotten under strict memory
        seeming = [100 * value + luck.roll(2 * SPREAD) for value in known]
        order = sorted(range(EACH), key=seeming.__getitem__)
        for who, value in zip(order, sorted(known), strict=True):
            values[first + who] = value
    return replace(view, values=tuple(values))
