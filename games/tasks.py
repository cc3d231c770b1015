"""The tasks of the workers, started by beat or after a commit. Thin: the work is elsewhere.

Every task may run twice, at the same time, or be lost: what is to be done stands in PostgreSQL.
Arguments are keys and nothing else.
"""

import faulthandler
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from celery import Task, shared_task
from celery.signals import (
    task_postrun,
    task_prerun,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)
from django.db import connection
from kombu.exceptions import OperationalError as KombuOperationalError

from games import log_context, metrics, services
from games.inbound import intake, processor
from games.mail import channels, outbox, retention
from games.mail.transport_state import Lane
from games.models import Heartbeat, database_clock

logger = logging.getLogger(__name__)


@worker_shutting_down.connect
def _finish_the_mail_at_hand(**_signal: Any) -> None:
    outbox.stop()


@worker_ready.connect
def _sweep_at_start(**_signal: Any) -> None:
    """A worker that was killed leaves work behind, and its successor may not live until the next
    sweep of beat."""
    try:
        sweep.apply_async(retry=False)
        play_bots.apply_async(retry=False)
    except (KombuOperationalError, OSError) as error:
        logger.warning("The broker did not take the first sweep: %s", error)


# The process that a worker is in /readyz, by a queue that it reads. A laptop's worker is both.
PROCESSES = {"celery": Heartbeat.WORKER, "bots": Heartbeat.BOTS}

_heartbeats: list[services.HeartbeatThread] = []


@worker_ready.connect
def _start_heartbeats(sender: Any, **_signal: Any) -> None:
    queues = (queue.name for queue in sender.task_consumer.queues)
    thread = services.HeartbeatThread(*(PROCESSES[name] for name in queues if name in PROCESSES))
    thread.start()
    _heartbeats.append(thread)


@worker_shutdown.connect
def _end_heartbeats(**_signal: Any) -> None:
    for thread in _heartbeats:
        thread.end()


STDERR = 2
TASK_SECONDS = 900.0  # that a task may take; the longest works for about four minutes
DELETE_SECONDS = 60.0  # that an hourly task deletes rows of one kind; the next one goes on

BOTS_RETRY_SECONDS = 1.0

_timers: dict[str, Any] = {}
_begun: dict[str, float] = {}  # tasks at work, and when they began


def _watch() -> None:
    """Let this process end once a task has taken too long, with the stacks of all threads in the
    log. A thread cannot be ended alone; the next process finds the work."""
    if begun := [*_begun.values()]:
        left = min(begun) + TASK_SECONDS - time.monotonic()
        faulthandler.dump_traceback_later(max(left, 1.0), exit=True, file=STDERR)
    else:
        faulthandler.cancel_dump_traceback_later()


@task_prerun.connect
def _time_task(task_id: str, task: Any, **_signal: Any) -> None:
    _begun[task_id] = time.monotonic()
    _watch()
    name = task.name.rpartition(".")[2]
    log_context.begin(task=f"{name}-{task_id[:8]}")
    _timers[task_id] = metrics.TASKS.labels(name).time()
    _timers[task_id].__enter__()


@task_postrun.connect
def _end_of_task(task_id: str, **_signal: Any) -> None:
    _begun.pop(task_id, None)
    _watch()
    if timer := _timers.pop(task_id, None):
        timer.__exit__(None, None, None)
    log_context.end()


@shared_task
def drain_outbox() -> None:
    """Send the bulk emails that are due."""
    _send(Lane.BULK)


@shared_task
def drain_urgent() -> None:
    """Send the sign-in codes and answers that are due."""
    _send(Lane.URGENT)


@shared_task
def post_to_channels() -> None:
    """Post the news of circles to their channels."""
    channels.drain()


@shared_task
def sweep() -> None:
    """Do everything that a lost message may have left undone; what takes longest comes last. Called
    by beat."""
    with services.heartbeat("sweep"):
        _each(
            lambda: _send(Lane.URGENT),
            processor.read_waiting,
            services.reports_work,
            lambda: _send(Lane.BULK),
            channels.drain,
        )


def _each(*parts: Callable[[], object]) -> None:
    """Call these one after the other. One that fails does not keep the others from their work."""
    for part in parts:
        try:
            part()
        except Exception:
            logger.exception("A part of a task failed.")
            connection.close_if_unusable_or_obsolete()


def _send(lane: Lane) -> None:
    """Send, and stop the addresses that turned out not to exist."""
    done = outbox.drain(lanes=[lane])
    for outcome in ("sent", "dropped", "failed", "parked", "dead"):
        metrics.EMAILS.labels(outcome).inc(getattr(done, outcome))
    if done.undeliverable:
        services.reports_work()
    if done.sent or done.dropped or done.failed or done.parked or done.dead:
        logger.info("Outbox (%s): %r", lane, done)


@shared_task
def read_inbound() -> None:
    """Read the emails that came in."""
    processor.read_waiting()


@shared_task
def read_reports() -> None:
    """Process what the mail provider reported about emails that were sent."""
    services.reports_work()


@shared_task
def forget_inbound() -> None:
    """Delete the text of emails that were read long ago. Called by beat."""
    intake.purge_old()


@shared_task
def forget_mails() -> None:
    """Delete old emails, counters of limits and sessions that have ended. Called by beat.

    Every hour, because beat stores no schedule: if it were restarted every night, it would never
    start a daily task.
    """
    _each(
        _logging("counters of limits", services.quotas.purge_old),
        _logging("sessions", services.sessions_purge),
        _logging("reports", services.player_reports_purge),
        services.heartbeats_purge,
        _logging("emails", lambda: retention.purge_old(database_clock.now())),
    )


@shared_task
def delete_accounts() -> None:
    """Delete the accounts whose deletion was requested a week ago, and those that nobody ever
    signed in to. Called by beat."""
    _each(
        services.records_purge,
        _logging("texts of appeals", services.appeals_forget),
        _logging("accounts", services.accounts_delete_due),
        _logging("unused accounts", services.sign_ups_purge),
    )


@shared_task
def inform_moderators() -> None:
    """Tell moderators once a day what needs them, and of reports that came less than an hour after
    the last email about reports. Called by beat."""
    from games.moderation import attention  # loads the admin, which no other task needs

    now = database_clock.now()
    services.reports_tell(now=now)
    services.daily_figures_send(now=now, open_now=lambda user: attention.figures(user, now))


def _logging(what: str, delete: Callable[[], int]) -> Callable[[], None]:
    """`delete`, which deletes some rows and returns how many, until it finds none or time is up;
    with a line in the log about that."""

    def part() -> None:
        until, gone = time.monotonic() + DELETE_SECONDS, 0
        while (some := delete()) and time.monotonic() < until:
            gone += some
        if gone + some:
            logger.info("Deleted %s %s.", gone + some, what)

    return part


@shared_task(bind=True, max_retries=None)
def play_bots(self: Task[..., None], game_id: int | None = None, helper: int = 0) -> None:
    """Let the bots of one game move; from beat: of all games where they are asked.

    One thread of a process does so, because a search takes seconds and the other threads have
    emails to send. Further tasks try again until that thread is free.
    """
    if game_id is None:
        with _regular("play_bots", None, helper=helper) as sweep:
            is_alone = sweep is not None
            if sweep is not None:
                services.bots_sweep(sweep=sweep)
    else:
        with services.alone("play_bots") as is_alone:
            if is_alone:
                services.game_play_bots(game_id=game_id)
    if not is_alone and not helper:
        raise self.retry(countdown=BOTS_RETRY_SECONDS)


@shared_task
def deadlines(helper: int = 0) -> None:
    """Process the deadlines that have passed. Called by beat."""
    with _regular("deadlines", helper=helper) as sweep:
        now = database_clock.now()
        # An outage counts before anything times out.
        if sweep is not None and services.in_service(now=now):
            services.outages_apply(now=now, sweep=sweep)
            services.votes_due(now=now, sweep=sweep)
            services.deadline_check(now=now, sweep=sweep)


@shared_task
def reminders(helper: int = 0) -> None:
    """Remind those whose time runs out, and the hosts of tables that wait. Called by beat."""
    with _regular("reminders", helper=helper) as sweep:
        if sweep is not None:
            services.suspensions_end_due(now=database_clock.now())
            services.reminders_due(now=database_clock.now(), sweep=sweep)
            services.waiting_tables_check(now=database_clock.now(), sweep=sweep)


@contextmanager
def _regular(name: str, *args: object, helper: int) -> Iterator[services.Sweep | None]:
    """A run of a regular task; None if another thread of this process is at it."""
    sweep = services.Sweep(f"games.tasks.{name}", *args, helper=helper)
    with services.alone(name) as is_alone:
        if not is_alone:
            yield None
            return
        with services.heartbeat(name):
            yield sweep
    sweep.go_on()  # only now, or this process would leave the next run to this one
