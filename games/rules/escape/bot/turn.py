"""The bot's turn: a kept tile if it pays, up to three steps, and a tile that hurts the others."""

from msgspec.structs import replace

from .. import model
from ..action_tiles import after_play, legal_plays
from ..board import anybody_out, at, crew, sinkable
from ..hexes import NEAR
from ..steps import after_step, legal_steps
from .evaluation import DISTANCE, Evaluator

BEAM = (9, 6)  # how many of the best movements of one and of two steps are examined further
ENOUGH = 0.5  # points that a kept tile must bring
# The chances that a tile of this kind hides a shark, or a whirlpool.
SHARK = {model.BEACH: 3 / 16, model.FOREST: 2 / 16, model.MOUNTAIN: 1 / 8}
WHIRL = {model.BEACH: 0.0, model.FOREST: 2 / 16, model.MOUNTAIN: 5 / 8}


def turn(view: model.View) -> model.Turn:
    """The orders of a whole turn."""
    evaluator = Evaluator(view)
    board = view.board
    play, board = best_play(evaluator, board)
    steps, board = best_movement(evaluator, board)
    if not anybody_out(board) and (play or steps):
        return model.Turn(play, steps)
    tiles = sinkable(board)
    if not tiles:
        return model.Turn(play, steps, roll=True)
    return model.Turn(
        play,
        steps,
        sink=max(tiles, key=lambda hex_: sinking_rank(evaluator, board, hex_)),
    )


def best_movement(
    evaluator: Evaluator, board: model.Board
) -> tuple[tuple[model.Step, ...], model.Board]:
    """The best movement of up to three steps that a narrow search finds."""
    _worth, steps, there = movements(evaluator, board)[0]
    return steps, there


def movements(
    evaluator: Evaluator, board: model.Board
) -> list[tuple[float, tuple[model.Step, ...], model.Board]]:
    """(worth, steps, board) of movements, the best first and of equal ones the shortest; staying is
    one of them."""
    edge: list[tuple[float, tuple[model.Step, ...], model.Board]] = [
        (evaluator.worth(board), (), board)
    ]
    everything = [*edge]
    for number in range(board.steps, model.STEPS):
        found: list[tuple[float, tuple[model.Step, ...], model.Board]] = []
        seen: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
        for _worth, steps, here in edge:
            for step in legal_steps(here, evaluator.seat):
                there = after_step(here, step)
                key = (there.where, there.ships)
                if key in seen:
                    continue
                seen.add(key)
                found.append((evaluator.worth(there), (*steps, step), there))
        found.sort(key=lambda one: -one[0])
        edge = found[: BEAM[min(number - board.steps, len(BEAM) - 1)]]
        everything += edge
    everything.sort(key=lambda one: -round(one[0], 6))
    return everything


def best_play(evaluator: Evaluator, board: model.Board) -> tuple[model.Play | None, model.Board]:
    """A kept tile, where it brings enough."""
    tiles = evaluator.view.kept[evaluator.seat] or ()
    now = evaluator.worth(board)
    best: tuple[float, model.Play | None, model.Board] = (now + ENOUGH, None, board)
    carriers = [tile for tile in tiles if tile in (model.Back.DOLPHIN, model.Back.WIND)]
    for play in legal_plays(board, evaluator.seat, carriers):
        if play.tile is model.Back.WIND and not _mine_aboard(evaluator, board, play.start):
            continue
        there = after_play(board, evaluator.seat, play)
        worth = evaluator.worth(there)
        if worth > best[0]:
            best = (worth, play, there)
    if best[1] is None:
        movers = [tile for tile in tiles if tile not in carriers]
        best = max(
            (
                (now + gain, play, after_play(board, evaluator.seat, play))
                for play, gain in _creature_plays(evaluator, board, movers)
                if gain > 2 * ENOUGH
            ),
            key=lambda one: one[0],
            default=best,
        )
    return best[1], best[2]


def _mine_aboard(evaluator: Evaluator, board: model.Board, ship: int) -> bool:
    return any(evaluator.seat_of[who] == evaluator.seat for who in crew(board, ship))


def _creature_plays(
    evaluator: Evaluator, board: model.Board, tiles: list[model.Back]
) -> list[tuple[model.Play, float]]:
    """Return the best way to move one of each kind of creature that may be moved."""
    found: list[tuple[model.Play, float]] = []
    for tile in tiles:
        plays = list(legal_plays(board, evaluator.seat, [tile]))
        if not plays:
            continue
        threat = _threat(evaluator, board, tile)
        best = max(plays, key=lambda play: (threat[play.to] - threat[play.start], -play.to))
        found.append((best, threat[best.to] - threat[best.start]))
    return found


def _threat(evaluator: Evaluator, board: model.Board, tile: model.Back) -> list[float]:
    """Return for each hex what a creature there would put in danger: the others' less one's own."""
    reach = {model.Back.MOVE_SERPENT: 1, model.Back.MOVE_SHARK: 2}.get(tile, 3)
    prey: list[tuple[int, float]] = []
    for who, place in enumerate(board.where):
        swims = 0 <= place < model.ABOARD and board.map[place] == model.SEA
        sails = model.ABOARD <= place < model.SAVED
        if (swims and tile is not model.Back.MOVE_WHALE) or (
            sails and tile is not model.Back.MOVE_SHARK
        ):
            hex_ = place % model.ABOARD
            chance = evaluator.sail[hex_] if sails else evaluator.swim[hex_]
            prey.append((hex_, -0.3 * evaluator.factor[who] * chance))
    return [
        sum(gain for hex_, gain in prey if DISTANCE[hex_][start] <= reach)
        for start in range(len(board.map))
    ]


def sinking_worth(evaluator: Evaluator, board: model.Board, hex_: int) -> float:
    """The value of sinking this tile."""
    kind = board.map[hex_]
    there = replace(board, map=board.map[:hex_] + model.SEA + board.map[hex_ + 1 :])
    people = at(board, hex_)
    worth = evaluator.worth(there) - evaluator.worth(board)
    worth -= SHARK[kind] * sum(evaluator.factor[who] * evaluator.swim[hex_] for who in people)
    if WHIRL[kind]:
        pulled = sum(evaluator.factor[who] * evaluator.swim[hex_] for who in people)
        for near in NEAR[hex_]:
            if board.map[near] == model.SEA:
                pulled += sum(
                    evaluator.factor[who] * evaluator.swim[near] for who in at(board, near)
                )
                pulled += sum(
                    evaluator.factor[who] * evaluator.sail[near] for who in crew(board, near)
                )
        worth -= WHIRL[kind] * pulled
    return worth


def sinking_rank(evaluator: Evaluator, board: model.Board, hex_: int) -> tuple[float, float, int]:
    """Return the key by which tiles are compared: first the explorers on them."""
    hurt = round(-evaluator.on_hex(board, hex_), 6)
    return hurt, sinking_worth(evaluator, board, hex_), -hex_
