"""Whether the service is ready: what it notes about itself in PostgreSQL, and its other parts.

`read` asks the database, `check` judges the answer, and `report` is what /readyz shows: figures
only, nothing about players or games.
"""

import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Min, QuerySet
from django.db.models.functions import Greatest
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from kombu.exceptions import OperationalError

from games import services
from games.models import (
    Heartbeat,
    InboundMail,
    MailReport,
    MailTransport,
    OutboxMail,
)

from .findings import Finding, Severity, fail, note

SILENT = timedelta(minutes=3)  # after which a process hangs
MAIL_LATE = timedelta(minutes=15)
URGENT_LATE = timedelta(minutes=2)  # for sign-in codes and answers
INCOMING_LATE = timedelta(minutes=2)  # for an incoming email that is due
LEASE_LATE = timedelta(minutes=2)  # after the end of a lease, which any sender would end
FAILED_FOR = timedelta(days=2)  # that an email that failed is shown
BOUNCED_FOR = timedelta(days=7)
MOST_BOUNCES = 0.05  # of the emails sent; providers close accounts from there on
FEW_BOUNCES = 5  # which say nothing about the share
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
    Heartbeat.BEAT: gettext_lazy("no regular task runs"),
    Heartbeat.WORKER: gettext_lazy("no email is sent or read, and no deadline passes"),
    Heartbeat.BOTS: gettext_lazy("games that wait for a bot do not go on"),
}

# Parts that need a moderator while the service is ready.
ATTENTION = ("parked_emails", "dead_emails", "bounces", "failed_replies")

MOST_COUNTED = 1000

Channel = InboundMail.Channel


# -- queries, one for each fact --------------------------------------------------------------


def closed_transports() -> QuerySet[MailTransport]:
    """Return the lanes whose mail server takes no emails, the longest closed first."""
    return MailTransport.objects.filter(closed_at__isnull=False).order_by("closed_at")


def parked_emails() -> QuerySet[OutboxMail]:
    """Emails that the mail server refused again and again, without those sent with another one."""
    rows = OutboxMail.objects.filter(state=OutboxMail.State.PARKED, batched_into__isnull=True)
    return rows.order_by("next_try_at")


def dead_emails(now: datetime) -> QuerySet[OutboxMail]:
    """Emails that failed lately, without those sent with another one; the newest first."""
    rows = OutboxMail.objects.filter(state=OutboxMail.State.DEAD, batched_into__isnull=True)
    return rows.filter(created_at__gt=now - FAILED_FOR).order_by("-created_at")


def failed_replies(now: datetime) -> QuerySet[InboundMail]:
    """Incoming emails of the last days that nobody could read or process."""
    rows = InboundMail.objects.filter(state=InboundMail.State.FAILED)
    return rows.filter(received_at__gt=now - FAILED_FOR)


def read_replies() -> QuerySet[InboundMail]:
    """Incoming emails that could be read, or will be, the newest first."""
    broken = InboundMail.Outcome.BROKEN
    rows = InboundMail.objects.exclude(state=InboundMail.State.FAILED).exclude(outcome=broken)
    return rows.order_by("-pk")


@dataclass(frozen=True)
class State:
    """What the database says at `now`.

    urgent_since, bulk_since: when the first email of each lane that is due became due. is_lost:
    whether the lease of an email ended and nobody took it over. parked, dead: emails, at most
    MOST_COUNTED. sent, bounced: emails and hard bounces within BOUNCED_FOR. unread_since: when the
    first incoming email that is due became due. has_failed_replies: whether there are incoming
    emails that nobody could read. replied_at: when the last other one came in.
    """

    now: datetime
    urgent_since: datetime | None
    bulk_since: datetime | None
    is_lost: bool
    parked: int
    dead: int
    sent: int
    bounced: int
    closed: MailTransport | None
    unread_since: datetime | None
    has_failed_replies: bool
    replied_at: datetime | None
    heartbeats: Mapping[str, Heartbeat]

    @property
    def mail_age(self) -> float | None:
        """The age of the oldest email that is due, in seconds."""
        ages = [_age(self.now, since) for since in (self.urgent_since, self.bulk_since)]
        return max((age for age in ages if age is not None), default=None)

    @property
    def refused(self) -> int:
        """The recipients that listeners have refused."""
        return sum(row.refused for row in self.heartbeats.values())

    def of(self, process: str) -> list[Heartbeat]:
        """The rows of a process, one for each host, those heard last first. One that has been
        silent for a day is forgotten."""
        rows = [
            row
            for row in self.heartbeats.values()
            if row.name.startswith(f"{process}@") and self.now - row.at <= services.FORGOTTEN
        ]
        return sorted(rows, key=lambda row: row.at, reverse=True)

    def age(self, process: str) -> float | None:
        """Seconds since the process was last heard on any host."""
        rows = self.of(process)
        return (self.now - rows[0].at).total_seconds() if rows else None


# How a statement asks for the first value, whether there is a row, and the number of rows.
_FIRST, _EXISTS, _COUNT = "({})", "EXISTS ({})", "(SELECT count(*) FROM ({}) AS found)"


def _ask(*questions: tuple[str, QuerySet[Any, Any]]) -> tuple[Any, ...]:
    """The answers to these questions, in one statement. Each finds its rows by an index."""
    asked = [(form, *rows.query.sql_with_params()) for form, rows in questions]
    statement = ", ".join(form.format(sql) for form, sql, _values in asked)
    with connection.cursor() as cursor:
        values = [value for _form, _sql, of_one in asked for value in of_one]
        cursor.execute(f"SELECT {statement}", values)
        found: tuple[Any, ...] = cursor.fetchone()
    return found


def read(now: datetime) -> State:
    """Ask the database, by a fixed number of queries. Raises DatabaseError."""
    queued = OutboxMail.objects.filter(state=OutboxMail.State.QUEUED, next_try_at__lte=now)
    # An email that was held until the morning has been due since the morning.
    due_since = Greatest("next_try_at", "created_at")
    due = queued.order_by("next_try_at", "id").values_list(due_since)
    leased = OutboxMail.objects.filter(state=OutboxMail.State.SENDING).values("pk")
    reports = MailReport.objects.filter(meaning=MailReport.Meaning.BOUNCE)
    urgent_since, bulk_since, is_lost, parked, dead, has_failed_replies = _ask(
        (_FIRST, due.filter(urgent=True)[:1]),
        (_FIRST, due.filter(urgent=False)[:1]),
        (_EXISTS, leased.filter(lease_until__lt=now - LEASE_LATE)),
        (_COUNT, parked_emails().order_by().values("pk")[:MOST_COUNTED]),
        (_COUNT, dead_emails(now).order_by().values("pk")[:MOST_COUNTED]),
        (_EXISTS, failed_replies(now).values("pk")),
    )
    since = now - BOUNCED_FOR
    bounced = reports.filter(received_at__gt=since)[:MOST_COUNTED].count()
    sent = 0
    if bounced >= FEW_BOUNCES:
        emails = OutboxMail.objects.filter(created_at__gt=since)
        sent = emails.filter(state=OutboxMail.State.SENT)[
            : round(MOST_COUNTED / MOST_BOUNCES)
        ].count()
    unread = InboundMail.objects.filter(state=InboundMail.State.NEW)
    return State(
        now=now,
        urgent_since=urgent_since,
        bulk_since=bulk_since,
        is_lost=is_lost,
        parked=parked,
        dead=dead,
        sent=sent,
        bounced=bounced,
        closed=closed_transports().first(),
        unread_since=unread.aggregate(since=Min("next_try_at"))["since"],
        has_failed_replies=has_failed_replies,
        replied_at=read_replies().values_list("received_at", flat=True).first(),
        heartbeats={row.name: row for row in Heartbeat.objects.all()},
    )


# -- findings --------------------------------------------------------------------------------


def check(now: datetime) -> tuple[State | None, list[Finding]]:
    """The state, None while the database does not answer, and what to say of each part, in the
    active language."""
    try:
        state = read(now)
        found = [*_of_the_database(state)]
    except DatabaseError as error:
        state = None
        found = [
            _part(
                "database",
                _(
                    "does not answer (%(error)s): start PostgreSQL, make room on its disk, and check"
                    " DATABASE_URL"
                )
                % {"error": type(error).__name__},
            )
        ]
    found.append(_part("broker", _broker()))
    if settings.EVENTS_SOCKET:
        found.append(_part("events", _events(settings.EVENTS_SOCKET)))
    return state, found


def report(now: datetime) -> dict[str, Any]:
    """The content of /readyz, in English: for each part "ok", or the error and what to do; ages in
    seconds (None where there is nothing). attention: what needs a moderator while everything
    works."""
    with translation.override("en"):
        state, found = check(now)
    parts = {finding.part: finding.text for finding in found}
    attention = {name: parts.pop(name) for name in ATTENTION if name in parts}
    last = state.replied_at if state is not None else None
    return {
        "ready": all(words == "ok" for words in parts.values()),
        **parts,
        "attention": attention,
        "oldest_unsent_mail_seconds": state.mail_age if state is not None else None,
        "last_beat_seconds": state.age(Heartbeat.BEAT) if state is not None else None,
        # Seconds would let opponents notice a private order.
        "last_reply_days": (now - last).days if last is not None else None,
        "refused_recipients": state.refused if state is not None else 0,
    }


def parts_of(report: Mapping[str, Any]) -> dict[str, str]:
    """The lines of a report that are "ok", or say what to do."""
    return {name: words for name, words in report.items() if isinstance(words, str)}


def _part(name: str, words: str) -> Finding:
    return Finding(Severity.OK if words == "ok" else Severity.FAIL, words, part=name)


def _of_the_database(state: State) -> Iterator[Finding]:
    yield _part("mail", _senders(state))
    yield _part("mail_server", _mail_server(state))
    yield _part("incoming_mail", _incoming(state))
    yield _part("database", "ok")
    for process, effect in PROCESSES.items():
        yield _part(process, _process(state, process, str(effect)))
    if settings.MAIL_REPLY_DOMAIN:
        yield _part("replies", _replies(state))
    if _process(state, Heartbeat.BEAT, "") == "ok":  # without it no task runs, and none is to blame
        for name, (late, process) in TASKS.items():
            words = _task(name, state, late, process)
            if name == "deadlines" and words == "ok":
                words = _outage(state)
            yield _part(name, words)
    yield from _failed_emails(state)


def _age(now: datetime, since: datetime | None) -> float | None:
    return None if since is None else (now - since).total_seconds()


def _process(state: State, process: str, effect: str) -> str:
    """Return whether the process works on some host, and hangs on none."""
    age = state.age(process)
    if age is None:
        return _("no sign of life yet (%(effect)s): start or restart %(process)s") % {
            "effect": effect,
            "process": process,
        }
    if age > SILENT.total_seconds():
        return _(
            "no sign of life for %(age).0f seconds (%(effect)s): start or restart %(process)s"
        ) % {"age": age, "effect": effect, "process": process}
    silent = [
        row.name.partition("@")[2]
        for row in state.of(process)
        if row.started_at is not None and state.now - row.at > SILENT
    ]
    if silent:
        return _("no sign of life on %(hosts)s for several minutes: restart %(process)s there") % {
            "hosts": ", ".join(silent),
            "process": process,
        }
    return "ok"


def _replies(state: State) -> str:
    """Return whether replies can arrive: by a listener, a webhook or a pipe. A local service may
    wait for its listener."""
    if state.of(Heartbeat.LISTENER):
        return _process(state, Heartbeat.LISTENER, _("no reply arrives"))
    if settings.INBOUND_SECRET or InboundMail.objects.filter(channel=Channel.PIPE).exists():
        return "ok"
    return _(
        "there is no way for them to arrive: start the listener, or set INBOUND_SECRET and let "
        "the provider call the webhook; if you do not want replies, unset MAIL_REPLY_DOMAIN"
    )


def _task(name: str, state: State, late: timedelta, process: str) -> str:
    """Return whether a recurring task ended lately, and if not, whether it hangs or never runs."""
    row = state.heartbeats.get(name)
    if row is None:
        # The other tasks run a minute after the first start.
        return (
            _("has not run yet: start %(process)s") % {"process": process}
            if name == "sweep"
            else "ok"
        )
    if state.now - row.at <= late:
        return "ok"
    if row.started_at is not None and row.started_at > row.at:
        return _(
            "began %(age).0f seconds ago and has not ended: restart %(process)s, which is stuck"
        ) % {"age": _age(state.now, row.started_at), "process": process}
    return _("last ended %(age).0f seconds ago: start or restart %(process)s") % {
        "age": _age(state.now, row.at),
        "process": process,
    }


def _outage(state: State) -> str:
    """Return whether deadlines stand still because a part of the service is away."""
    mark = state.heartbeats.get(Heartbeat.SERVICE)
    if mark is None or state.now - mark.at <= services.OUTAGE_THRESHOLD:
        return "ok"
    return _(
        "no deadline has passed for %(age).0f seconds, because the mail server takes no email or the"
        " site does not answer at SITE_CHECK_URL: see mail_server and the log of the worker"
    ) % {"age": _age(state.now, mark.at)}


def _senders(state: State) -> str:
    """Return whether senders are stuck."""
    urgent, bulk = _age(state.now, state.urgent_since), _age(state.now, state.bulk_since)
    if (urgent or 0) > URGENT_LATE.total_seconds() or (bulk or 0) > MAIL_LATE.total_seconds():
        return _(
            "emails have waited too long, the oldest for %(age).0f seconds: see mail_server, then"
            " restart the worker and look at its log"
        ) % {"age": state.mail_age}
    if state.is_lost:
        return _(
            "a sending process died, and nothing took over its emails: start or restart the worker"
        )
    return "ok"


def _incoming(state: State) -> str:
    """Return whether incoming emails are read. One that failed and is tried again later is not
    due."""
    age = _age(state.now, state.unread_since)
    if age is None or age <= INCOMING_LATE.total_seconds():
        return "ok"
    return _(
        "replies have waited to be read for %(age).0f seconds: look at the log of the worker, then"
        " restart it"
    ) % {"age": age}


def _mail_server(state: State) -> str:
    """Return whether the mail server takes our emails, and its refusal if not."""
    return "ok" if state.closed is None else refusal(state.closed, state.now)


def refusal(closed: MailTransport, now: datetime) -> str:
    """The sentence about a mail server that takes no emails, without its full stop."""
    values = {"age": _age(now, closed.closed_at), "words": closed.words, "lane": closed.name}
    said = _("no email (%(lane)s) has been sent for %(age).0f seconds: %(words)s.") % values
    advice = _(
        "Check EMAIL_URL and the account at the mail server; one email is tried from time to time, or"
        " at once by “Try one email now” in the admin"
    )
    return f"{said} {advice}"


def _failed_emails(state: State) -> Iterator[Finding]:
    """Emails that failed for a reason of their own. They do not make the service unready."""
    if state.has_failed_replies:  # not how many: that would tell opponents when one came
        yield fail(
            _(
                "some of the last two days failed: see “Incoming emails” in the admin. Malformed ones"
                " came from a provider that has to hand over the raw email (docs/other-ways.md, “Whose"
                " replies are believed”); for the others, choose “Process again” after the repair"
            ),
            part="failed_replies",
        )
    if state.parked:
        yield fail(
            _(
                "%(number)d refused by the mail server again and again: read the errors in the admin"
                " (outgoing emails), and retry them there"
            )
            % {"number": state.parked},
            part="parked_emails",
        )
    if state.dead:
        yield note(
            _(
                "%(number)d in two days to addresses that take no email: their owners see it on "
                "the site, and there is nothing to do unless there are many"
            )
            % {"number": state.dead},
            part="dead_emails",
        )
    if state.bounced >= FEW_BOUNCES and state.bounced > MOST_BOUNCES * state.sent:
        yield fail(
            _(
                "%(bounced)d of the %(sent)d emails of the last seven days bounced, more than "
                "the 5%% at which providers close accounts: see “Players whose emails bounce” in "
                "the admin, and run check_mail"
            )
            % {"bounced": state.bounced, "sent": state.sent},
            part="bounces",
        )


def _events(path: str) -> str:
    """The report of the event process about itself. Without it, pages poll."""
    try:
        with socket.socket(socket.AF_UNIX) as process:
            process.settimeout(2)
            process.connect(path)
            process.sendall(b"health\n")
            return process.recv(100).decode() or _("says nothing: restart it")
    except OSError as error:
        return _("does not answer (%(error)s): start or restart it") % {
            "error": type(error).__name__
        }


def _broker() -> str:
    try:
        with current_app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, interval_start=0, timeout=2)
    except (OSError, OperationalError) as error:
        return _(
            "does not answer (%(error)s), so emails and bots are late: start or restart it, and check"
            " BROKER_URL"
        ) % {"error": type(error).__name__}
    return "ok"
