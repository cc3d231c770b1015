"""The bot: a sensible player.

It knows how far all explorers are from an isle, which creatures are near and how long the island
may last, and does what is best for its own explorers and worst for the others.
"""

from ...contract import Chance
from ..model import Command, Stage, View
from .responses import crew, defend, steer
from .settling import launch, place
from .turn import turn

__all__ = ["choose"]


def choose(view: View, chance: Chance) -> Command:
    """The command for the viewer, who is asked."""
    assert view.viewer in view.to_act, "the bot plays when it is asked"
    match view.board.stage:
        case Stage.SETUP:
            return place(view, chance) or launch(view)
        case Stage.TURN:
            return turn(view)
        case Stage.CREW:
            return crew(view)
        case Stage.CREATURE:
            return steer(view)
        case Stage.DEFENCE:
            return defend(view, chance)
        case Stage.OVER:
            raise ValueError("the game is over")
