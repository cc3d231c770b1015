"""Claim outbox rows, send their emails, mark the rows. The process may be killed anywhere.

A short transaction claims rows (FOR UPDATE SKIP LOCKED) and gives them a lease; they are sent
outside of any transaction and marked afterwards. If the process dies between sending and marking,
the lease expires and the next worker sends the same email again, with the same Message-ID. There is
one sender per process, and leases are renewed in time, so no two senders hold the same row.
"""

import hashlib
import logging
import random
import threading
import time
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext, suppress
from datetime import datetime, timedelta

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from games.models import MailReport, OutboxMail

from . import digest, kinds, relevance
from .compose import MailComposer, RenderedMail
from .kinds import SEND, SendDecision
from .message import Mail
from .transport import SendFailed, Transport, TransportUnavailable

logger = logging.getLogger(__name__)

State = OutboxMail.State

BATCH = 20
FIRST_RETRY = 15.0  # seconds until the second try; doubled with each further one …
LAST_RETRY = 3600.0  # … up to this, so that 32 tries take about a day
UNAVAILABLE_RETRY = 30.0  # seconds until a mail server that could not be reached is tried again
PAUSED_RETRY = 600.0  # seconds until the turn email of a paused game is checked again
MARK_PATIENCE = 60.0  # seconds in which the database may come back to record "sent"
MAX_FAILURES = 3  # broken conversations in a row after which this sender stops for now
DRAIN_SECONDS = 60.0  # then the worker's thread is free for other tasks

# One sender per process: a killed process has sent at most one email that the database does not
# know of. A second caller only asks the first to look once more.
_sending = threading.Lock()
_look_again = threading.Event()
_stopping = threading.Event()


class Drained:
    """How many emails one `drain` brought to which state. undeliverable: those of the dead whose
    address takes no email at all."""

    def __init__(self) -> None:
        self.sent = self.dropped = self.failed = self.dead = self.undeliverable = self.put_back = 0

    def __repr__(self) -> str:
        return ", ".join(f"{count} {name}" for name, count in vars(self).items() if count) or "none"


def drain(seconds: float = DRAIN_SECONDS) -> Drained:
    """Send what is due, for at most `seconds` plus one send. Does nothing while another thread of
    this process is sending."""
    done = Drained()
    stop_at = time.monotonic() + seconds
    _look_again.set()
    while _look_again.is_set() and _sending.acquire(blocking=False):
        try:
            _look_again.clear()
            _drain(stop_at, done)
        finally:
            _sending.release()
    return done


def stop() -> None:
    """Let this process end after the email that is being sent."""
    _stopping.set()


def _drain(stop_at: float, done: Drained) -> None:
    executor = ThreadPoolExecutor(1, thread_name_prefix="send")
    with closing(Transport()) as transport, executor:
        while time.monotonic() < stop_at and not _stopping.is_set():
            rows = claim(BATCH)
            if not rows:
                return
            batch = _Batch(rows, transport, executor, done)
            for place in range(len(rows)):
                try:
                    if time.monotonic() >= stop_at or _stopping.is_set():
                        raise TransportUnavailable("")
                    if transport.failures >= MAX_FAILURES:
                        raise TransportUnavailable("conversations break one after another")
                    batch.deliver(place)
                except TransportUnavailable as error:
                    put_back(rows[place:], str(error))
                    done.put_back += len(rows) - place
                    return


def _renew_leases(rows: Sequence[OutboxMail]) -> bool:
    """Renew the leases of these rows once a fifth of their time is over: the rest is longer than
    seven replies of the slowest mail server. False if the rows are no longer ours."""
    lease = timedelta(seconds=settings.MAIL_LEASE_SECONDS)
    now = timezone.now()
    assert rows[0].lease_until is not None
    if rows[0].lease_until - now > lease * 4 / 5:
        return True
    if _ours(rows).update(lease_until=now + lease) != len(rows):
        return False
    for row in rows:
        row.lease_until = now + lease
    return True


class _Batch:
    """Claimed rows, sent in order. Each row is rendered before the one before it is sent, so that
    its board is drawn in the meantime, and the one after it during that sending."""

    def __init__(
        self,
        rows: Sequence[OutboxMail],
        transport: Transport,
        executor: ThreadPoolExecutor,
        done: Drained,
    ) -> None:
        self._rows, self._transport, self._executor, self._done = rows, transport, executor, done
        self._composer = MailComposer()
        self._prepared: list[RenderedMail | SendDecision | SendFailed] = []

    def _prepare_up_to(self, place: int) -> None:
        """Render the rows up to this place, if there are that many, or find why not to."""
        for row in self._rows[len(self._prepared) : place + 1]:
            # When the reader wants the email is checked just before sending.
            decision = kinds.get(row.kind).check(row)
            if decision != SEND:
                self._prepared.append(decision)
                continue
            try:
                self._prepared.append(self._composer.render(row))
            except (OperationalError, InterfaceError):
                raise  # the database failed, not this email: the lease brings it back
            except Exception as error:
                logger.exception("Email %s (%s) cannot be rendered.", row.pk, row.kind)
                self._prepared.append(SendFailed(f"not rendered: {error!r}"))

    def deliver(self, place: int) -> None:
        """Send one row, or schedule its retry. Raises TransportUnavailable."""
        row = self._rows[place]
        self._prepare_up_to(place + 1)
        if not _renew_leases(self._rows[place:]):
            return
        try:
            match self._prepared[place]:
                case SendFailed() as failure:
                    raise failure
                case SendDecision() as decision:
                    _hold(row, decision, self._done)
                case RenderedMail() as rendered:
                    mail = _with_boards(row, rendered)
                    # Rendering takes a while: check again.
                    decision = relevance.check_before_send(row)
                    if decision != SEND:
                        _hold(row, decision, self._done)
                        return
                    self._send(mail, place)
                    erased: dict[str, object] = (
                        {"context": {}} if kinds.get(row.kind).one_time else {}
                    )
                    _mark(row, state=State.SENT, sent_at=timezone.now(), error="", **erased)
                    self._done.sent += 1
        except SendFailed as failure:
            _failed(row, failure, self._done)

    def _send(self, mail: Mail, place: int) -> None:
        """Send one email, and render another while the mail server takes it.

        Never send two at once: a killed process leaves at most one of which nobody knows.
        """
        sending = self._executor.submit(self._transport.send, mail)
        try:
            # A database that fails now is met again once this email is marked.
            with suppress(OperationalError, InterfaceError):
                self._prepare_up_to(place + 2)
        finally:
            sending.result()


def _with_boards(row: OutboxMail, rendered: RenderedMail) -> Mail:
    try:
        return rendered.mail()
    except Exception as error:
        logger.exception("The board of email %s (%s) cannot be drawn.", row.pk, row.kind)
        raise SendFailed(f"not rendered: {error!r}") from error


def _hold(row: OutboxMail, decision: SendDecision, done: Drained) -> None:
    """Drop a row, or put it off."""
    if decision.drop:
        _mark(row, state=State.DROPPED, error=decision.drop)
        done.dropped += 1
    else:
        later = decision.until or _after(PAUSED_RETRY)
        _mark(row, state=State.QUEUED, next_try_at=later, attempts=row.attempts - 1)
        done.put_back += 1


def _failed(row: OutboxMail, failure: SendFailed, done: Drained) -> None:
    logger.warning("Email %s, attempt %s: %s", row.pk, row.attempts, failure)
    if failure.undeliverable:
        _report(row, failure)
        done.undeliverable += 1
    if failure.final or row.attempts >= settings.MAIL_MAX_TRIES:
        _mark(row, state=State.DEAD, error=str(failure))
        done.dead += 1
    else:
        later = _after(retry_after(row.attempts))
        _mark(row, state=State.QUEUED, next_try_at=later, error=str(failure))
        done.failed += 1


def _report(row: OutboxMail, failure: SendFailed) -> None:
    """Record what our mail server refused, as a provider's webhook would report it.

    Before the row is marked: after a crash in between, the email is tried and reported again.
    """
    address = row.to_address.strip().lower()
    MailReport.objects.get_or_create(
        key=hashlib.sha256(f"outbox {row.pk} {row.lease_token}".encode()).hexdigest(),
        defaults={
            "provider": "outbox",
            "meaning": MailReport.Meaning.BOUNCE,
            "address": address,
            "message_id": row.message_id,
            "words": str(failure).lower().replace(address, "…")[:300],
        },
    )


# -- the rows ----------------------------------------------------------------------------


def claim(limit: int) -> list[OutboxMail]:
    """Up to `limit` rows that are due, now leased to the caller; each counts this as a try."""
    now = timezone.now()
    with transaction.atomic():
        _end_leases(now)
        rows = list(
            OutboxMail.objects.select_for_update(skip_locked=True, of=("self",))
            # Kinds of a newer version wait for its workers.
            .filter(state=State.QUEUED, next_try_at__lte=now, kind__in=kinds.names())
            .select_related("game", "user")
            .order_by("next_try_at", "id")[:limit]
        )
        _follow_users(rows)
        rows = digest.merge_due(rows, now)
        lease = {
            "state": State.SENDING,
            "lease_until": now + timedelta(seconds=settings.MAIL_LEASE_SECONDS),
            "lease_token": uuid.uuid4(),
        }
        if rows:
            claimed = OutboxMail.objects.filter(pk__in=[row.pk for row in rows])
            claimed.update(**lease, attempts=F("attempts") + 1)
    for row in rows:
        row.attempts += 1
        for name, value in lease.items():
            setattr(row, name, value)
    return rows


def _follow_users(rows: Sequence[OutboxMail]) -> None:
    """Send email about games to the users' present addresses: the old mailbox may belong to
    somebody else, and the links sign their readers in."""
    for row in rows:
        if row.user is None or row.to_address == row.user.email:
            continue
        if kinds.get(row.kind).follows_user:
            row.to_address = row.user.email
            OutboxMail.objects.filter(pk=row.pk).update(to_address=row.to_address)


def _end_leases(now: datetime) -> None:
    """Make rows whose sender died due again; give up those that did so too often."""
    over = OutboxMail.objects.filter(state=State.SENDING, lease_until__lt=now)
    ids = list(over.select_for_update(skip_locked=True).values_list("pk", flat=True))
    if not ids:
        return
    free = {"lease_until": None, "lease_token": None}
    spent = OutboxMail.objects.filter(pk__in=ids, attempts__gte=settings.MAIL_MAX_TRIES)
    spent.update(state=State.DEAD, error="worker crashed repeatedly while sending", **free)
    OutboxMail.objects.filter(pk__in=ids, state=State.SENDING).update(state=State.QUEUED, **free)
    merged = OutboxMail.objects.filter(state=State.MERGED, batched_into__state=State.DEAD)
    merged.update(state=State.DEAD)


def _ours(rows: Sequence[OutboxMail]) -> QuerySet[OutboxMail]:
    """These rows, as far as they are still leased to this sender."""
    ids = [row.pk for row in rows]
    return OutboxMail.objects.filter(
        pk__in=ids, lease_token=rows[0].lease_token, state=State.SENDING
    )


def put_back(rows: Sequence[OutboxMail], error: str) -> None:
    """Claimed rows that were not tried: due again soon, and none of their tries used up."""
    changes: dict[str, object] = {}
    if error:
        logger.warning("The mail server cannot be reached: %s", error)
        changes = {"next_try_at": _after(jitter(UNAVAILABLE_RETRY)), "error": error}
    _ours(rows).update(
        state=State.QUEUED,
        lease_until=None,
        lease_token=None,
        attempts=F("attempts") - 1,
        **changes,
    )


def _mark(row: OutboxMail, **changes: object) -> None:
    """Record the result of a row and end its lease, if the lease is still ours.

    After sending this must not get lost: wait for a database that is away.
    """
    patience = time.monotonic() + MARK_PATIENCE
    is_batch = kinds.get(row.kind).batches is not None
    while True:
        try:
            # A single statement needs no transaction around it, which would be two trips more.
            with transaction.atomic() if is_batch else nullcontext():
                if not _ours([row]).update(lease_until=None, lease_token=None, **changes):
                    state = changes["state"]
                    logger.error(
                        "Email %s was claimed by another worker before it was %s.", row.pk, state
                    )
                elif is_batch:
                    digest.share_result(row, changes)
            return
        except (OperationalError, InterfaceError):
            if connection.in_atomic_block or time.monotonic() > patience:
                raise
            with suppress(Exception):
                connection.close()
            time.sleep(0.2)


# -- retries -------------------------------------------------------------------------------


def retry_after(tries: int) -> float:
    """Seconds until the next of this many tries: 15, 30, 60 … an hour, each with jitter."""
    return jitter(min(FIRST_RETRY * 2.0 ** (tries - 1), LAST_RETRY))


def jitter(seconds: float) -> float:
    """Up to a quarter more or less, so that emails that failed together are not retried together."""
    return seconds * random.uniform(0.75, 1.25)  # noqa: S311 (nobody gains by guessing it)


def _after(seconds: float) -> datetime:
    return timezone.now() + timedelta(seconds=seconds)
