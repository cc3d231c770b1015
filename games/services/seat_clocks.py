"""Apply what games.clock computes to the seats of one game: to their rows, and as events."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from games import clock
from games.clock import Interval, Step
from games.log import table_events
from games.log.announced import time_for
from games.models import Game, Seat
from games.rules.contract import Command, Question

ClockEvent = table_events.DeadlineMoved | table_events.BankChanged


class SeatClocks:
    """Changes the rows of seats and collects the events that say why a deadline moved.

    The rows are not saved, and the events not written: `LockedGame.write` does both.
    """

    def __init__(self, game: Game, now: datetime) -> None:
        self._game, self._now = game, now
        self._events: list[ClockEvent] = []
        self.moved_seats: set[int] = set()  # by outages and absences; their rows are to be saved

    def take_events(self) -> list[ClockEvent]:
        """The events since the last call."""
        events, self._events = self._events, []
        return events

    def start(
        self,
        seat: Seat,
        seq: int,
        question: Question[Command] | None,
        announced: datetime | None = None,
    ) -> None:
        """Start the clock of a seat that was asked by event `seq`. Bots and seats of practice games
        have none; in a paused game, the time is kept until the game goes on.

        announced: the latest deadline that its player was given for this question before.
        """
        self._discard_moves(seat)
        seat.clear_clock()
        if seat.is_bot or self._game.practice:
            return
        base, calendar = self.base(question), self.calendar(seat, question)
        seat.clock_seq, seat.remind_from = seq, self._now
        bank = timedelta() if _has_hours(question) else self._bank(seat)
        found = clock.deadline(self._now, base, calendar, bank, announced)
        self._record(seat, found.steps)
        if bank:
            regular = (step for step in found.steps if step.code not in ("bank", "quiet"))
            seat.bank_from = clock.recomputed(self._now, base, regular)
        if self._game.status == Game.Status.PAUSED:
            seat.time_left = found.due - self._now
        else:
            self._set(seat, found.due)

    def end(self, seat: Seat, *, in_person: bool = False) -> None:
        """Stop the clock of a seat that is no longer asked, and take what the turn used from its
        time bank. in_person: the player made the move, so the bank may grow again."""
        begins, before = seat.bank_from, self._bank(seat)
        self._discard_moves(seat)
        seat.clear_clock()
        if seat.user is None or not self._game.bank_days:
            return
        after = before
        if begins is not None:
            after = clock.remaining(before, begins, self._now, self.calendar(seat, None))
        if in_person and after == before and self._game.bank_returns:
            after = clock.returned(before, self._game.bank)
        if after != before:
            seat.bank_left = after
            seconds = round((after - before).total_seconds())
            self._events.append(table_events.BankChanged(seat=seat.number, seconds=seconds))

    def stop(self, seat: Seat) -> None:
        """Keep the time that is left when the game is paused."""
        assert seat.due_at is not None
        seat.time_left, seat.due_at, seat.remind_at = seat.due_at - self._now, None, None

    def resume(self, seat: Seat, question: Question[Command] | None) -> None:
        """Set the deadline anew when the game goes on after a pause. The clock stood still since
        the pause began, or since the seat was asked during the pause."""
        assert seat.time_left is not None and self._game.paused_at is not None
        since = max(self._game.paused_at, seat.asked_at or self._game.paused_at)
        due, still = since + seat.time_left, Interval(since, self._now)
        seat.time_left = None
        if due <= since:  # it had passed before the pause
            found = clock.shifted(due, still, "pause")
            self._record(seat, found.steps)
            seat.due_at = found.due
            if seat.overdue:
                self.remind_tomorrow(seat)
            return
        found = clock.stopped(due, still, self.calendar(seat, question), "pause")
        self._record(seat, found.steps)
        self._set(seat, found.due)

    def outage(self, seat: Seat, still: Interval, question: Question[Command] | None) -> None:
        """Move the deadline by the part of an outage in which the seat was asked."""
        assert seat.due_at is not None and seat.asked_at is not None
        still = Interval(max(still.start, seat.asked_at), still.end)
        found = clock.stopped(seat.due_at, still, self.calendar(seat, question), "outage")
        self._move(seat, found)

    def absence(self, seat: Seat, still: Interval, question: Question[Command] | None) -> None:
        """Move the deadline by what is left of an absence that the player has entered."""
        assert seat.due_at is not None and seat.asked_at is not None
        still = Interval(max(still.start, self._now), still.end)
        found = clock.stopped(seat.due_at, still, self.calendar(seat, question), "absence")
        self._move(seat, found)

    def at_least(self, seat: Seat, rest: timedelta, question: Question[Command] | None) -> None:
        """Leave at least this much time to a player who ended an absence early."""
        assert seat.due_at is not None
        calendar = self.calendar(seat, question)
        self._move(seat, clock.at_least(seat.due_at, rest, self._now, calendar))

    def _move(self, seat: Seat, found: clock.Deadline) -> None:
        if found.steps:
            self._record(seat, found.steps)
            self._set(seat, found.due)
            self.moved_seats.add(seat.number)

    def remind_tomorrow(self, seat: Seat) -> None:
        """Set the next reminder of a player who is late and for whom the table waits."""
        calendar = seat.user.calendar() if seat.user is not None else None
        seat.remind_at = clock.late_reminder(self._now, calendar) if calendar is not None else None

    def extend(
        self, seat: Seat, time: timedelta, question: Question[Command] | None, code: clock.Code
    ) -> None:
        """Add time to an open deadline, from now on if it has passed."""
        assert seat.due_at is not None
        calendar = self.calendar(seat, question)
        found = clock.extended(seat.due_at, time, self._now, calendar, code)
        self._record(seat, found.steps)
        seat.overdue = False
        self._set(seat, found.due)

    def base(self, question: Question[Command] | None) -> timedelta:
        """Return the time for this question at this table."""
        return time_for(question, self._game.pace)

    def calendar(self, seat: Seat, question: Question[Command] | None) -> clock.Calendar:
        """Return when the clock of this seat runs. If the rules set hours for the question, it runs
        at night and at weekends, too."""
        if seat.user is None:  # the person was deleted, and nobody has taken the seat yet
            return clock.Calendar(ZoneInfo("UTC"))
        if _has_hours(question):
            return seat.user.calendar(at_night=True)
        return seat.user.calendar(weekends_off=self._game.weekends_off)

    def _bank(self, seat: Seat) -> timedelta:
        return self._game.bank if seat.bank_left is None else seat.bank_left

    def discard_changes(self, seats: Sequence[Seat], events: Sequence[ClockEvent]) -> None:
        """Undo the changes of time banks in these events, which will not be written."""
        for event in events:
            if isinstance(event, table_events.BankChanged):
                seat = seats[event.seat]
                seat.bank_left = self._bank(seat) - timedelta(seconds=event.seconds)

    def _discard_moves(self, seat: Seat) -> None:
        """Drop the moves of a deadline that ended before they were written."""
        self._events = [
            event
            for event in self._events
            if event.seat != seat.number or isinstance(event, table_events.BankChanged)
        ]

    def _set(self, seat: Seat, due: datetime) -> None:
        seat.due_at = due
        if seat.user is None:
            seat.remind_at = None
            return
        start = seat.remind_from or seat.asked_at or self._now
        calendar, wanted = seat.user.calendar(), seat.user.reminders
        found = clock.next_reminder(start, due, self._now, calendar, wanted)
        seat.remind_at = found.at if found is not None else None

    def _record(self, seat: Seat, steps: tuple[Step, ...]) -> None:
        if seat.remind_from is not None:
            more = ("bank", "moderator", "given", "announced")
            still = sum(step.seconds for step in steps if step.code not in more)
            seat.remind_from += timedelta(seconds=still)
        if seat.bank_from is not None:
            seat.bank_from += timedelta(seconds=sum(step.seconds for step in steps))
        self._events += [
            table_events.DeadlineMoved(seat=seat.number, code=step.code, seconds=step.seconds)
            for step in steps
        ]


def _has_hours(question: Question[Command] | None) -> bool:
    """Return whether the rules set the time for this question."""
    return question is not None and question.hours is not None
