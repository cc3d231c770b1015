"""What the worker does when it is nudged and what beat asks for. Thin: the work is elsewhere.

Every task may run twice, at the same time, or be lost: what is to be done stands in PostgreSQL.
Arguments are keys and nothing else.
"""

from __future__ import annotations

import logging
from typing import Any

from celery import shared_task
from celery.signals import worker_shutting_down
from django.utils import timezone

from games import inbound, services
from games.mail import outbox, retention

logger = logging.getLogger(__name__)


@worker_shutting_down.connect
def _finish_the_mail_at_hand(**_signal: Any) -> None:
    outbox.stop()


@shared_task
def drain_outbox() -> None:
    """Send the mails that are due."""
    done = _send()
    if done.sent or done.dropped or done.failed or done.dead:
        logger.info("Outbox: %r", done)


@shared_task
def sweep() -> None:
    """From beat: all that a lost nudge may have left lying, and the sign that we are alive."""
    services.heartbeat_record(now=timezone.now())
    inbound.read_waiting()
    services.reports_work()
    _send()


def _send() -> outbox.Drained:
    """Send, and stop the addresses that turned out not to exist."""
    done = outbox.drain()
    if done.undeliverable:
        services.reports_work()
    return done


@shared_task
def read_inbound() -> None:
    """Read the mails that came in."""
    inbound.read_waiting()


@shared_task
def read_reports() -> None:
    """Work off what the mail provider told of mails that went out."""
    services.reports_work()


@shared_task
def forget_inbound() -> None:
    """From beat: the text of mails that were read long ago."""
    inbound.forget()


@shared_task
def forget_mails() -> None:
    """From beat: delete old emails and counters of limits.

    Every hour, because beat stores no schedule: if it were restarted every night, it would never
    start a daily task.
    """
    services.quotas.forget()
    gone = retention.purge_old(timezone.now())
    if gone:
        logger.info("Deleted %s old emails.", gone)


@shared_task
def play_bots(game_id: int | None = None) -> None:
    """Let the bots of one game move; from beat: of all games where they are asked."""
    waiting = services.bots_waiting() if game_id is None else [game_id]
    for waiting_id in waiting:
        services.bots_play(game_id=waiting_id)


@shared_task
def deadlines() -> None:
    """From beat: note the deadlines that have passed."""
    services.deadline_check(now=timezone.now())


@shared_task
def reminders() -> None:
    """From beat: remind those whose time runs out."""
    services.reminders_due(now=timezone.now())
