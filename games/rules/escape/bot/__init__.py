"""The bot: a sensible player.

It knows how far all explorers are from an isle, which creatures are near and how long the island
may last, and does what is best for its own explorers and worst for the others.
"""

from ...contract import BotChance
from ...search import Budget
from ..model import Command, Stage, View
from . import easy, strong
from .blur import blurred
from .responses import crew, defend, steer
from .settling import launch, place
from .turn import turn

__all__ = ["choose", "choose_easy", "choose_strong"]


def choose(view: View, chance: BotChance) -> Command:
    """The command for the viewer, who is asked."""
    assert view.viewer in view.to_act, "the bot plays when it is asked"
    match view.board.stage:
        case Stage.SETUP:
            return place(view, chance) or launch(view)
        case Stage.TURN:
            return turn(blurred(view, chance))
        case Stage.CREW:
            return crew(blurred(view, chance))
        case Stage.CREATURE:
            return steer(blurred(view, chance))
        case Stage.DEFENCE:
            return defend(blurred(view, chance), chance)
        case Stage.OVER:
            raise ValueError("the game is over")


def choose_easy(view: View, chance: BotChance) -> Command:
    """The command of a bot that makes the mistakes of people."""
    match view.board.stage:
        case Stage.TURN:
            return easy.turn(blurred(view, chance), chance)
        case Stage.CREATURE:
            return easy.steer(blurred(view, chance), chance)
        case _:
            return choose(view, chance)


def choose_strong(view: View, chance: BotChance, budget: Budget) -> Command:
    """The command of a bot that tries its moves out in imagined games."""
    match view.board.stage:
        case Stage.TURN:
            return strong.turn(blurred(view, chance), chance, budget)
        case Stage.CREATURE:
            return strong.steer(blurred(view, chance), chance, budget)
        case _:
            return choose(view, chance)
