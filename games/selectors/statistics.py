"""Statistics of a finished game: points after every move, and figures per player. Nothing is secret
then."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise

from games.log import event_store
from games.log.game_log import Log
from games.models import Game

from .seat_names import SeatNames

BIGGEST = 3  # moves that are listed as those that changed most


@dataclass(frozen=True)
class Points:
    """The points per seat after a move. seq: its last event. seat: who made it, None for the
    setup."""

    seq: int
    seat: int | None
    points: tuple[int, ...]


@dataclass(frozen=True)
class BigMove:
    """A move by which a seat gained or lost much. number: as players count. name: of the player who
    had the seat then."""

    seq: int
    number: int
    seat: int
    name: str
    change: int


@dataclass(frozen=True)
class SeatFigures:
    """Of each player who made moves on a seat. moves: how many they made there, with those that a
    bot made for them. typical: the median time that their own ones took, None without any."""

    seat: int
    name: str
    moves: int
    typical: timedelta | None


@dataclass(frozen=True)
class Statistics:
    standings: tuple[Points, ...]
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
    names = SeatNames(log, tuple(game.seat_list))
    return Statistics(standings, _biggest(log, standings, names), _figures(log, names))


def _standings(log: Log) -> tuple[Points, ...]:
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
            found.append(Points(entry.seq, last[entry.seq], tuple(rules.points(state))))
    return tuple(found)


def _biggest(log: Log, standings: tuple[Points, ...], names: SeatNames) -> tuple[BigMove, ...]:
    """The moves whose own player gained or lost most by them, the first of equal ones."""
    found = []
    for before, after in pairwise(standings):
        if after.seat is not None:
            found.append(
                (after.points[after.seat] - before.points[after.seat], after.seq, after.seat)
            )
    found.sort(key=lambda move: (-abs(move[0]), move[1]))
    return tuple(
        BigMove(seq, log.move_number(seq), seat, names.at(seq)[seat], change)
        for change, seq, seat in found[:BIGGEST]
        if change
    )


def _figures(log: Log, names: SeatNames) -> tuple[SeatFigures, ...]:
    """Return each player's number of moves on each seat and their durations, by seat and in the
    order in which they had it, all present players included."""
    took: dict[tuple[int, bool, int | None], list[timedelta | None]] = defaultdict(list)
    called = dict[tuple[int, bool, int | None], str]()
    previous = None
    for item in log.items:
        if item.first.is_table or item.undone:
            continue
        if item.seat is not None and previous is not None:
            holder = log.seating.before(item.first.seq)[item.seat]
            key = item.seat, holder.is_bot, holder.user
            called[key] = names.at(item.first.seq)[item.seat]
            is_unknown = holder.user is None and not holder.is_bot
            is_own = is_unknown or item.first.by == holder.user
            took[key].append(item.first.at - previous if is_own else None)
        previous = item.entries[-1].at
    for seat, holder in enumerate(log.seating.now):
        called.setdefault((seat, holder.is_bot, holder.user), names.now[seat])
    return tuple(
        SeatFigures(key[0], called[key], len(took[key]), own[len(own) // 2] if own else None)
        for key in sorted(called, key=lambda key: key[0])
        for own in [sorted(time for time in took[key] if time is not None)]
    )
