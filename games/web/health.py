"""Liveness and readiness checks for load balancers and containers.

The reports hold figures only, nothing about players or games.
"""

import socket
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from celery import current_app
from django.conf import settings
from django.db import DatabaseError
from django.db.models import Min, QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu.exceptions import OperationalError

from games import services
from games.log import pipeline
from games.models import Heartbeat, InboundMail, MailTransport, database_clock

SILENT = timedelta(minutes=3)  # after which a process hangs
MAIL_LATE = timedelta(minutes=15)
URGENT_LATE = timedelta(minutes=2)  # for sign-in codes and answers
INCOMING_LATE = timedelta(minutes=2)  # for an incoming email that is due
LEASE_LATE = timedelta(minutes=2)  # after the end of a lease, which any sender would end
# How long ago each recurring task may have ended, and the process that runs it. A sweep that sends
# much takes minutes.
TASKS = {
    "sweep": (timedelta(minutes=3), Heartbeat.WORKER),
    "play_bots": (timedelta(minutes=10), Heartbeat.BOTS),
    "deadlines": (timedelta(minutes=10), Heartbeat.WORKER),
    "reminders": (timedelta(minutes=10), Heartbeat.WORKER),
}
# What happens without a process. The listener is needed only where it has been used.
PROCESSES = {
    Heartbeat.BEAT: "no regular task runs",
    Heartbeat.WORKER: "no email is sent or read, and no deadline passes",
    Heartbeat.BOTS: "games that wait for a bot stand still",
}

MOST_COUNTED = 1000

Channel = InboundMail.Channel


class QueueState(NamedTuple):
    """The outbox in a few figures.

    When the first email of each lane that is due became due; whether leases ended before
    `lost_before` and nobody took the emails over; how many emails are parked, and how many died
    since `dead_after`, each at most MOST_COUNTED.
    """

    urgent_since: datetime | None
    bulk_since: datetime | None
    is_lost: bool
    parked: int
    dead: int


def read_queue(now: datetime, *, lost_before: datetime, dead_after: datetime) -> QueueState:
    """The outbox as it is at `now`."""
    values = [now, now, lost_before, MOST_COUNTED, dead_after, MOST_COUNTED]
    (((*found,),),) = pipeline.execute([(_SELECT, values)])
    return QueueState(*found)


# An email that was held until the morning has been due since the morning. Each part finds its rows
# by an index of its own.
_FIRST = """
    SELECT greatest(next_try_at, created_at) FROM games_outboxmail
    WHERE state = 'queued' AND {lane} AND next_try_at <= %s ORDER BY next_try_at, id LIMIT 1
"""
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM games_outboxmail WHERE {which} LIMIT %s) AS found"
_SELECT = f"""
    SELECT ({_FIRST.format(lane="urgent")}), ({_FIRST.format(lane="NOT urgent")}),
        EXISTS (SELECT 1 FROM games_outboxmail WHERE state = 'sending' AND lease_until < %s),
        ({_COUNT.format(which="state = 'parked' AND batched_into_id IS NULL")}),
        ({_COUNT.format(which="state = 'dead' AND created_at > %s")})
"""  # noqa: S608 (put together from constants)


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 as long as this process answers; depends on nothing else."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_safe
def healthz_pages(request: HttpRequest) -> HttpResponse:
    """200 while pages are served, else 503: the workers ask (`games.services.deadlines`).

    As for any page, that needs a free process, which the front does not wait for, and the database.
    """
    Heartbeat.objects.exists()
    return HttpResponse("ok\n", content_type="text/plain")


class _Report(JsonResponse):
    _has_been_logged = True  # Django logs each 503 otherwise; beat logs the parts that change


@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when everything works, else 503, both with the report, each part on a line of its own."""
    report = {"version": settings.VERSION, **check(database_clock.now())}
    return _Report(report, status=200 if report["ready"] else 503, json_dumps_params={"indent": 2})


def check(now: datetime) -> dict[str, Any]:
    """The report: for each part "ok", or the error and what to do; ages in seconds (None where
    there is nothing). attention: what needs a moderator while everything works."""
    parts: dict[str, str] = {}
    attention: dict[str, str] = {}
    mail_age = beat_age = None
    reply_age: int | None = None
    refused = 0
    try:
        day = timedelta(days=1)
        queue = read_queue(now, lost_before=now - LEASE_LATE, dead_after=now - day)
        mail_age, parts["mail"] = _senders(queue, now)
        parts["mail_server"] = _mail_server(now)
        parts["incoming_mail"] = _incoming(now)
        attention = _refused_emails(queue)
        reply_age = _reply_age(now)
        rows = {row.name: row for row in Heartbeat.objects.all()}
    except DatabaseError as error:
        parts = {
            "database": f"does not answer ({type(error).__name__}): start PostgreSQL, make room on"
            " its disk, and check DATABASE_URL"
        }
    else:
        parts["database"] = "ok"
        processes = _Processes(rows.values(), now)
        beat_age = processes.age(Heartbeat.BEAT)
        refused = sum(row.refused for row in rows.values())
        for process, effect in PROCESSES.items():
            parts[process] = processes.report(process, effect)
        if settings.MAIL_REPLY_DOMAIN:
            parts["replies"] = _replies(processes)
        if parts[Heartbeat.BEAT] == "ok":  # without it no task runs, and none is to blame
            for name, (late, process) in TASKS.items():
                parts[name] = _task(name, rows.get(name), late, process, now)
            if parts["deadlines"] == "ok":
                parts["deadlines"] = _outage(rows.get(Heartbeat.SERVICE), now)
    parts["broker"] = _broker()
    if settings.EVENTS_SOCKET:
        parts["events"] = _events(settings.EVENTS_SOCKET)
    return {
        "ready": all(word == "ok" for word in parts.values()),
        **parts,
        "attention": attention,
        "oldest_unsent_mail_seconds": mail_age,
        "last_beat_seconds": beat_age,
        "last_reply_days": reply_age,
        "refused_recipients": refused,
    }


def parts_of(report: Mapping[str, Any]) -> dict[str, str]:
    """The lines of a report that are "ok", or say what to do."""
    return {name: words for name, words in report.items() if isinstance(words, str)}


def _ago(seconds: float | None) -> str:
    return "yet" if seconds is None else f"for {seconds:.0f} seconds"


class _Processes:
    """The heartbeats of processes. One that has been silent for a day is forgotten."""

    def __init__(self, rows: Iterable[Heartbeat], now: datetime) -> None:
        self._rows = [row for row in rows if now - row.at <= services.FORGOTTEN]
        self._now = now

    def of(self, process: str) -> list[Heartbeat]:
        """The rows of a process, one for each host, those heard last first."""
        rows = [row for row in self._rows if row.name.startswith(f"{process}@")]
        return sorted(rows, key=lambda row: row.at, reverse=True)

    def age(self, process: str) -> float | None:
        """Seconds since the process was last heard on any host."""
        rows = self.of(process)
        return (self._now - rows[0].at).total_seconds() if rows else None

    def report(self, process: str, effect: str) -> str:
        """Return whether the process works on some host, and hangs on none."""
        age = self.age(process)
        if age is None or age > SILENT.total_seconds():
            return f"no sign of life {_ago(age)}, so {effect}: start or restart {process}"
        silent = [
            row.name.partition("@")[2]
            for row in self.of(process)
            if row.started_at is not None and self._now - row.at > SILENT
        ]
        if silent:
            hosts = ", ".join(silent)
            return f"no sign of life on {hosts} for minutes: restart {process} there"
        return "ok"


def _replies(processes: _Processes) -> str:
    """Return whether replies can arrive: by a listener, a webhook or a pipe."""
    if processes.of(Heartbeat.LISTENER):
        return processes.report(Heartbeat.LISTENER, "no reply arrives")
    if settings.INBOUND_SECRET or _last_reply().filter(channel=Channel.PIPE).exists():
        return "ok"
    return (
        "none has a way in: start the listener, or set INBOUND_SECRET and let the provider call the"
        " webhook; without replies, unset MAIL_REPLY_DOMAIN"
    )


def _last_reply() -> QuerySet[InboundMail]:
    return InboundMail.objects.order_by("-pk")


def _reply_age(now: datetime) -> int | None:
    """Days since the last email came in; seconds would let opponents notice a private order."""
    last = _last_reply().values_list("received_at", flat=True).first()
    return None if last is None else (now - last).days


def _task(name: str, row: Heartbeat | None, late: timedelta, process: str, now: datetime) -> str:
    """Return whether a recurring task ended lately, and if not, whether it hangs or never runs."""
    if row is None:
        # The other tasks run a minute after the first start.
        return f"has not run yet: start {process}" if name == "sweep" else "ok"
    if now - row.at <= late:
        return "ok"
    if row.started_at is not None and row.started_at > row.at:
        since = (now - row.started_at).total_seconds()
        return f"began {since:.0f} seconds ago and has not ended: restart {process}, which hangs"
    return f"has not ended {_ago((now - row.at).total_seconds())}: start or restart {process}"


def _outage(mark: Heartbeat | None, now: datetime) -> str:
    """Return whether deadlines stand still because a part of the service is away."""
    if mark is None or now - mark.at <= services.OUTAGE_THRESHOLD:
        return "ok"
    seconds = (now - mark.at).total_seconds()
    return (
        f"no deadline has passed {_ago(seconds)}, because the mail server takes no email or the site"
        " does not answer at SITE_CHECK_URL: see mail_server and the log of the worker"
    )


def _senders(queue: QueueState, now: datetime) -> tuple[float | None, str]:
    """The age of the oldest email that is due, in seconds, and whether senders are stuck."""
    ages = [
        None if since is None else (now - since).total_seconds()
        for since in (queue.urgent_since, queue.bulk_since)
    ]
    age = max((one for one in ages if one is not None), default=None)
    limits = (URGENT_LATE.total_seconds(), MAIL_LATE.total_seconds())
    if any((one or 0) > limit for one, limit in zip(ages, limits, strict=True)):
        return age, (
            f"emails have waited too long, the oldest {_ago(age)}: see mail_server, then restart"
            " the worker and look at its log"
        )
    if queue.is_lost:
        return age, "a sender died and nobody took over its emails: start or restart the worker"
    return age, "ok"


def _incoming(now: datetime) -> str:
    """Return whether incoming emails are read. One that failed and is tried again later is not
    due."""
    unread = InboundMail.objects.filter(state=InboundMail.State.NEW)
    since = unread.aggregate(since=Min("next_try_at"))["since"]
    if since is None or now - since <= INCOMING_LATE:
        return "ok"
    return (
        f"replies have waited to be read {_ago((now - since).total_seconds())}: look at the log of"
        " the worker, then restart it"
    )


def _mail_server(now: datetime) -> str:
    """Return whether the mail server takes our emails, and its refusal if not."""
    closed = MailTransport.objects.filter(closed_at__isnull=False).order_by("closed_at").first()
    if closed is None or closed.closed_at is None:
        return "ok"
    which = "no email is" if closed.name == MailTransport.ALL else f"no {closed.name} email is"
    since = _ago((now - closed.closed_at).total_seconds())
    return (
        f"{which} being sent {since}: {closed.words}. Check EMAIL_URL and the account at the mail"
        " server; one email is tried from time to time, or at once by the admin's retry"
    )


def _refused_emails(queue: QueueState) -> dict[str, str]:
    """Emails that were refused for a reason of their own. They do not make the service unready."""
    found = {}
    if queue.parked:
        found["parked_emails"] = (
            f"{queue.parked} refused by the mail server again and again: read the errors in the"
            " admin (outgoing emails), and retry them there"
        )
    if queue.dead:
        found["dead_emails"] = (
            f"{queue.dead} since yesterday to addresses that take no email: their owners see it on"
            " the site, there is nothing to do unless there are many"
        )
    return found


def _events(path: str) -> str:
    """The report of the event process about itself. Without it, pages poll."""
    try:
        with socket.socket(socket.AF_UNIX) as process:
            process.settimeout(2)
            process.connect(path)
            process.sendall(b"health\n")
            return process.recv(100).decode() or "says nothing: restart it"
    except OSError as error:
        return f"does not answer ({type(error).__name__}): start or restart it"


def _broker() -> str:
    try:
        with current_app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, interval_start=0, timeout=2)
    except (OSError, OperationalError) as error:
        return (
            f"does not answer ({type(error).__name__}), so emails and bots are late: start or restart"
            " it, and check BROKER_URL"
        )
    return "ok"
