"""The holders of seats over time, computed from the events of the table.

Pages, emails, the admin and exports use it to name the player of an event, so that an old move
keeps the name of the person who made it.
"""

from bisect import bisect_right
from collections.abc import Sequence

import msgspec

from games.log import table_events
from games.log.entry import Entry
from games.rules.bots import Level


class Holder(msgspec.Struct, frozen=True):
    """The holder of a seat from event `since` on: a bot, or the person with the id `user`."""

    since: int
    user: int | None = None
    is_bot: bool = False
    level: Level = Level.NORMAL  # of a bot


Holders = tuple[Holder, ...]  # by seat number


class Seating:
    """The holders of all seats at every point of a log."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self._from, self._holders = [0], [Holders()]  # the holders from each of these events on
        for entry in entries:
            if entry.is_table:
                self._add(entry)

    def after(self, seq: int) -> Holders:
        """The holders after event `seq`, seats numbered as they were then."""
        return self._holders[bisect_right(self._from, seq) - 1]

    def before(self, seq: int) -> Holders:
        """The holders when event `seq` happened."""
        return self.after(seq - 1)

    @property
    def now(self) -> Holders:
        """The holders at the end of the log."""
        return self._holders[-1]

    def last_number(self, holder: Holder) -> int:
        """Return the last number of the seat that this holder had. Numbers change before the start,
        when somebody sits down or gets up."""
        return next(
            holders.index(holder) for holders in reversed(self._holders) if holder in holders
        )

    @property
    def _started(self) -> int:
        """The event with which the game started, 0 before."""
        started = (e.seq for e in self._entries if isinstance(e.event, table_events.Started))
        return next(started, 0)

    @property
    def at_start(self) -> Holders:
        """The holders when the game started; none if it never did."""
        return self.after(self._started)

    @property
    def players(self) -> frozenset[int]:
        """The users (pk) who have held a seat since the start."""
        kept = [*self._holders[bisect_right(self._from, self._started) - 1 :]]
        return frozenset(h.user for holders in kept for h in holders if h.user is not None)

    def last_player(self, seat: int) -> int | None:
        """The user (pk) who has held this seat last since the start, whoever holds it now."""
        kept = self._holders[bisect_right(self._from, self._started) - 1 :]
        found = (holders[seat].user for holders in reversed(kept) if seat < len(holders))
        return next((user for user in found if user is not None), None)

    def seats_of(self, user: int) -> frozenset[int]:
        """The seats that this user (pk) has held since the start."""
        kept = self._holders[bisect_right(self._from, self._started) - 1 :]
        return frozenset(
            number
            for holders in kept
            for number, holder in enumerate(holders)
            if holder.user == user
        )

    @property
    def people(self) -> frozenset[int]:
        """The users (pk) who have ever held a seat."""
        return frozenset(
            holder.user
            for holders in self._holders
            for holder in holders
            if holder.user is not None
        )

    @property
    def removed(self) -> frozenset[int]:
        """The users (pk) whom somebody else removed from a seat before the start."""
        found = set[int]()
        for entry in self._entries:
            if isinstance(entry.event, table_events.Left) and entry.by is not None:
                user = self.before(entry.seq)[entry.event.seat].user
                if user is not None and user != entry.by:
                    found.add(user)
        return frozenset(found)

    def _add(self, entry: Entry) -> None:
        seq, seats = entry.seq, list(self.now)
        match entry.event:
            case table_events.Joined(seat=seat, bot=True, level=level):
                seats.insert(seat, Holder(seq, is_bot=True, level=level))
            case table_events.Joined(seat=seat):
                seats.insert(seat, Holder(seq, entry.by))
            case table_events.Left(seat=seat):
                del seats[seat]
            case (
                table_events.Resigned(seat=seat, to="bot")
                | table_events.SeatHanded(seat=seat, to="bot")
                | table_events.TakenOver(seat=seat)
            ):
                seats[seat] = Holder(seq, is_bot=True)
            case table_events.SeatHanded(seat=seat):
                seats[seat] = Holder(seq)  # the event that follows names the person
            case table_events.Seated(seat=seat):
                seats[seat] = Holder(self._from[-1], entry.by)
                self._holders[-1] = tuple(seats)
                return
            case table_events.TakenBack(seat=seat) | table_events.Replaced(seat=seat):
                seats[seat] = Holder(seq, entry.by)
            case _:
                return
        self._from.append(seq)
        self._holders.append(tuple(seats))
