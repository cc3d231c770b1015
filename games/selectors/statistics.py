"""How a finished game went: points after every move, and figures per player. Nothing is secret then."""

from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise

from games.log import event_store
from games.log.game_log import Log
from games.models import Game

BIGGEST = 3  # moves that are listed as those that changed most


@dataclass(frozen=True)
class Standing:
    """The points per seat after a move. seq: its last event. seat: who made it, None for the setup."""

    seq: int
    seat: int | None
    points: tuple[int, ...]


@dataclass(frozen=True)
class BigMove:
    """A move by which a seat gained or lost much. number: as players count."""

    seq: int
    number: int
    seat: int
    change: int


@dataclass(frozen=True)
class SeatFigures:
    """moves: how many this seat made. typical: the median time that they took, None without any."""

    seat: int
    moves: int
    typical: timedelta | None


@dataclass(frozen=True)
class Statistics:
    standings: tuple[Standing, ...]
    biggest: tuple[BigMove, ...]
    seats: tuple[SeatFigures, ...]


def statistics(game: Game) -> Statistics | None:
    """The statistics of a finished game; None while it lasts, and for games without points."""
    if game.status != Game.Status.FINISHED:
        return None
    log = event_store.load(game)
    standings = _standings(log)
    if not standings or not standings[0].points:
        return None
    return Statistics(standings, _biggest(log, standings), _figures(log, len(standings[0].points)))


def _standings(log: Log) -> tuple[Standing, ...]:
    """In one pass over the log, private orders included where they took place."""
    rules = log.engine.rules
    last = {item.last_seq: item.seat for item in log.items if not item.undone}
    state, found = rules.initial(), []
    in_order = [entry for entry in log.timeline if not entry.is_table]
    effective = {entry.seq for entry in log.effective}
    for entry in in_order:
        if not entry.order and entry.seq not in effective:
            continue
        state = rules.evolve(state, entry.event)
        if not entry.order and entry.seq in last:
            found.append(Standing(entry.seq, last[entry.seq], tuple(rules.points(state))))
    return tuple(found)


def _biggest(log: Log, standings: tuple[Standing, ...]) -> tuple[BigMove, ...]:
    """The moves whose own player gained or lost most by them, the first of equal ones."""
    moves = []
    for before, after in pairwise(standings):
        if after.seat is not None:
            change = after.points[after.seat] - before.points[after.seat]
            moves.append(BigMove(after.seq, log.move_number(after.seq), after.seat, change))
    moves.sort(key=lambda move: (-abs(move.change), move.seq))
    return tuple(move for move in moves[:BIGGEST] if move.change)


def _figures(log: Log, seats: int) -> tuple[SeatFigures, ...]:
    """How many moves each seat made, and how long after the one before."""
    times: list[list[timedelta]] = [[] for _ in range(seats)]
    previous = None
    for item in log.items:
        if item.first.is_table or item.undone:
            continue
        if item.seat is not None and previous is not None:
            times[item.seat].append(item.first.at - previous)
        previous = item.entries[-1].at
    return tuple(
        SeatFigures(seat, len(taken), sorted(taken)[len(taken) // 2] if taken else None)
        for seat, taken in enumerate(times)
    )
