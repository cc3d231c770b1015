"""Deadlines and reminders, and outages, during which deadlines stand still. Beat calls these
functions with the time.

The task of deadlines runs every minute and stores the time until which the service worked, the
mark. If the mark is old when the task runs again, beat, the broker, the workers or the database
were away. The mark also stands still while bulk email waits for a mail server that takes none, and
while the web server serves no pages. It never goes back, and is read under a lock, so no time
counts twice.
"""

import logging
from datetime import datetime, timedelta
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Max, Min, Q

from games import clock
from games.clock import Reminder
from games.log import pipeline, projections, table_events
from games.log.pipeline import Statement
from games.mail import queue
from games.mail.call_within import call_within
from games.mail.transport_state import Lane
from games.models import Game, Heartbeat, MailTransport, Outage, OutboxMail, Seat

from . import timeouts
from .locked_game import LockedGame
from .quotas import atomic
from .seat_clocks import SeatClocks
from .sweeps import PART, Sweep

DAY = timedelta(days=1)
LATE_DAYS = 60  # daily reminders of one passed deadline: later ones would only harm the sender

OUTAGE_THRESHOLD = timedelta(minutes=10)  # what is shorter moves no deadline
CHECK_PATH = "/healthz/pages"  # needs a free process of the web tier, and its database
CHECK_SECONDS = 5.0

logger = logging.getLogger(__name__)


# -- deadlines -----------------------------------------------------------------------------


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
        locked.write_outages()
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
    question, answer = locked.question(seat.number), locked.due_command(seat)
    if question is None and answer is not None:  # a plan, which is a move like any other
        locked.play_order(seat, answer)
        return True
    if question is None or question.default is None:
        return False
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


# -- reminders -----------------------------------------------------------------------------


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


# -- outages -------------------------------------------------------------------------------


def in_service(*, now: datetime) -> bool:
    """Return whether the service works: during an outage, no deadline may pass.

    Records an outage that has ended, once.
    """
    has_pages = site_answers()  # before the lock, because it can take seconds
    with atomic():
        mark = Heartbeat(name=Heartbeat.SERVICE, at=now)
        Heartbeat.objects.bulk_create([mark], ignore_conflicts=True)
        mark = Heartbeat.objects.select_for_update().get(name=Heartbeat.SERVICE)
        if not has_pages:
            return now - mark.at <= OUTAGE_THRESHOLD
        closed_at = _mail_closed_at(now)
        if closed_at is not None:
            if mark.at < closed_at <= mark.at + OUTAGE_THRESHOLD:
                mark.at = closed_at
                mark.save(update_fields=["at"])
            return now - mark.at <= OUTAGE_THRESHOLD
        if now - mark.at > OUTAGE_THRESHOLD:
            Outage.objects.create(starts=mark.at, ends=now)
            logger.warning("The service did not work for %s; deadlines move.", now - mark.at)
        mark.at = max(mark.at, now)
        mark.save(update_fields=["at"])
    return True


def _mail_closed_at(now: datetime) -> datetime | None:
    """Return since when the mail server has taken no bulk email; None if it takes email, or if no
    email waits. Only an email can show that the server is back, so without one, deadlines would
    stand still for good."""
    closed = MailTransport.objects.filter(name__in=(MailTransport.ALL, Lane.BULK.value))
    found: datetime | None = closed.aggregate(since=Min("closed_at"))["since"]
    if found is None:
        return None
    unsent = (OutboxMail.State.QUEUED, OutboxMail.State.SENDING)
    waits = Q(next_try_at__lte=now) | ~Q(error="")  # due, or to be tried again
    emails = OutboxMail.objects.filter(waits, state__in=unsent, urgent=False)
    return found if emails.exists() else None


def outages_apply(*, now: datetime, sweep: Sweep | None = None) -> int:
    """Move the deadlines of running games by the outages that their logs do not know yet; return
    the number of games.

    Deadlines do not depend on this task: a locked game applies new outages before a deadline can
    pass.
    """
    newest = Outage.objects.aggregate(newest=Max("pk"))["newest"]
    if newest is None:
        return 0

    def behind(faults: list[int]) -> Statement:
        return _BEHIND, [Game.Status.RUNNING.value, newest, faults, PART]

    return (sweep or Sweep()).drain(behind, lambda game_id: _write_outages(game_id, now))


_BEHIND = """
    SELECT id FROM games_game WHERE status = %s AND outage_id < %s AND id <> ALL(%s)
    ORDER BY outage_id LIMIT %s FOR NO KEY UPDATE SKIP LOCKED
"""


def _write_outages(game_id: int, now: datetime) -> int:
    LockedGame(game_id, now=now).write_outages()
    return 1


def site_answers() -> bool:
    """Return whether the web tier at SITE_CHECK_URL serves pages; True without that setting.

    It does not if there is no answer within CHECK_SECONDS or a status of 500 or more. Any other
    status, such as 404, comes from a web tier that works. Redirects are not followed.
    """
    if not settings.SITE_CHECK_URL:
        return True
    try:
        status = call_within(CHECK_SECONDS, _site_status)
    except (OSError, HTTPException) as error:
        logger.warning("The site does not answer at SITE_CHECK_URL: %r", error)
        return False
    if status != 200:
        logger.warning("The site answers %s at SITE_CHECK_URL.", status)
    return status < 500


def _site_status() -> int:
    parts = urlsplit(settings.SITE_CHECK_URL)
    connect = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = connect(parts.hostname or "", parts.port, timeout=CHECK_SECONDS)
    try:
        # ALLOWED_HOSTS has the name of the site, not that of a container or machine.
        connection.request("GET", CHECK_PATH, headers={"Host": urlsplit(settings.SITE_URL).netloc})
        return connection.getresponse().status
    finally:
        connection.close()
