"""The state of the service for Prometheus, read from PostgreSQL and the disk at each scrape."""

from collections.abc import Iterator

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Count, Min
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from games.log import event_store
from games.models import InboundMail, OutboxMail, database_clock

from . import health
from .findings import Finding, Severity, disk_of, fail

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
            yield _ready([fail("does not answer", part="database")])
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
            _path, free_bytes, _all = disk_of(folder)
            free.add_metric([name], free_bytes)
    return free


def _state() -> list[Metric]:
    now = database_clock.now()
    state, found = health.check(now)
    if state is None:
        return [_ready(found)]
    emails = GaugeMetricFamily(
        "atlantis_waiting_emails", "Emails that wait, by state.", labels=["state"]
    )
    rows = OutboxMail.objects.filter(state__in=WAITING).values_list("state")
    counts = dict(rows.annotate(count=Count("id")).order_by())
    for waiting in WAITING:
        emails.add_metric([waiting.name.lower()], counts.get(waiting.value, 0))
    email_age = GaugeMetricFamily(
        "atlantis_oldest_due_email_seconds",
        "How long the oldest email that is due has waited.",
        value=state.mail_age or 0,
    )
    unread = InboundMail.objects.filter(state=InboundMail.State.NEW)
    oldest = unread.aggregate(at=Min("received_at"))["at"]
    reply_age = GaugeMetricFamily(
        "atlantis_oldest_unread_reply_seconds",
        "How long the oldest incoming email that was not read has waited.",
        value=(now - oldest).total_seconds() if oldest else 0,
    )
    failed = GaugeMetricFamily(
        "atlantis_failed_replies",
        "1 if incoming emails of the last two days could not be read or processed, else 0.",
        value=state.has_failed_replies,
    )
    tasks = GaugeMetricFamily(
        "atlantis_task_age_seconds",
        "Time since a recurring task, beat or the last good backup ended.",
        labels=["task"],
    )
    for row in state.heartbeats.values():
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
    return [emails, email_age, reply_age, failed, tasks, events, tables, _ready(found)]


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


def _ready(found: list[Finding]) -> Metric:
    ready = GaugeMetricFamily(
        "atlantis_ready", "1 for each line of /readyz that is ok, else 0.", labels=["part"]
    )
    for finding in found:
        if finding.part not in health.ATTENTION:
            ready.add_metric([finding.part], finding.severity is Severity.OK)
    return ready
