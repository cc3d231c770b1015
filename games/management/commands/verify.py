"""Fold every log again and compare it with its digests and with the rows made from it.

Nothing is changed but the time of the last check, which check_site reads. The exit status is 1 if
there is a difference, for use in a timer.
"""

import re
from argparse import ArgumentParser, ArgumentTypeError
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from itertools import islice
from multiprocessing import get_context
from typing import Any

import django
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, transaction
from django.db.models import QuerySet

from games import clock, selectors
from games.clock import Step
from games.log import stored_rows, table_events
from games.log.announced import broken_promises
from games.log.game_log import Log
from games.management import counted
from games.models import Game, Heartbeat, Seat, database_clock
from games.rules import GAMES
from games.rules.chance import reveals
from games.services.seat_clocks import SeatClocks

Verified = tuple[str, int, list[str]]  # id of the game, number of events, faults
Check = Callable[[Iterator[list[int]]], Iterator[list[Verified]]]
MOST_FAULTS = 1000  # games that are recorded
CHUNK = 200  # games that a process checks in one go


class Command(BaseCommand):
    help = (
        "Checks all logs against their digests and the rows made from them. With the id of a "
        "game, only that game, and prints it event by event."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("game", nargs="?", help="the id in the game's address")
        parser.add_argument(
            "--reveal", action="store_true", help="print the secrets of a running game as well"
        )
        parser.add_argument(
            "--since", type=_date, metavar="DATE", help="only games with events since then, in UTC"
        )
        parser.add_argument(
            "--jobs", type=_number, default=1, help="number of processes (default: 1)"
        )

    def handle(
        self,
        *args: Any,
        game: str | None,
        reveal: bool,
        since: datetime | None,
        jobs: int,
        **options: Any,
    ) -> None:
        if reveal and not game:
            raise CommandError("--reveal needs the id of a game.")
        self.games = self.events = 0
        self.faulty: dict[str, int] = {}
        with ExitStack() as after:
            self.verified = _checker(jobs, after)
            if game is not None:
                self._one(game, reveal=reveal)
            else:
                rows = Game.objects.order_by("pk")
                self._all(rows if since is None else rows.filter(last_event_at__gte=since))
                self._record()
        good = self.games - len(self.faulty)
        self.stdout.write(
            f"{counted(self.games, 'game')}, {counted(self.events, 'event')}; {good} in order, "
            f"{len(self.faulty)} not."
        )
        if self.faulty:
            raise CommandError("Logs and rows disagree: see above.", returncode=1)

    def _record(self) -> None:
        """Record the time and the faults, for check_site and the admin."""
        now = database_clock.now()
        values: dict[str, Any] = {"faults": dict(islice(self.faulty.items(), MOST_FAULTS))}
        values |= {"started_at": now} if self.faulty else {"at": now, "started_at": None}
        try:
            Heartbeat.objects.update_or_create(
                name=Heartbeat.VERIFY, defaults=values, create_defaults={"at": now, **values}
            )
        except DatabaseError as error:  # a standby, or a disk that is full
            self.stdout.write(f"The time of this check could not be recorded: {error}")

    def _one(self, public_id: str, *, reveal: bool) -> None:
        row = Game.objects.filter(public_id=public_id).prefetch_related("seats__user").first()
        if row is None:
            raise CommandError(f"There is no game {public_id}.")
        self._count([verify_game(row.pk)])
        log, _faults = audit(row)
        if log is not None:
            self._print(row, log, reveal=reveal)

    def _all(self, games: QuerySet[Game]) -> None:
        keys = games.values_list("pk", flat=True).iterator(chunk_size=5000)
        for results in self.verified(batched(keys, CHUNK)):
            self._count(results)

    def _count(self, results: Sequence[Verified]) -> None:
        for public_id, events, faults in results:
            self.games += 1
            self.events += events
            if faults:
                self.faulty[public_id] = _first_event(faults[0])
            for fault in faults:
                self.stdout.write(f"{public_id}: {fault}")

    def _print(self, game: Game, log: Log, *, reveal: bool) -> None:
        """Print one line per event: number, time, kind, user, and its text."""
        everything = reveal or game.is_over
        names = selectors.SeatNames(log, list(game.seats.all()))
        undone = {e.seq for e in log.entries if not e.is_table} - {e.seq for e in log.effective}
        self.stdout.write(f"{game.name} ({game.public_id}), {game.kind}, {game.status}")
        for entry in log.timeline if everything else log.entries:
            words = selectors.sentence_of(log, entry, None, names, everything=everything)
            by = f" by user {entry.by}" if entry.by is not None else ""
            mark = " [undone]" if entry.seq in undone else ""
            mark = " [private order]" if entry.order else mark
            self.stdout.write(
                f"{entry.seq:5} {entry.at:%Y-%m-%d %H:%M:%S} {entry.kind}{mark}{by}  {words or ''}".rstrip()
            )


def _first_event(fault: str) -> int:
    """The number of the event that a fault of the log is about, 0 if it is about the rows."""
    named = re.match(r"event (\d+)", fault)
    return int(named[1]) if named else 0


def _date(text: str) -> datetime:
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no date: write 2026-01-31") from None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a whole number, at least 1")
    return int(text)


def batched(keys: Iterable[int], size: int) -> Iterator[list[int]]:
    """Yield lists of at most `size` keys."""
    left = iter(keys)
    while chunk := list(islice(left, size)):
        yield chunk


def _checker(jobs: int, after: ExitStack) -> Check:
    """A function that verifies lists of games, here or in `jobs` processes of our own."""
    if jobs == 1:
        return lambda chunks: map(verify_games, chunks)
    pool = after.enter_context(
        ProcessPoolExecutor(jobs, get_context("spawn"), initializer=django.setup)
    )

    def check(chunks: Iterator[list[int]]) -> Iterator[list[Verified]]:
        # A few lists ahead, not all: a million keys would fill the memory.
        waiting = deque(pool.submit(verify_games, keys) for keys in islice(chunks, 3 * jobs))
        while waiting:
            yield waiting.popleft().result()
            for keys in islice(chunks, 1):
                waiting.append(pool.submit(verify_games, keys))

    return check


def verify_games(keys: Sequence[int]) -> list[Verified]:
    """Verify these games."""
    rows = Game.objects.filter(pk__in=keys).order_by("pk").prefetch_related("seats__user")
    return [_verified(row) for row in rows]


def verify_game(key: int) -> Verified:
    """Verify one game, which exists."""
    return verify_games([key])[0]


def _verified(row: Game) -> Verified:
    _log, faults = audit(row)
    if faults:  # a move may have come between reading the row and the log
        with transaction.atomic():
            _log, faults = audit(Game.objects.select_for_update(no_key=True).get(pk=row.pk))
    return row.public_id, row.version, faults


def audit(game: Game) -> tuple[Log | None, list[str]]:
    """Return the log of a game and a sentence for every error in it or in its rows."""
    if game.kind not in GAMES:
        return None, [f"there is no game of the kind {game.kind} here"]
    log, faults = stored_rows.audit(game)
    if log is None:
        return None, faults
    if not log.entries:
        return log, [*faults, "there is no event at all"]
    checks = (_rows, _table, _seats, _announced)
    return log, faults + [fault for check in checks for fault in check(game, log)]


def _rows(game: Game, log: Log) -> list[str]:
    """Compare the Game row with the projection of the log."""
    expected = log.projection
    paused = expected.status == "paused"
    pairs: list[tuple[str, object, object]] = [
        ("status", game.status, expected.status),
        ("version", game.version, expected.version),
        ("to_act", tuple(game.to_act), expected.to_act),
        ("scores", tuple(game.scores) if game.scores is not None else None, expected.scores),
        ("winners", tuple(game.winners) if game.winners is not None else None, expected.winners),
        ("options", game.options, log.table.options),
        ("kind", game.kind, log.table.game),
        ("seat_count", game.seat_count, log.table.seat_count),
        ("time control", _time_control(game), _time_control(log.table)),
        ("commitment", game.commitment, log.table.commitment),
        ("started_at", game.started_at, _last_time(log, table_events.Started)),
        ("paused_at", game.paused_at, _paused_at(log) if paused else None),
        ("ended_at", game.ended_at, log.entries[-1].at if game.is_over else None),
        ("last_event_at", game.last_event_at, log.entries[-1].at),
        ("seats", [s.is_bot for s in game.seats.all()], list(expected.bots)),
        ("bot_level", [s.bot_level for s in game.seats.all()], list(log.table.levels)),
    ]
    if game.circle is not None:  # the log keeps one that is gone
        pairs.append(("circle", game.circle.public_id, log.table.circle))
    due = log.vote_due_at
    if game.vote_due_at is None or due is None or game.vote_due_at > due:
        pairs.append(("vote_due_at", game.vote_due_at, due))
    return [
        f"{name} is {row} in the row, {logged} by the log"
        for name, row, logged in pairs
        if row != logged
    ]


def _last_time(log: Log, kind: type[table_events.Event]) -> datetime | None:
    """Return the time of the last event of this kind."""
    return next((e.at for e in reversed(log.entries) if isinstance(e.event, kind)), None)


def _paused_at(log: Log) -> datetime | None:
    """Return when the present pause began; a moderator may have paused the game again in it."""
    since = _last_time(log, table_events.Resumed)
    paused = (entry.at for entry in log.entries if isinstance(entry.event, table_events.Paused))
    return next((at for at in paused if since is None or at > since), None)


def _time_control(of: Game | table_events.TableState) -> tuple[int | bool, ...]:
    return of.pace_days, of.pace_hours, of.bank_days, of.bank_returns, of.weekends_off


def _table(game: Game, log: Log) -> list[str]:
    """Check how the log begins and ends, and the seed that it reveals."""
    faults = []
    if not isinstance(log.entries[0].event, table_events.Created):
        faults.append("the log does not begin with table.created")
    if not reveals(bytes(game.seed), log.table.commitment):
        faults.append("the seed is not the one that was committed to")
    if game.is_over != isinstance(log.entries[-1].event, table_events.Revealed):
        faults.append("the seed must be revealed exactly when the game is over")
    elif log.table.seed is not None and log.table.seed != bytes(game.seed).hex():
        faults.append("the revealed seed is not that of the game")
    return faults


def _seats(game: Game, log: Log) -> list[str]:
    """Check the Seat rows: numbers without a gap, and who has to act until when."""
    seats = list(game.seats.all())
    faults = []
    if [seat.number for seat in seats] != list(range(len(seats))):
        faults.append("the seats are not numbered from 0 without a gap")
    asked = tuple(seat.number for seat in seats if seat.asked_seq is not None)
    if sorted(asked) != sorted(log.projection.to_act):
        faults.append(f"seats {asked} are asked in the rows, {log.projection.to_act} by the log")
    for seat in seats:
        if seat.asked_seq is not None and seat.asked_seq > log.version:
            faults.append(f"seat {seat.number} was asked at event {seat.asked_seq}, still to come")
        faults += _holder(game, seat, log)
        has_clock = not seat.is_bot and not game.practice
        runs = seat.asked_seq is not None and has_clock and game.status == "running"
        if runs != (seat.due_at is not None):
            faults.append(f"seat {seat.number} must have a deadline exactly if a person has to act")
        elif seat.due_at is not None or seat.time_left is not None:
            faults += _deadline(game, seat, log)
        faults += _bank(game, seat, log)
        if seat.open_since is not None and log.seating.last_player(seat.number) is None:
            faults.append(f"seat {seat.number} is open, but no player has left it")
    return faults


def _announced(game: Game, log: Log) -> list[str]:
    """Compare all deadlines with those that were announced for the same question before."""
    if game.practice:
        return []
    return [
        f"seat {later.seat} was given {earlier.due} and then {later.due} for the same question"
        for earlier, later in broken_promises(log)
    ]


def _holder(game: Game, seat: Seat, log: Log) -> list[str]:
    """Compare the player of a seat, who may see what it holds, with the log. A player may have
    deleted their account after the end."""
    if seat.is_bot:
        return []
    if seat.user_id is None:
        return [] if game.is_over else [f"seat {seat.number} has neither a player nor a bot"]
    holders = log.seating.now
    holder = holders[seat.number].user if seat.number < len(holders) else None
    if holder == seat.user_id:
        return []
    return [f"seat {seat.number} is held by user {seat.user_id} in the row, {holder} by the log"]


def _bank(game: Game, seat: Seat, log: Log) -> list[str]:
    """Compare a time bank with what the log says that was used and returned."""
    changes = sum(
        entry.event.seconds
        for entry in log.entries
        if isinstance(entry.event, table_events.BankChanged) and entry.seat == seat.number
    )
    left = game.bank + timedelta(seconds=changes)
    if seat.bank_left in (None, left) and (changes == 0 or seat.bank_left is not None):
        return []
    return [f"the time bank of seat {seat.number} is {seat.bank_left}, by the log {left}"]


def _deadline(game: Game, seat: Seat, log: Log) -> list[str]:
    """Compute an open deadline again: the event with which the time began, the time per move, and
    the events that moved the deadline since."""
    number, began = seat.number, log.until(seat.clock_seq or 0)
    if not began.entries or seat.clock_seq != began.version:
        return [f"the time of seat {number} began with event {seat.clock_seq}, which is not so"]
    if seat.asked_seq is None or seat.clock_seq < seat.asked_seq:
        return [f"the time of seat {number} began before it was asked"]
    moved = [
        Step(entry.event.code, entry.event.seconds)
        for entry in log.entries[began.version :]
        if isinstance(entry.event, table_events.DeadlineMoved) and entry.seat == number
    ]
    rules = log.engine.rules
    question = rules.question(rules.view(began.state, number)) if began.effective else None
    start = began.entries[-1].at
    due = clock.recomputed(start, SeatClocks(game, start).base(question), moved)
    row = seat.due_at
    if game.status == Game.Status.PAUSED and seat.time_left is not None:
        assert game.paused_at is not None, "a constraint of the table"
        row = max(game.paused_at, start) + seat.time_left
    if row is None or row == due:
        return []
    return [f"the deadline of seat {number} is {row} in the row, {due} by the log"]
