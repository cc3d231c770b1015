"""Outages: deadlines stand still while the service does not work.

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

from games.log.pipeline import Statement
from games.mail.call_within import call_within
from games.mail.transport_state import Lane
from games.models import Game, Heartbeat, MailTransport, Outage, OutboxMail

from .locked_game import LockedGame
from .quotas import atomic
from .sweeps import PART, Sweep

logger = logging.getLogger(__name__)

THRESHOLD = timedelta(minutes=10)  # what is shorter moves no deadline

CHECK_PATH = "/healthz/pages"  # needs a free process of the web tier, and its database
CHECK_SECONDS = 5.0


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
            return now - mark.at <= THRESHOLD
        closed_at = _mail_closed_at(now)
        if closed_at is not None:
            if mark.at < closed_at <= mark.at + THRESHOLD:
                mark.at = closed_at
                mark.save(update_fields=["at"])
            return now - mark.at <= THRESHOLD
        if now - mark.at > THRESHOLD:
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

    return (sweep or Sweep()).drain(behind, lambda game_id: _apply(game_id, now))


_BEHIND = """
    SELECT id FROM games_game WHERE status = %s AND outage_id < %s AND id <> ALL(%s)
    ORDER BY outage_id LIMIT %s FOR NO KEY UPDATE SKIP LOCKED
"""


def _apply(game_id: int, now: datetime) -> int:
    write_outages(LockedGame(game_id, now=now))
    return 1


def write_outages(locked: LockedGame) -> None:
    """Write the moves of deadlines in a game in which nothing else happens now."""
    if locked.clocks.moved_seats:
        locked.write()
    elif locked.game.new_outages:
        Game.objects.filter(pk=locked.game.pk).update(outage_id=locked.game.outage_id)


def site_answers() -> bool:
    """Return whether the web tier at SITE_CHECK_URL serves pages; True without that setting.

    It does not if there is no answer within CHECK_SECONDS or a status of 500 or more. Any other
    status, such as 404, comes from a web tier that works. Redirects are not followed.
    """
    if not settings.SITE_CHECK_URL:
        return True
    try:
        status = call_within(CHECK_SECONDS, _status)
    except (OSError, HTTPException) as error:
        logger.warning("The site does not answer at SITE_CHECK_URL: %r", error)
        return False
    if status != 200:
        logger.warning("The site answers %s at SITE_CHECK_URL.", status)
    return status < 500


def _status() -> int:
    parts = urlsplit(settings.SITE_CHECK_URL)
    connect = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = connect(parts.hostname or "", parts.port, timeout=CHECK_SECONDS)
    try:
        # ALLOWED_HOSTS has the name of the site, not that of a container or machine.
        connection.request("GET", CHECK_PATH, headers={"Host": urlsplit(settings.SITE_URL).netloc})
        return connection.getresponse().status
    finally:
        connection.close()
