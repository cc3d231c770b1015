"""The greedy player of Escape from Atlantis!."""

from collections.abc import Iterable

from games.rules.escape import model, rules
from games.rules.escape.action_tiles import after_play
from games.rules.escape.board import own, owner
from games.rules.escape.creatures import harm_on
from games.rules.escape.evolve import harmed
from games.rules.escape.hexes import ISLE_DISTANCE, distance
from games.rules.escape.steps import after_step

MEAN = 2.8  # of an explorer whose value one does not know
LEAST = 0.01  # what an action must bring; without it, a tile is sunk


def choose(state: model.State, seat: int) -> model.Command:
    """The single action that brings the own explorers nearest to an isle, or harms the others
    most."""
    view = rules.view(state, seat)
    commands = list(rules.legal_commands(state, seat))
    now = worth(view, view.board)
    return max(commands, key=lambda command: _gain(view, command, now))


def worth(view: model.View, board: model.Board) -> float:
    """Own progress less that of the others, in points: 1 for each point of value brought ashore."""
    assert view.viewer is not None, "a seat looks"
    total = 0.0
    for who, place in enumerate(board.where):
        mine = owner(board, who) == view.viewer
        share = 1.0 if mine else -1.0 / max(1, board.seats - 1)
        total += share * (view.values[who] or MEAN) * _progress(board, place)
    return total


def _progress(board: model.Board, place: int) -> float:
    if place >= model.SAVED:
        return 1.0
    if place < 0:
        return 0.0
    away = ISLE_DISTANCE[place % model.ABOARD]
    if place >= model.ABOARD:
        return 0.75 - 0.03 * away
    if board.map[place] == model.SEA:
        return 0.6 - 0.06 * away
    return 0.35 - 0.02 * away


def _gain(view: model.View, command: model.Command, now: float) -> float:
    board, seat = view.board, view.viewer
    assert seat is not None, "a seat looks"
    match command:
        case model.Place(value=value, hex=hex_):
            return value / 10 - ISLE_DISTANCE[hex_]
        case model.Launch(hex=hex_):
            mine = [place for who in own(board, seat) if (place := board.where[who]) >= 0]
            return -float(min((distance(hex_, place) for place in mine), default=0))
        case model.Turn(play=model.Play() as play):
            return worth(view, after_play(board, seat, play)) - now
        case model.Turn(steps=(step,)):
            gain = worth(view, after_step(board, step)) - now
            return gain if gain > LEAST else -100.0
        case model.Turn(sink=int() as hex_):
            return -1e-3 * worth_of(view, (w for w, p in enumerate(board.where) if p == hex_))
        case model.Steer(to=int() as to):
            assert board.rolled is not None, "the die was rolled"
            harm = harm_on(board, board.rolled, to)
            return worth(view, harmed(board, harm)) - now if harm is not None else -1.0
        case model.Crew(explorers=explorers):
            return worth_of(view, explorers)
        case model.Defend(defend=defend):
            return float(defend)
        case _:
            return 0.0


def worth_of(view: model.View, explorers: Iterable[int]) -> float:
    """The value of these explorers, those of others counted against it."""
    return sum(
        (view.values[who] or MEAN) * (1 if owner(view.board, who) == view.viewer else -1)
        for who in explorers
    )
