"""The events of one game in order, and everything that is computed from them.

Pure: no SQL, no clock. A rollback stays in the log; what it undid is marked, not removed.
"""

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property

import msgspec

from games.log import table_events
from games.log.entry import Entry
from games.log.seating import Seating
from games.rules.contract import AnyGame, Event, Outcome, State

VOTE_TIME = timedelta(days=3)  # that a vote is open, or the time per move if that is longer


class Projection(msgspec.Struct, frozen=True):
    """The values of the Game and Seat rows that follow from a log."""

    status: str
    version: int
    to_act: tuple[int, ...]
    scores: tuple[int, ...] | None
    winners: tuple[int, ...] | None
    bots: tuple[bool, ...]


class LogItem(msgspec.Struct, frozen=True):
    """A move with its consequences, the setup, or one event of the table.

    seat: the seat that moved, or that the table event is about; None for the setup. undone: a
    later rollback took it back.
    """

    entries: tuple[Entry, ...]
    seat: int | None
    is_move: bool
    undone: bool

    @property
    def first(self) -> Entry:
        """The entry that names the command or the table event."""
        return self.entries[0]

    @property
    def last_seq(self) -> int:
        """The number of the last event: the position after this item."""
        return self.entries[-1].seq


class OpenVote(msgspec.Struct, frozen=True):
    """The open vote of a table.

    seq: the event that opened it, at `opened_at`. agreed: the seats whose present holders have
    agreed, that of the player who asked among them. closes_at: until when it is open.
    """

    seq: int
    proposal: table_events.Vote
    agreed: frozenset[int]
    opened_at: datetime
    closes_at: datetime

    def later(self, seconds: int) -> "OpenVote":
        """The vote that closes later by these seconds, but not after the day until which it would
        pause the game."""
        closes_at = self.closes_at + timedelta(seconds=seconds)
        if isinstance(self.proposal, table_events.PauseVote):
            closes_at = min(closes_at, datetime.fromisoformat(self.proposal.until))
        return msgspec.structs.replace(self, closes_at=closes_at)


class Log:
    """The events of one game in order, with the values that are computed from them. Immutable.

    entries: the events, whose numbers everybody may see. orders: the private orders, each of which
    changes the position after the event whose number it has, but counts for nothing else.
    """

    def __init__(
        self,
        engine: AnyGame,
        entries: Sequence[Entry],
        digest: bytes,
        *,
        orders: Sequence[Entry] = (),
        extends: "Log | None" = None,
    ) -> None:
        self.engine = engine
        self.entries = tuple(entries)
        self.orders = tuple(orders)
        self.digest = digest  # of the last event; b"" if unknown
        self._extends = extends  # a beginning of this log whose computed values are reused

    @property
    def version(self) -> int:
        """The number of the last event, 0 for none."""
        return self.entries[-1].seq if self.entries else 0

    @cached_property
    def effective(self) -> tuple[Entry, ...]:
        """The events of the game that no rollback undid."""
        base, new = self._beginning
        kept = list(base.effective) if base is not None else []
        for entry in new:
            if not entry.is_table:
                kept.append(entry)
            elif isinstance(entry.event, table_events.RolledBack):
                while kept and kept[-1].seq > entry.event.to_seq:
                    kept.pop()
        return tuple(kept)

    @property
    def effective_orders(self) -> tuple[Entry, ...]:
        """The private orders that no rollback undid. A rollback undoes what was left after event
        `to_seq`, an order after a deadline that moved behind that event included."""
        undone = {order.order for orders in self.undone_orders.values() for order in orders}
        return tuple(order for order in self.orders if order.order not in undone)

    def ordered_by(self, seat: int) -> int | None:
        """The user who left the last private order of this seat that counts; None without one, or
        once the account is deleted."""
        last = self._last_order(seat)
        return last.by if last is not None else None

    def is_ordered_by_holder(self, seat: int) -> bool:
        """Return whether the last private order of this seat was left since its holder has it:
        a player who comes back finds no order of theirs in force."""
        last = self._last_order(seat)
        return last is not None and last.seq >= self.seating.now[seat].since

    def _last_order(self, seat: int) -> Entry | None:
        return next((o for o in reversed(self.effective_orders) if o.seat == seat), None)

    @cached_property
    def undone_orders(self) -> dict[int, tuple[Entry, ...]]:
        """The private orders that each rollback (by its number) undid, if it undid any; secret
        while the game lasts."""
        left, found = list(self.orders), {}
        for entry in self.entries if left else ():
            if isinstance(entry.event, table_events.RolledBack):
                back = entry.event.to_seq
                undone = tuple(order for order in left if back < order.seq < entry.seq)
                if undone:
                    found[entry.seq] = undone
                    left = [order for order in left if order not in undone]
        return found

    @property
    def engine_events(self) -> tuple[Event, ...]:
        """The events and private orders that make the position."""
        return tuple(entry.event for entry in in_order(self.effective, self.effective_orders))

    @property
    def timeline(self) -> tuple[Entry, ...]:
        """All events and private orders as they happened; secret while the game lasts."""
        return tuple(in_order(self.entries, self.orders))

    @cached_property
    def state(self) -> State:
        """The position; the engine's initial state before the start."""
        base, new = self._beginning
        if base is None or any(isinstance(e.event, table_events.RolledBack) for e in new):
            return self.engine.fold(self.engine_events)
        played = [entry for entry in new if not entry.is_table]
        orders = self.orders[len(base.orders) :]
        return self.engine.fold([e.event for e in in_order(played, orders)], base.state)

    @cached_property
    def table(self) -> table_events.TableState:
        """The players at the table, and whether the game runs."""
        base, new = self._beginning
        before = base.table if base is not None else None
        return table_events.fold((entry.event for entry in new if entry.is_table), before)

    @cached_property
    def seating(self) -> Seating:
        """The holders of the seats at any time."""
        return Seating(self.entries)

    @property
    def _beginning(self) -> tuple["Log | None", tuple[Entry, ...]]:
        """The log this one extends, if any, and the entries after it."""
        known = len(self._extends.entries) if self._extends is not None else 0
        return self._extends, self.entries[known:]

    @cached_property
    def outcome(self) -> Outcome | None:
        """Scores and winners once the game was played to its end."""
        return self.engine.rules.outcome(self.state) if self.effective else None

    @cached_property
    def projection(self) -> Projection:
        """The values of the rows that follow from this log."""
        table, outcome = self.table, self.outcome
        status: str = table.status
        if outcome is not None and status != "aborted":
            status = "finished"
        winners = outcome.winners if outcome is not None else None
        if status == "finished" and outcome is None:
            winners = tuple(seat for seat in table.people if seat not in table.quit)
        return Projection(
            status=status,
            version=self.version,
            to_act=self.engine.rules.to_act(self.state) if status in ("running", "paused") else (),
            scores=outcome.scores if outcome is not None else None,
            winners=winners,
            bots=table.bots,
        )

    @cached_property
    def vote(self) -> OpenVote | None:
        """The vote that is open now; None without one."""
        proposal = self.table.vote
        if proposal is None or self.projection.status not in ("running", "paused"):
            return None
        opened = next(
            entry
            for entry in reversed(self.entries)
            if isinstance(entry.event, table_events.VoteOpened)
        )
        agreed = {proposal.seat} | {
            entry.event.seat
            for entry in self.entries
            if isinstance(entry.event, table_events.VoteAnswered)
            and entry.seq > max(opened.seq, self.seating.now[entry.event.seat].since)
        }
        pace = timedelta(days=self.table.pace_days, hours=self.table.pace_hours)
        closes_at = opened.at + max(VOTE_TIME, pace)
        moved = sum(
            entry.event.seconds
            for entry in self.entries[opened.seq :]
            if isinstance(entry.event, table_events.VoteMoved)
        )
        vote = OpenVote(opened.seq, proposal, frozenset(agreed), opened.at, closes_at)
        return vote.later(moved)

    @property
    def is_held(self) -> bool:
        """Whether a moderator has paused the game."""
        return self.projection.status == "paused" and not self.table.paused_until

    @property
    def vote_due_at(self) -> datetime | None:
        """When the open vote closes, or the pause ends that was voted; None without either."""
        times = [self.vote.closes_at] if self.vote is not None else []
        if self.projection.status == "paused" and self.table.paused_until:
            times.append(datetime.fromisoformat(self.table.paused_until))
        return min(times, default=None)

    @cached_property
    def moved_at(self) -> int:
        """The number of the last event that changed the position, which table events do not do,
        except rollbacks. A move that was prepared before it is stale."""
        return next(
            (
                entry.seq
                for entry in reversed(self.entries)
                if not entry.is_table or isinstance(entry.event, table_events.RolledBack)
            ),
            0,
        )

    @cached_property
    def items(self) -> tuple[LogItem, ...]:
        """The whole log cut into table events, the setup and moves, undone ones included."""
        counted = {entry.seq for entry in self.effective}
        groups: list[list[Entry]] = []
        for entry in self.entries:
            before = groups[-1][-1] if groups else None
            if isinstance(entry.event, table_events.Seated):
                groups[-1].append(entry)  # it belongs to the event before it
            elif (
                before is None
                or before.is_table
                or entry.is_table
                or (before.seq in counted) != (entry.seq in counted)
                or self.engine.rules.command_of(entry.event) is not None
            ):
                groups.append([entry])
            else:
                groups[-1].append(entry)
        return tuple(self._item(group, counted) for group in groups)

    def _item(self, group: Sequence[Entry], counted: set[int]) -> LogItem:
        first = group[0]
        if first.is_table:
            return LogItem(tuple(group), first.seat, is_move=False, undone=False)
        command = self.engine.rules.command_of(first.event)
        seat = command[0] if command is not None else None
        return LogItem(tuple(group), seat, command is not None, first.seq not in counted)

    @cached_property
    def moves(self) -> tuple[tuple[Entry, ...], ...]:
        """The setup and the moves that no rollback undid, each as its entries."""
        return tuple(
            item.entries for item in self.items if not item.first.is_table and not item.undone
        )

    @cached_property
    def positions(self) -> tuple[int, ...]:
        """The number of the last event of the setup, of each move (undone or not) and of each
        rollback. An index in this list is the number of a move, as players count: 0 for the setup.
        """
        return tuple(
            item.last_seq
            for item in self.items
            if not item.first.is_table or isinstance(item.first.event, table_events.RolledBack)
        )

    def move_number(self, seq: int) -> int:
        """The number of the last move, as players count, when event `seq` had happened."""
        return max(0, bisect_right(self.positions, seq) - 1)

    def last_move(self, seat: int, user_id: int | None) -> LogItem | None:
        """The last move that this user made on this seat, if any. Bots move with user_id None."""
        for item in reversed(self.items):
            own = item.is_move and item.seat == seat and item.first.by == user_id
            if own and not item.undone:
                return item
        return None

    def move_of_holder(self, seat: int) -> LogItem | None:
        """The last move that the player of this seat made since they hold it, if any: what somebody
        else did on the seat in between is not theirs to take back."""
        holder = self.seating.now[seat]
        last = self.last_move(seat, holder.user)
        return last if last is not None and last.first.seq > holder.since else None

    def misses(self, seat: int) -> int:
        """Return the number of turns in a row that a bot has played for the player of this seat,
        who missed the deadlines."""
        holder = self.seating.now[seat]
        last = self.last_move(seat, holder.user)
        since = max(holder.since, last.last_seq if last is not None else 0)
        return sum(
            entry.seat == seat
            and isinstance(entry.event, table_events.Covered)
            and entry.seq - 1 not in self.excused  # its TimedOut stands before it
            for entry in self.entries
            if entry.seq > since
        )

    @cached_property
    def excused(self) -> frozenset[int]:
        """The numbers of the TimedOut events that do not count as misses."""
        return frozenset(
            entry.event.missed
            for entry in self.entries
            if isinstance(entry.event, table_events.Excused)
        )

    def last_miss(self, seat: int) -> Entry | None:
        """The last missed deadline of the player who holds this seat, or who lost it to the bot
        that does, unless it is excused; None without one."""
        since = self.seating.now[seat].since
        if self.seating.now[seat].is_bot:
            if self.lost_by(seat) is None:
                return None
            since = self.seating.before(since)[seat].since
        missed = [
            entry
            for entry in self.entries
            if entry.seq > since
            and entry.seat == seat
            and isinstance(entry.event, table_events.TimedOut)
        ]
        return missed[-1] if missed and missed[-1].seq not in self.excused else None

    def seat_to_take_back(self, user_id: int) -> int | None:
        """The seat that a bot holds because this user missed deadlines; None without one."""
        seats = range(len(self.seating.now))
        return next((seat for seat in seats if self.lost_by(seat) == user_id), None)

    def lost_by(self, seat: int) -> int | None:
        """The user who lost this seat to the bot that holds it, by missing deadlines; after the
        last one, the others may have voted for the bot, or the host has chosen it."""
        if seat >= len(self.seating.now):
            return None
        since = self.seating.now[seat].since
        taken = next((entry.event for entry in self.entries if entry.seq == since), None)
        handed = isinstance(taken, table_events.SeatHanded) and taken.lost
        if not handed and not isinstance(taken, table_events.TakenOver):
            return None
        return self.seating.before(since)[seat].user

    def since_last_move(self, seat: int, user_id: int | None) -> tuple[LogItem, ...]:
        """Return the items after the last move of this user on this seat, table events included;
        before the first one, everything after the setup."""
        own = self.last_move(seat, user_id)
        start = own.last_seq if own is not None else (self.moves[0][-1].seq if self.moves else 0)
        return tuple(item for item in self.items if item.first.seq > start and not item.undone)

    def until(self, seq: int) -> "Log":
        """The log as it was when `seq` was its last event."""
        entries = [entry for entry in self.entries if entry.seq <= seq]
        if len(entries) == len(self.entries):
            return self
        orders = [order for order in self.orders if order.seq <= seq]
        digest = entries[-1].digest if entries else b""
        return Log(self.engine, entries, digest, orders=orders)

    def extended(
        self, entries: Sequence[Entry], digest: bytes = b"", *, orders: Sequence[Entry] = ()
    ) -> "Log":
        """Return this log with more at its end. Its computed values continue those of this one."""
        return Log(
            self.engine,
            (*self.entries, *entries),
            digest,
            orders=(*self.orders, *orders),
            extends=self,
        )


def in_order(events: Sequence[Entry], orders: Sequence[Entry]) -> Sequence[Entry]:
    """Return events and private orders as they happened: an order follows the event whose number
    it has."""
    if not orders:
        return events
    return sorted((*events, *orders), key=lambda entry: (entry.seq, entry.order))
