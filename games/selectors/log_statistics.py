"""Statistics from the logs of games: those of a finished game, in which nothing is secret, and the
reliability of a person, the share of turns made in time.

A turn is one or more moves of a seat in a row. It was in time unless its deadline passed first.
What a log says about people is cached by its version, so a page folds no log twice.
"""

import zlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from django.core.cache import cache
from django.db.models import Q

from games.log import event_store, table_events
from games.log.game_log import Log, LogItem
from games.models import Game, Seat, User

from .access import Reader, moderates, with_seats
from .seat_names import SeatNames

BIGGEST = 3  # moves of a game that are listed as those that changed most
GAMES = 60  # of a person, the newest; older ones say little about them today
NEWCOMER = 10  # turns: fewer say nothing yet
RECENT = timedelta(days=90)
KEPT = 90 * 24 * 3600  # seconds in the cache


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
    """The figures of a player who made moves on a seat. moves: how many they made there, with those
    that a bot made for them. typical: the median time that their own ones took, None without
    any."""

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
    """Return the standings in one pass over the log, with private orders where they took place."""
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


@dataclass(frozen=True)
class TimedTurn:
    """A turn that the person made in time; seq: its last event. took: since the move before."""

    seq: int
    at: datetime
    took: timedelta


@dataclass(frozen=True)
class Miss:
    """A deadline of the person that passed, with event `seq`."""

    seq: int
    at: datetime
    excused: bool


@dataclass(frozen=True)
class Conduct:
    """The conduct of one person in the log of one game. resigned: which ended the game."""

    turns: tuple[TimedTurn, ...] = ()
    misses: tuple[Miss, ...] = ()
    resigned: bool = False


def format_of(*kinds: type) -> int:
    """A number that changes with the module and the fields of these dataclasses: what older code
    left in the cache in another format, or under another name, is never read."""
    found = [(kind.__module__, kind.__name__, _names(kind)) for kind in kinds]
    return zlib.crc32(repr(found).encode())


def _names(kind: type) -> list[str]:
    return [field.name for field in fields(kind)]


FORMAT = format_of(Conduct, TimedTurn, Miss)


@dataclass(frozen=True)
class GameConduct:
    """A game and what its log says about the person.

    holds: whether the person has a seat now, or had one at the end. The result of a seat counts for
    the person who held it last, not for those who left it.
    """

    game: Game
    conduct: Conduct
    holds: bool


@dataclass(frozen=True)
class Reliability:
    """The figures of a person, and the games behind them, newest first."""

    games: tuple[GameConduct, ...]
    now: datetime

    @property
    def finished(self) -> list[Game]:
        """The games that they played to the end."""
        over = Game.Status.FINISHED
        played = (one for one in self.games if one.holds and not one.conduct.resigned)
        return [one.game for one in played if one.game.status == over]

    @property
    def turns(self) -> int:
        """The number of turns made in time."""
        return sum(len(one.conduct.turns) for one in self.games)

    @property
    def missed(self) -> int:
        """The number of deadlines that passed without an excuse."""
        return sum(not miss.excused for one in self.games for miss in one.conduct.misses)

    @property
    def counted(self) -> int:
        """The number of turns that count: those in time and those missed."""
        return self.turns + self.missed

    @property
    def excused(self) -> list[tuple[Game, Miss]]:
        """The missed deadlines that were excused."""
        return [(g, miss) for g, miss in self._misses() if miss.excused]

    @property
    def recent_misses(self) -> list[tuple[Game, Miss]]:
        """The deadlines missed without an excuse in the last 90 days."""
        since = self.now - RECENT
        return [(g, miss) for g, miss in self._misses() if not miss.excused and miss.at > since]

    @property
    def share(self) -> int | None:
        """The share of turns made in time, in percent, rounded down; None without any."""
        return self.turns * 100 // self.counted if self.counted else None

    @property
    def typical(self) -> timedelta | None:
        """The median time of a turn; None without any."""
        took = [turn.took.total_seconds() for one in self.games for turn in one.conduct.turns]
        return timedelta(seconds=round(median(took))) if took else None

    @property
    def is_newcomer(self) -> bool:
        """Whether there are too few turns to say anything."""
        return self.counted < NEWCOMER

    def _misses(self) -> Iterable[tuple[Game, Miss]]:
        return ((one.game, miss) for one in self.games for miss in one.conduct.misses)


def reliability(user: User, now: datetime) -> Reliability:
    """The figures of this person. Practice games do not count."""
    theirs = Q(seats__user=user) | Q(former_seats__user=user)
    played = Game.objects.filter(theirs, started_at__isnull=False, practice=False).distinct()
    games = with_seats(played.order_by("-last_event_at", "-pk")[:GAMES])
    keys = {game.pk: f"conducts:{FORMAT}:{game.pk}:{game.version}" for game in games}
    known = cache.get_many(keys.values())
    new = {
        key: conducts(event_store.load(game))
        for game in games
        if (key := keys[game.pk]) not in known
    }
    if new:
        cache.set_many(new, KEPT)
    found = {**known, **new}
    return Reliability(
        tuple(
            GameConduct(
                game,
                found[keys[game.pk]].get(user.pk, Conduct()),
                any(seat.user_id == user.pk for seat in game.seat_list),
            )
            for game in games
        ),
        now,
    )


def conducts(log: Log) -> dict[int, Conduct]:
    """Return the conduct of each person (pk) who has held a seat of the game."""
    turns, misses = _timed_turns(log), _misses(log)
    resigned = {log.seating.now[seat].user for seat in log.table.quit} - {None}
    return {
        person: Conduct(
            tuple(turns.get(person, ())), tuple(misses.get(person, ())), person in resigned
        )
        for person in turns.keys() | misses.keys() | resigned
        if person is not None
    }


def _misses(log: Log) -> dict[int, list[Miss]]:
    """The deadlines that each person (pk) missed."""
    found: dict[int, list[Miss]] = {}
    for entry in log.entries:
        if isinstance(entry.event, table_events.TimedOut):
            holder = log.seating.before(entry.seq)[entry.event.seat].user
            if holder is not None:
                miss = Miss(entry.seq, entry.at, entry.seq in log.excused)
                found.setdefault(holder, []).append(miss)
    return found


def _timed_turns(log: Log) -> dict[int, list[TimedTurn]]:
    """The turns that each person (pk) made in time; [] for one who only moved late."""
    found: dict[int, list[TimedTurn]] = {}
    late: set[int] = set()  # seats whose present turn is not in time
    previous: LogItem | None = None  # the setup or the move before
    was_counted = False  # whether the move before belongs to a turn in `found`
    for item in log.items:
        event, seat, by = item.first.event, item.seat, item.first.by
        holders = log.seating.before(item.first.seq)
        if isinstance(event, table_events.TimedOut) and holders[event.seat].user is not None:
            late.add(event.seat)
        if item.first.is_table:
            continue
        if previous is not None and previous.seat is not None and previous.seat != seat:
            late.discard(previous.seat)
        counts = False
        if seat is not None and by is not None and previous is not None:
            turns = found.setdefault(by, [])
            if was_counted and (previous.seat, previous.first.by) == (seat, by):
                turns[-1] = TimedTurn(item.last_seq, item.first.at, turns[-1].took)
                counts = True
            elif holders[seat].user == by and seat not in late:
                took = item.first.at - previous.entries[-1].at
                turns.append(TimedTurn(item.last_seq, item.first.at, took))
                counts = True
        previous, was_counted = item, counts
    return found


def may_see_figures(reader: Reader, user: User) -> bool:
    """Return whether the figures of a person are shown to this reader: to everybody unless the
    person chose otherwise, and always to the people at their tables and to moderators."""
    if user.figures_public:
        return True
    if not reader.is_authenticated:
        return False
    if reader.pk == user.pk or moderates(reader):
        return True
    alive = (Game.Status.GATHERING, Game.Status.RUNNING, Game.Status.PAUSED)
    shared = Game.objects.filter(seats__user=user, status__in=alive)
    return shared.filter(Q(pk__in=reader.seats.values("game"))).exists()


def newcomers(seats: Iterable[Seat], now: datetime) -> list[int]:
    """The seats whose players have hardly played here."""
    return [
        seat.number
        for seat in seats
        if seat.user is not None and reliability(seat.user, now).is_newcomer
    ]
