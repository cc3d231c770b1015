"""Deadlines and reminders. Beat calls these functions with the time."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from games import clock
from games.clock import Reminder
from games.log import table_events
from games.mail import queue
from games.models import Game, Heartbeat, Seat, database_clock

from . import timeouts
from .locked_game import LockedGame, atomic, save_seats
from .outages import write_outages

MOST = 500  # games in one go; the next sweep takes the rest


def heartbeat_record(*, now: datetime) -> None:
    """Record that beat is running; the readiness check reads it."""
    _record(Heartbeat.BEAT, at=now)


@contextmanager
def heartbeat(name: str) -> Iterator[None]:
    """Record when a recurring task begins and when it ends, for the readiness check."""
    _record(name, started_at=database_clock.now())
    yield
    _record(name, at=database_clock.now())


def _record(name: str, **moments: datetime) -> None:
    if not Heartbeat.objects.filter(name=name).update(**moments):
        first = {"at": database_clock.now(), **moments}
        Heartbeat.objects.bulk_create([Heartbeat(name=name, **first)], ignore_conflicts=True)


def deadline_check(*, now: datetime) -> int:
    """Record every deadline that has passed, once, and announce it; the number of seats.

    Where the rules know what happens without an answer, it happens. Otherwise the policy of the
    table decides: a bot plays the turn or takes the seat, or the question stays open and the host
    may act. Tables that are locked right now are left to the next call.
    """
    due = Seat.objects.filter(due_at__lte=now, overdue=False, game__status=Game.Status.RUNNING)
    games = list(due.order_by("due_at").values_list("game_id", flat=True)[:MOST])
    return sum(_note_deadlines(game_id, now) for game_id in dict.fromkeys(games))


def _note_deadlines(game_id: int, now: datetime) -> int:
    with atomic():
        try:
            locked = LockedGame(game_id, now=now, skip_locked=True)
        except Game.DoesNotExist:
            return 0
        if locked.game.status != Game.Status.RUNNING:
            return 0
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
    """Give the answer that silence stands for; False where the game waits for this seat."""
    if locked.game.status != Game.Status.RUNNING or seat.asked_seq is None:
        return True  # settled by the answer that was given for somebody before
    if seat.due_at is None or seat.due_at > locked.now:
        return True
    question = locked.question(seat.number)
    if question is None or question.default is None:
        return False
    first = table_events.TimedOut(seat=seat.number)
    events = locked.decide(seat.number, question.default, after=(first,))
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
            seat.overdue, seat.remind_at = True, None
        save_seats(late)
        locked.write(*(table_events.TimedOut(seat=seat.number) for seat in late))
        for seat in late:
            queue.deadline_passed(locked.game, locked.seats, seat)


def reminders_due(*, now: datetime) -> int:
    """Remind seats whose time is half over, or over in a day; the number of reminders.

    Seat and game are locked while a reminder is queued and the next one set, so none comes twice.
    """
    due = Seat.objects.filter(
        remind_at__lte=now, due_at__isnull=False, game__status=Game.Status.RUNNING
    )
    seats = list(due.order_by("remind_at").values_list("pk", flat=True)[:MOST])
    return sum(_remind(pk, now) for pk in seats)


def _remind(pk: int, now: datetime) -> int:
    with atomic():
        seat = (
            Seat.objects.select_for_update(of=("self", "game"), skip_locked=True)
            .select_related("game", "user")
            .filter(pk=pk, remind_at__lte=now, due_at__isnull=False)
            .first()
        )
        if seat is None or seat.game.status != Game.Status.RUNNING:
            return 0
        found, following = _reminders(seat, now)
        seat.remind_at = following.at if following is not None else None
        seat.save(update_fields=["remind_at"])
        if found is None or found.at > now or seat.due_at is None or seat.due_at <= now:
            return 0  # the email about a passed deadline says more
        queue.reminder(seat.game, seat, found.which)
        return 1


def _reminders(seat: Seat, now: datetime) -> tuple[Reminder | None, Reminder | None]:
    """The reminder that is due, and the next one, by what the player wants now."""
    start = seat.remind_from or seat.asked_at
    if seat.user is None or start is None or seat.due_at is None or seat.remind_at is None:
        return None, None
    before = seat.remind_at - timedelta(microseconds=1)
    calendar, wanted = seat.user.calendar(), seat.user.reminders
    return (
        clock.next_reminder(start, seat.due_at, before, calendar, wanted),
        clock.next_reminder(start, seat.due_at, now, calendar, wanted),
    )
