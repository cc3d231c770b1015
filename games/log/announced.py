"""The deadlines that a log announced, and which of them belong to the same question.

Computed from the log alone, by the rules by which `services.locked_game` starts and ends clocks.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from games import clock
from games.clock import Step
from games.log import table_events
from games.log.entry import Entry
from games.log.game_log import Log, LogItem, in_order
from games.rules.contract import Command, Question

# Without one of these events, no question that went away comes back to the same player, nor is
# one that others answered asked again at once.
_RETURNING = (
    table_events.RolledBack,
    table_events.BotPlayed,
    table_events.SeatHanded,
    table_events.TakenBack,
)


class Announced(msgspec.Struct):
    """A deadline of a player, as it was at last.

    user: the player (pk), None once the account is deleted. ended: how many questions to the seat
    had ended before, by events that count. start: when the clock began. base: the time for such a
    question. steps: what moved the deadline from start + base.
    """

    seat: int
    user: int | None
    ended: int
    start: datetime
    base: timedelta
    steps: list[Step] = []

    @property
    def due(self) -> datetime:
        return clock.recomputed(self.start, self.base, self.steps)

    def is_for(self, later: "Announced") -> bool:
        """Return whether this deadline, announced before `later`, was for the same question or for
        one that followed it and was undone."""
        return (
            self.user is not None
            and (self.seat, self.user, self.base) == (later.seat, later.user, later.base)
            and self.ended >= later.ended
        )


def time_for(question: Question[Command] | None, pace: timedelta) -> timedelta:
    """The time for a question: that of the table, unless the rules set hours."""
    if question is not None and question.hours is not None:
        return timedelta(hours=question.hours)
    return pace


def announced_before(log: Log, seat: int) -> datetime | None:
    """The latest deadline that the player of this seat, which is asked, was given for this question
    before it went away and came back; None without one."""
    if not (_has(log, table_events.DeadlineMoved) and _has(log, *_RETURNING)):
        return None
    *before, now = (one for one in announced(log) if one.seat == seat)
    return max((one.due for one in before if one.is_for(now)), default=None)


def broken_promises(log: Log) -> Iterator[tuple[Announced, Announced]]:
    """Each deadline after which an earlier one was announced for the same question, and that."""
    if not _has(log, table_events.DeadlineMoved):
        return  # of two deadlines that nothing moved, that of the later question is the later one
    found = announced(log)
    for number, later in enumerate(found):
        for earlier in found[:number]:
            if earlier.is_for(later) and earlier.due > later.due:
                yield earlier, later


def announced(log: Log) -> list[Announced]:
    """All deadlines of the log, in the order in which their clocks began. Practice games have none,
    which their logs do not say."""
    return _Replay(log).run()


def _has(log: Log, *kinds: type[table_events.Event]) -> bool:
    return any(isinstance(entry.event, kinds) for entry in log.entries)


class _Replay:
    def __init__(self, log: Log) -> None:
        self.log, self.rules = log, log.engine.rules
        self.orders: dict[int, list[Entry]] = {}
        for order in log.orders:
            self.orders.setdefault(order.seq, []).append(order)
        self.table, self.state = table_events.TableState(), log.engine.rules.initial()
        self.paused_at: datetime | None = None
        self.asked = frozenset[int]()
        self.ended: list[tuple[int, int]] = []  # (event, seat) for each question that has ended
        self.clocks: dict[int, tuple[Announced, Question[Command] | None]] = {}
        self.found: list[Announced] = []

    def run(self) -> list[Announced]:
        for item in self.log.items:
            event = item.first.event
            if isinstance(event, table_events.DeadlineMoved) and event.seat in self.clocks:
                self.clocks[event.seat][0].steps.append(Step(event.code, event.seconds))
            self._evolve(item)
            self._update_clocks(item)
        return self.found

    def _evolve(self, item: LogItem) -> None:
        played = [entry for entry in item.entries if not entry.is_table]
        left = [o for entry in item.entries for o in self.orders.get(entry.seq, ())]
        if isinstance(event := item.first.event, table_events.RolledBack):
            self.state = self.log.until(item.last_seq).state  # the orders included
            self.ended = [one for one in self.ended if one[0] <= event.to_seq]
        else:
            moved: Sequence[Any] = [entry.event for entry in in_order(played, left)]
            self.state = self.log.engine.fold(moved, self.state)
        for entry in item.entries:
            if isinstance(entry.event, table_events.Event):
                self.table = table_events.evolve(self.table, entry.event)

    def _update_clocks(self, item: LogItem) -> None:
        first, status = item.first, self.table.status
        goes_on = status in ("running", "paused")
        asked = frozenset(self.rules.to_act(self.state) if goes_on else ())
        if not isinstance(first.event, table_events.RolledBack):
            self.ended += [(item.last_seq, seat) for seat in self.asked - asked]
        holders = self.log.seating.after(item.last_seq)
        for seat in sorted(self.clocks.keys() | asked):
            if seat not in asked or holders[seat].is_bot:
                self._end(seat, first.at)
                continue
            question = self.rules.question(self.rules.view(self.state, seat))
            is_anew = holders[seat].since == first.seq or _starts_clock(item, seat)
            if seat in self.clocks and not is_anew and self.clocks[seat][1] == question:
                continue
            self._end(seat, first.at)
            pace = timedelta(days=self.table.pace_days, hours=self.table.pace_hours)
            base = time_for(question, pace)
            ended = sum(seat == one for _seq, one in self.ended)
            user = holders[seat].user
            new = Announced(seat, user, ended, first.at, base)
            self.clocks[seat] = new, question
            self.found.append(new)
        self.asked = asked
        self.paused_at = (self.paused_at or first.at) if status == "paused" else None

    def _end(self, seat: int, at: datetime) -> None:
        """End the clock of a seat. In a pause it stands still, and its deadline moves with time.

        A bot's turn is written at once: between its commands, nothing was announced.
        """
        if seat not in self.clocks:
            return
        ended, _question = self.clocks.pop(seat)
        if at == ended.start and not ended.steps:
            self.found = [one for one in self.found if one is not ended]
        if self.paused_at is not None and at > (since := max(self.paused_at, ended.start)):
            ended.steps.append(Step("pause", clock.in_seconds(at - since)))


def _starts_clock(item: LogItem, seat: int) -> bool:
    """Return whether the clock of this seat, if it is asked, begins anew: after a move of its own,
    and after a rollback by itself or by a moderator."""
    event = item.first.event
    if isinstance(event, table_events.RolledBack):
        return event.seat in (None, seat)
    return item.is_move and item.seat == seat
