"""The strong bot: a few good turns, each tried out in imagined games.

What it hides, it decides as the normal bot does: values when placing, and whether to defend.
"""

from functools import cache

from ...contract import Chance
from ...luck import seeds
from ...search import Budget, best_of
from .. import model
from ..board import anybody_out, sinkable
from ..creatures import legal_steers
from ..steps import after_step, legal_steps
from .evaluation import BY_SHIP, BY_SWIMMING, MEAN, ON_LAND, Evaluator
from .playout import Deal, World
from .responses import steer as normal_steer
from .turn import best_movement, best_play, sinking_worth

BEAM = (8, 5)  # how many of the best movements of one and of two steps are examined further
MOVEMENTS, SINKINGS, STEERS = 6, 6, 7  # that are tried out
SCALE = 5.0  # a lead of this many points is half of what can be won
Movement = tuple[model.Play | None, tuple[model.Step, ...], model.Board]


class Table:
    """The same imagined worlds for all candidates of a decision, dealt when they are needed."""

    def __init__(self, view: model.View, chance: Chance) -> None:
        assert view.viewer is not None, "a seat looks"
        self.seat = view.viewer
        self._deal = cache(lambda _number: (Deal(view, chance), seeds(chance, 1)[0]))

    def world(self, board: model.Board, number: int) -> World:
        """World `number` with this board."""
        return World(board, *self._deal(number))

    def result(self, world: World) -> float:
        """How good the end of this world is for the seat, −1 … 1."""
        scores = world.scores()
        lead = scores[self.seat] - max(s for n, s in enumerate(scores) if n != self.seat)
        return lead / (SCALE + abs(lead))


def turn(view: model.View, chance: Chance, budget: Budget) -> model.Turn:
    """The orders of a whole turn: first the movement is chosen, then the tile that sinks."""
    table = Table(view, chance)
    movements = _movements(view)

    def moved(movement: Movement, number: int) -> float:
        world = table.world(movement[2], number)
        world.sink(None)
        return _played_on(table, world)

    play, steps, board = best_of(movements, budget.part(0.6), moved)
    if not anybody_out(board) and (play or steps):
        return model.Turn(play, steps)
    tiles = sinkable(board)
    if not tiles:
        return model.Turn(play, steps, roll=True)
    evaluator = Evaluator(view)
    factor = _factors(view)
    likely = sorted(tiles, key=lambda hex_: -_hurt(factor, board, hex_))[: SINKINGS // 2]
    by_normal = sorted(tiles, key=lambda hex_: -sinking_worth(evaluator, board, hex_))
    candidates = list(dict.fromkeys((*likely, *by_normal)))[:SINKINGS]

    def sunk(hex_: int, number: int) -> float:
        world = table.world(board, number)
        world.sink(hex_)
        return _played_on(table, world)

    return model.Turn(play, steps, sink=best_of(candidates, budget.part(0.4), sunk))


def steer(view: model.View, chance: Chance, budget: Budget) -> model.Steer:
    """The move of a creature, or none."""
    board, creature = view.board, view.board.rolled
    assert creature is not None, "the die was rolled"
    table = Table(view, chance)
    kind = list(model.Creature).index(creature)
    factor = _factors(view)
    moves = sorted(
        legal_steers(board), key=lambda move: -_prey(factor, board, creature, move.to or 0)
    )
    best = (normal_steer(view), model.Steer(), *moves)
    candidates = list(dict.fromkeys(best))[:STEERS]

    def steered(move: model.Steer, number: int) -> float:
        world = table.world(board, number)
        if move.start is not None and move.to is not None:
            world.steer(kind, move.start, move.to)
        world.play()
        return table.result(world)

    return best_of(candidates, budget, steered)


def _played_on(table: Table, world: World) -> float:
    if not world.over:
        world.creature()
        world.play()
    return table.result(world)


# -- candidates --------------------------------------------------------------------------


def _movements(view: model.View) -> list[Movement]:
    """The best movements that a narrow search finds, with and without a kept tile."""
    evaluator, factor = Evaluator(view), _factors(view)
    plain = _beam(view, factor, view.board)
    steps, board = best_movement(evaluator, view.board)
    found: list[Movement] = [(None, *one) for one in plain[: MOVEMENTS - 2]]
    found.append((None, steps, board))
    play, played = best_play(evaluator, view.board)
    if play is not None and anybody_out(played):
        found += [(play, *one) for one in _beam(view, factor, played)[:2]]
    unique = {(move[0], move[2].where, move[2].ships): move for move in reversed(found)}
    return list(reversed(unique.values()))


def _beam(
    view: model.View, factor: list[float], board: model.Board
) -> list[tuple[tuple[model.Step, ...], model.Board]]:
    """Movements of up to three steps, the most promising first; staying is one of them."""
    assert view.viewer is not None, "a seat looks"
    edge: list[tuple[float, tuple[model.Step, ...], model.Board]] = [
        (_hopes(factor, board), (), board)
    ]
    seen = {(board.where, board.ships)}
    everything = [*edge]
    for number in range(board.steps, model.STEPS):
        found = []
        for _worth, steps, here in edge:
            if not anybody_out(here):
                continue
            for step in legal_steps(here, view.viewer):
                there = after_step(here, step)
                key = (there.where, there.ships)
                if key not in seen:
                    seen.add(key)
                    found.append((_hopes(factor, there), (*steps, step), there))
        found.sort(key=lambda one: -one[0])
        everything += found[:MOVEMENTS]
        edge = found[: BEAM[min(number - board.steps, len(BEAM) - 1)]]
    everything.sort(key=lambda one: -one[0])
    return [(steps, there) for _worth, steps, there in everything]


def _factors(view: model.View) -> list[float]:
    """What each explorer's way to an isle is worth to the viewer, in points."""
    board = view.board
    share = -1.0 / max(1, board.seats - 1)
    return [
        (1.0 if board.options.equal else float(value or MEAN))
        * (1.0 if who // model.EACH % board.seats == view.viewer else share)
        for who, value in enumerate(view.values)
    ]


def _hopes(factor: list[float], board: model.Board) -> float:
    """What all places are worth to the viewer together."""
    total, map_ = 0.0, board.map
    for worth, place in zip(factor, board.where, strict=True):
        if place >= model.SAVED:
            total += worth
        elif place >= model.ABOARD:
            total += worth * BY_SHIP[place - model.ABOARD]
        elif place >= 0:
            total += worth * (BY_SWIMMING if map_[place] == model.SEA else ON_LAND)[place]
    return total


def _hurt(factor: list[float], board: model.Board, hex_: int) -> float:
    """What the others lose, less what oneself loses, if everybody on this tile does."""
    return -sum(factor[who] for who, place in enumerate(board.where) if place == hex_)


def _prey(factor: list[float], board: model.Board, creature: model.Creature, hex_: int) -> float:
    """The same for everybody whom a creature harms on this hex."""
    places = set[int]()
    if creature is not model.Creature.SHARK:
        places.add(hex_ + model.ABOARD)
    if creature is not model.Creature.WHALE:
        places.add(hex_)
    return -sum(factor[who] for who, place in enumerate(board.where) if place in places)
