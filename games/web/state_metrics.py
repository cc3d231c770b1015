"""The state of the service for Prometheus, read from PostgreSQL and the disk at each scrape."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Count, Min
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from games.log import event_store
from games.models import Heartbeat, InboundMail, OutboxMail, database_clock

from . import health

State = OutboxMail.State
MOST_TABLES = 10  # the largest ones are shown
WAITING = (State.QUEUED, State.SENDING, State.PARKED)


class StateCollector(Collector):
    """Free space, emails by state and age, lag of readers and tasks, events, the lines of
    /readyz."""

    def describe(self) -> list[Metric]:
        return []  # so that registering reads nothing

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics; of those in PostgreSQL, only `atlantis_ready` while it does not
        answer."""
        yield _free_space()
        try:
            yield from _state()
        except DatabaseError:
            yield _ready({"database": "does not answer"})
        finally:
            connection.close()  # each scrape has a thread of its own


def _free_space() -> Metric:
    free = GaugeMetricFamily(
        "atlantis_free_bytes",
        "Free space for the folder of data and, where emails are files, for theirs.",
        labels=["folder"],
    )
    folders = {"data": settings.VAR_DIR, "mail": getattr(settings, "EMAIL_FILE_PATH", None)}
    for name, folder in folders.items():
        if folder is not None:
            free.add_metric([name], _free_bytes(Path(folder)))
    return free


def _free_bytes(folder: Path) -> float:
    """Return the free space for a folder, which need not exist yet."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    return shutil.disk_usage(there).free


def _state() -> list[Metric]:
    now = database_clock.now()
    report = health.check(now)
    emails = GaugeMetricFamily(
        "atlantis_waiting_emails", "Emails that wait, by state.", labels=["state"]
    )
    rows = OutboxMail.objects.filter(state__in=WAITING).values_list("state")
    counts = dict(rows.annotate(count=Count("id")).order_by())
    for state in WAITING:
        emails.add_metric([state.name.lower()], counts.get(state.value, 0))
    email_age = GaugeMetricFamily(
        "atlantis_oldest_due_email_seconds",
        "How long the oldest email that is due has waited.",
        value=report["oldest_unsent_mail_seconds"] or 0,
    )
    unread = InboundMail.objects.filter(state=InboundMail.State.NEW)
    oldest = unread.aggregate(at=Min("received_at"))["at"]
    reply_age = GaugeMetricFamily(
        "atlantis_oldest_unread_reply_seconds",
        "How long the oldest incoming email that was not read has waited.",
        value=(now - oldest).total_seconds() if oldest else 0,
    )
    tasks = GaugeMetricFamily(
        "atlantis_task_age_seconds",
        "Time since a recurring task, beat or the last good backup ended.",
        labels=["task"],
    )
    for row in Heartbeat.objects.all():
        tasks.add_metric([row.name], (now - row.at).total_seconds())
    events = CounterMetricFamily(
        "atlantis_log_events",
        "Events written to the logs of games: moves, their steps, and what happens to tables.",
        value=event_store.events_written(),
    )
    tables = GaugeMetricFamily(
        "atlantis_table_bytes",
        "Size of the largest tables of the database, with their indexes.",
        labels=["table"],
    )
    for name, size in _largest_tables():
        tables.add_metric([name], size)
    parts = {name: words for name, words in report.items() if isinstance(words, str)}
    return [emails, email_age, reply_age, tasks, events, tables, _ready(parts)]


def _largest_tables() -> list[tuple[str, int]]:
    """(name, bytes) of the largest tables."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, pg_total_relation_size(relid) AS size FROM pg_stat_user_tables"
            " WHERE schemaname = current_schema() ORDER BY size DESC, relname LIMIT %s",
            [MOST_TABLES],
        )
        found: list[tuple[str, int]] = cursor.fetchall()
    return found


def _ready(parts: dict[str, str]) -> Metric:
    ready = GaugeMetricFamily(
        "atlantis_ready", "1 for each line of /readyz that is ok, else 0.", labels=["part"]
    )
    for name, words in parts.items():
        ready.add_metric([name], words == "ok")
    return ready
