"""The strong bot: a few good turns, each tried out in imagined games.

What it hides, it decides as the normal bot does: values when placing, and whether to defend.
"""

from collections.abc import Sequence
from functools import cache

from games.rules.chance import seeds

from ...bots import Budget, best_of
from ...contract import Chance
from .. import model
from ..board import anybody_out, sinkable
from ..creatures import legal_steers
from .evaluation import Evaluator
from .playout import Deal, World
from .responses import steer as normal_steer
from .responses import steer_worth
from .turn import best_play, movements, sinking_rank

MOVEMENTS, SINKINGS, STEERS = 6, 6, 7  # that are tried out
PLAYED = 2  # movements after playing a kept tile
SCALE = 5.0  # a lead of this many points is half of what can be won
HURT = 0.1  # what it is worth to sink a tile under a point of value of others
TRUST = 20  # how many imagined games the evaluation of a board counts as much as
Movement = tuple[float, model.Play | None, tuple[model.Step, ...], model.Board]


class ImaginedWorlds:
    """The same imagined worlds for all candidates of a decision, dealt when they are needed."""

    def __init__(self, view: model.View, chance: Chance) -> None:
        self.seat = view.seat
        self._deal = cache(lambda _number: (Deal(view, chance), seeds(chance, 1)[0]))

    def world(self, board: model.Board, number: int) -> World:
        """World `number` with this board."""
        return World(board, *self._deal(number))

    def result(self, world: World) -> float:
        """Return the value of the end of this world for the seat, −1 … 1."""
        scores = world.scores()
        lead = scores[self.seat] - max(s for n, s in enumerate(scores) if n != self.seat)
        return lead / (SCALE + abs(lead))


def turn(view: model.View, chance: Chance, budget: Budget) -> model.Turn:
    """The orders of a whole turn: first the movement is chosen, then the tile that sinks."""
    worlds, evaluator = ImaginedWorlds(view, chance), Evaluator(view)
    candidates = _movements(evaluator)

    def moved(movement: Movement, number: int) -> float:
        world = worlds.world(movement[3], number)
        world.sink(None)
        return _played_on(worlds, world)

    _worth, play, steps, board = best_of(
        candidates,
        budget.part(0.6),
        moved,
        priors=_priors([worth for worth, *_rest in candidates]),
        weight=TRUST,
    )
    if not anybody_out(board) and (play or steps):
        return model.Turn(play, steps)
    tiles = sinkable(board)
    if not tiles:
        return model.Turn(play, steps, roll=True)
    ranks = {hex_: sinking_rank(evaluator, board, hex_) for hex_ in tiles}
    likely = sorted(tiles, key=lambda hex_: ranks[hex_], reverse=True)[:SINKINGS]

    def sunk(hex_: int, number: int) -> float:
        world = worlds.world(board, number)
        world.sink(hex_)
        return _played_on(worlds, world)

    return model.Turn(
        play,
        steps,
        sink=best_of(
            likely,
            budget.part(0.4),
            sunk,
            priors=_priors([HURT * ranks[hex_][0] + ranks[hex_][1] for hex_ in likely]),
            weight=TRUST,
        ),
    )


def steer(
    view: model.View, creature: model.Creature, chance: Chance, budget: Budget
) -> model.Steer:
    """The move of a creature, or none."""
    board = view.board
    worlds, evaluator = ImaginedWorlds(view, chance), Evaluator(view)
    kind = list(model.Creature).index(creature)
    worth = steer_worth(evaluator, board, creature)
    moves = sorted(legal_steers(board), key=worth, reverse=True)
    candidates = [normal_steer(view, creature), *moves[: STEERS - 2], model.Steer()]
    candidates = list(dict.fromkeys(candidates))

    def steered(move: model.Steer, number: int) -> float:
        world = worlds.world(board, number)
        if move.start is not None and move.to is not None:
            world.steer(kind, move.start, move.to)
        world.play()
        return worlds.result(world)

    priors = _priors([worth(move) for move in candidates])
    return best_of(candidates, budget, steered, priors=priors, weight=TRUST)


def _played_on(worlds: ImaginedWorlds, world: World) -> float:
    if not world.over:
        world.creature()
        world.play()
    return worlds.result(world)


def _priors(worths: Sequence[float]) -> list[float]:
    """Return the expected results by the evaluation, of which only the differences matter."""
    best = max(worths)
    return [(worth - best) / SCALE for worth in worths]


def _movements(evaluator: Evaluator) -> list[Movement]:
    """The best movements that a narrow search finds, with and without a kept tile."""
    board = evaluator.view.board
    found = _different(evaluator, None, board)[:MOVEMENTS]
    play, played = best_play(evaluator, board)
    if play is not None and anybody_out(played):
        found += _different(evaluator, play, played)[:PLAYED]
    return found


def _different(evaluator: Evaluator, play: model.Play | None, board: model.Board) -> list[Movement]:
    """Movements that end differently, the best first."""
    found: dict[tuple[tuple[int, ...], tuple[int, ...]], Movement] = {}
    for worth, steps, there in movements(evaluator, board):
        found.setdefault((there.where, there.ships), (worth, play, steps, there))
    return list(found.values())
