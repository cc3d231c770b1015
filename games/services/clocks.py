"""Deadlines and reminders. Beat calls these functions with the time."""

from datetime import datetime, timedelta

from games import clock
from games.clock import Reminder
from games.log import pipeline, projections, table_events
from games.log.pipeline import Statement
from games.mail import queue
from games.models import Game, Seat

from . import timeouts
from .locked_game import LockedGame
from .outages import write_outages
from .seat_clocks import SeatClocks
from .sweeps import PART, Sweep

DAY = timedelta(days=1)
LATE_DAYS = 60  # daily reminders of one passed deadline: later ones would only harm the sender


def deadline_check(*, now: datetime, sweep: Sweep | None = None) -> int:
    """Record each deadline that has passed, once, and act on it; return the number of seats.

    If the rules have a default answer to the question, it is given. Otherwise the policy of the
    table decides: a bot plays the turn or takes the seat, or the table waits. The players get an
    email about it. Tables that are locked at present are left to a later run.
    """

    def due(faults: list[int]) -> Statement:
        return _DUE_GAMES, [now, Game.Status.RUNNING.value, faults, PART]

    return (sweep or Sweep()).drain(due, lambda game_id: _note_deadlines(game_id, now))


_DUE_GAMES = """
    SELECT game_id FROM games_seat JOIN games_game ON games_game.id = game_id
    WHERE due_at <= %s AND NOT overdue AND status = %s AND game_id <> ALL(%s)
    ORDER BY due_at LIMIT %s FOR NO KEY UPDATE OF games_game SKIP LOCKED
"""


def _note_deadlines(game_id: int, now: datetime) -> int:
    locked = LockedGame(game_id, now=now)
    late = [
        seat
        for seat in locked.seats
        if seat.due_at is not None and seat.due_at <= now and not seat.overdue
    ]
    if not late:
        write_outages(locked)
        return 0
    waited_for = [seat for seat in late if not _answer_for(locked, seat)]
    still = [seat for seat in waited_for if seat.due_at is not None]
    if timeouts.waits(locked.game):
        _announce(locked, still)
    else:
        _settle(locked, still)
    return len(late)


def _answer_for(locked: LockedGame, seat: Seat) -> bool:
    """Give the default answer of a seat that has not answered in time.

    Return False if the question has none, so that the game still waits for this seat. An order in
    advance answers at once, but a rollback can go back to the question during which it was left.
    """
    if locked.game.status != Game.Status.RUNNING or seat.asked_seq is None:
        return True  # settled by the answer that was given for somebody before
    if seat.due_at is None or seat.due_at > locked.now:
        return True
    question = locked.question(seat.number)
    if question is None or question.default is None:
        return False
    answer = locked.log.engine.rules.due_command(locked.log.state, seat.number)
    if answer is None:
        answer = question.default
    first = table_events.TimedOut(seat=seat.number)
    events = locked.decide(seat.number, answer, after=(first,))
    locked.write(first, *events, handed=seat.number)
    return True


def _settle(locked: LockedGame, late: list[Seat]) -> None:
    for seat in late:
        # What was done for the seat before may have settled this question or ended the game.
        running = locked.game.status == Game.Status.RUNNING
        if running and seat.due_at is not None and seat.due_at <= locked.now:
            timeouts.settle(locked, seat)


def _announce(locked: LockedGame, late: list[Seat]) -> None:
    if late:
        for seat in late:
            seat.overdue = True
            locked.clocks.remind_tomorrow(seat)
        rows = projections.seat_changes(late)
        for seat in late:
            rows += queue.deadline_passed(locked.game, locked.seats, seat)
        events = (table_events.TimedOut(seat=seat.number) for seat in late)
        locked.write(*events, also=lambda: rows)


def reminders_due(*, now: datetime, sweep: Sweep | None = None) -> int:
    """Queue the reminders that are due; return their number.

    Seat and game are locked until the time of the next reminder is set, so none comes twice.
    """

    def due(faults: list[int]) -> Statement:
        return _DUE_SEATS, [now, Game.Status.RUNNING.value, faults, PART]

    return (sweep or Sweep()).drain(due, lambda pk: _remind(pk, now))


_DUE_SEATS = """
    SELECT games_seat.id FROM games_seat JOIN games_game ON games_game.id = game_id
    WHERE remind_at <= %s AND due_at IS NOT NULL AND status = %s AND games_seat.id <> ALL(%s)
    ORDER BY remind_at LIMIT %s FOR NO KEY UPDATE OF games_seat, games_game SKIP LOCKED
"""


def _remind(pk: int, now: datetime) -> int:
    seat = Seat.objects.select_related("game", "user").get(pk=pk)
    if seat.overdue:
        return _remind_late(seat, now)
    found, following = _reminders(seat, now)
    seat.remind_at = following.at if following is not None else None
    rows = projections.seat_changes([seat])
    # The email about a passed deadline says more.
    is_due = seat.due_at is not None and seat.due_at > now
    if found is None or found.at > now or not is_due:
        pipeline.execute(rows)
        return 0
    pipeline.execute([*rows, *queue.reminder(seat.game, seat, found.which)])
    return 1


def _remind_late(seat: Seat, now: datetime) -> int:
    """Remind a player for whom the table waits, once a day for LATE_DAYS days."""
    assert seat.due_at is not None
    days = (now - seat.due_at) // DAY
    SeatClocks(seat.game, now).remind_tomorrow(seat)
    if days >= LATE_DAYS:
        seat.remind_at = None
    rows = projections.seat_changes([seat])
    pipeline.execute([*rows, *queue.reminder(seat.game, seat, "late", day=days)])
    return 1


def _reminders(seat: Seat, now: datetime) -> tuple[Reminder | None, Reminder | None]:
    """Return the reminder that is due and the one after it, as the player wants them now."""
    start = seat.remind_from or seat.asked_at
    if seat.user is None or start is None or seat.due_at is None or seat.remind_at is None:
        return None, None
    before = seat.remind_at - timedelta(microseconds=1)
    calendar, wanted = seat.user.calendar(), seat.user.reminders
    return (
        clock.next_reminder(start, seat.due_at, before, calendar, wanted),
        clock.next_reminder(start, seat.due_at, now, calendar, wanted),
    )
