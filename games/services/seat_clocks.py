"""The clocks of the seats of one game: what games.clock computes, as rows and events."""

from datetime import datetime, timedelta

from games import clock
from games.clock import Interval, Step
from games.log import table_events
from games.models import Game, Seat
from games.rules.contract import Command, Question


class SeatClocks:
    """Changes the rows of seats and collects the events that say why a deadline moved.

    The rows are not saved, and the events not written: `LockedGame.write` does both.
    """

    def __init__(self, game: Game, now: datetime) -> None:
        self._game, self._now = game, now
        self._events: list[table_events.DeadlineMoved] = []

    def take_events(self) -> list[table_events.DeadlineMoved]:
        """The events since the last call."""
        events, self._events = self._events, []
        return events

    def start(self, seat: Seat, seq: int, question: Question[Command] | None) -> None:
        """The time of this seat begins with event `seq`. Bots need none; a pause keeps it."""
        self._events = [event for event in self._events if event.seat != seat.number]
        seat.clear_clock()
        if seat.is_bot:
            return
        base, calendar = self.base(question), self.calendar(seat, question)
        seat.clock_seq, seat.remind_from = seq, self._now
        found = clock.deadline(self._now, base, calendar)
        self._record(seat, found.steps)
        if self._game.status == Game.Status.PAUSED:
            seat.time_left = found.due - self._now
        else:
            self._set(seat, found.due)

    def stop(self, seat: Seat) -> None:
        """The game is paused: keep what is left of the time."""
        assert seat.due_at is not None
        seat.time_left, seat.due_at, seat.remind_at = seat.due_at - self._now, None, None

    def resume(self, seat: Seat, question: Question[Command] | None) -> None:
        """The game goes on: the clock stood still since the pause began, or since it was set."""
        assert seat.time_left is not None and self._game.paused_at is not None
        since = max(self._game.paused_at, seat.asked_at or self._game.paused_at)
        due, still = since + seat.time_left, Interval(since, self._now)
        seat.time_left = None
        if due <= since:  # it had passed before the pause
            seconds = clock.in_seconds(self._now - since)
            steps: tuple[Step, ...] = (Step("pause", seconds),) if seconds else ()
            self._record(seat, steps)
            seat.due_at = due + timedelta(seconds=seconds)
            return
        found = clock.stopped(due, still, self.calendar(seat, question), "pause")
        self._record(seat, found.steps)
        self._set(seat, found.due)

    def extend(self, seat: Seat, more: timedelta, question: Question[Command] | None) -> None:
        """More time for an open question, from now on where its deadline has passed."""
        assert seat.due_at is not None
        found = clock.extended(seat.due_at, more, self._now, self.calendar(seat, question))
        self._record(seat, found.steps)
        seat.overdue = False
        self._set(seat, found.due)

    def base(self, question: Question[Command] | None) -> timedelta:
        """The time for this question: that of the table, unless the rules name hours."""
        if question is not None and question.hours is not None:
            return timedelta(hours=question.hours)
        return self._game.pace

    def calendar(self, seat: Seat, question: Question[Command] | None) -> clock.Calendar:
        """When the clock of this seat runs. A question with hours of its own runs at night too."""
        assert seat.user is not None, "bots have no calendar"
        return seat.user.calendar()

    def _set(self, seat: Seat, due: datetime) -> None:
        assert seat.user is not None
        seat.due_at = due
        start = seat.remind_from or seat.asked_at or self._now
        found = clock.next_reminder(start, due, self._now, seat.user.calendar())
        seat.remind_at = found.at if found is not None else None

    def _record(self, seat: Seat, steps: tuple[Step, ...]) -> None:
        if seat.remind_from is not None:
            still = sum(step.seconds for step in steps if step.code not in ("bank", "moderator"))
            seat.remind_from += timedelta(seconds=still)
        self._events += [
            table_events.DeadlineMoved(seat=seat.number, code=step.code, seconds=step.seconds)
            for step in steps
        ]
