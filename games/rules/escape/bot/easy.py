"""The easy bot: it overlooks steps, sinks tiles as they come and often leaves creatures alone.

What it hides, it decides as the normal bot does.
"""

from ...contract import Chance
from .. import model
from ..board import anybody_out, sinkable
from ..creatures import legal_steers
from ..steps import after_step
from .evaluation import Evaluator
from .responses import steer as normal_steer
from .turn import best_movement


def turn(view: model.View, chance: Chance) -> model.Turn:
    """Some of the steps of a good movement, and any tile; kept tiles are forgotten."""
    board = view.board
    steps, _board = best_movement(Evaluator(view), board)
    steps = steps[: chance.roll(3)]
    for step in steps:
        board = after_step(board, step)
    if not anybody_out(board) and steps:
        return model.Turn(None, steps)
    tiles = sinkable(board)
    if not tiles:
        return model.Turn(None, steps, roll=True)
    return model.Turn(None, steps, sink=chance.shuffle(tiles)[0])


def steer(view: model.View, chance: Chance) -> model.Steer:
    """One time in three the best move; else any, or none."""
    number = chance.roll(3)
    if number == 0:
        return normal_steer(view)
    moves = tuple(legal_steers(view.board))
    return chance.shuffle(moves)[0] if number == 1 and moves else model.Steer()
