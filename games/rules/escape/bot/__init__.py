"""The house bot: a sensible player that sees only its own view.

It knows how far everybody is from an isle, what swims nearby and how long the island may last, and
does what leaves its own people best off and the others worst. It has no luck and no memory: equal
views give equal commands.
"""

from __future__ import annotations

from ..model import Command, Stage, View
from .responses import crew, defend, steer
from .settling import launch, place
from .turn import turn

__all__ = ["choose"]


def choose(view: View) -> Command:
    """The command for the seat that looks, which must be asked."""
    assert view.viewer in view.to_act, "the bot plays when it is asked"
    match view.board.stage:
        case Stage.SETUP:
            return place(view) or launch(view)
        case Stage.TURN:
            return turn(view)
        case Stage.CREW:
            return crew(view)
        case Stage.CREATURE:
            return steer(view)
        case Stage.DEFENCE:
            return defend(view)
        case Stage.OVER:
            raise ValueError("the game is over")
