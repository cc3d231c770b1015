"""Claim rows of the outbox under a short lease, and record what became of them.

A short transaction claims rows (FOR UPDATE SKIP LOCKED); its sender renews the lease while it
works. If the sender dies, the lease ends and another one claims the rows.

Due rows of one user are replaced by a row for a single email where the user's preferences ask for
that. That row is created in the transaction that claims it; the rows that it replaces share its
result.
"""

import logging
import random
import time
import uuid
from collections.abc import Iterable, Sequence
from contextlib import nullcontext, suppress
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import F, QuerySet

from games.models import DeliveryMode, OutboxMail, User, database_clock

from . import kinds, relevance
from .kinds.batch import DIGEST, GATHERED
from .transport_state import Lane

logger = logging.getLogger(__name__)

State = OutboxMail.State

FIRST_RETRY = 15.0  # seconds until the second try; doubled with each further one …
LAST_RETRY = 3600.0  # … up to this, so that 32 tries take about a day
PARKED_RETRY = 6 * 3600.0  # seconds until the parked email of a turn is tried again
MARK_PATIENCE = 60.0  # seconds in which the database may come back to record "sent"


def claim(limit: int, lane: Lane = Lane.BULK) -> list[OutboxMail]:
    """Lease up to `limit` rows that are due to the caller, and count a try of each."""
    now = database_clock.now()
    with transaction.atomic():
        _end_leases(now)
        if lane == Lane.BULK:
            _try_parked(now)
        rows = list(
            OutboxMail.objects.select_for_update(skip_locked=True, of=("self",))
            # Kinds of a newer version wait for its workers.
            .filter(state=State.QUEUED, next_try_at__lte=now, kind__in=kinds.names())
            .filter(urgent=lane == Lane.URGENT)
            .select_related("game", "user")
            .order_by("next_try_at", "id")[:limit]
        )
        _follow_users(rows)
        rows = _merge_due(rows, now)
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
    """Make rows whose sender died due again; park those that did so too often."""
    over = OutboxMail.objects.filter(state=State.SENDING, lease_until__lt=now)
    ids = list(over.select_for_update(skip_locked=True).values_list("pk", flat=True))
    if not ids:
        return
    free = {"lease_until": None, "lease_token": None}
    spent = OutboxMail.objects.filter(pk__in=ids, attempts__gte=settings.MAIL_MAX_TRIES)
    later = now + timedelta(seconds=PARKED_RETRY)
    words = "worker crashed repeatedly while sending"
    spent.update(state=State.PARKED, error=words, next_try_at=later, **free)
    OutboxMail.objects.filter(pk__in=ids, state=State.SENDING).update(state=State.QUEUED, **free)
    merged = OutboxMail.objects.filter(state=State.MERGED, batched_into__state=State.PARKED)
    _release(merged.filter(batched_into__context__has_key="instead_of"))
    merged.update(state=State.PARKED)


def _try_parked(now: datetime) -> None:
    """Try the parked emails of turns again: they are never given up while the turn waits."""
    asking = [name for name in kinds.names() if kinds.get(name).asks or kinds.get(name).batches]
    parked = OutboxMail.objects.filter(
        state=State.PARKED, next_try_at__lte=now, kind__in=asking, batched_into__isnull=True
    )
    ids = list(parked.select_for_update(skip_locked=True).values_list("pk", flat=True)[:100])
    if ids:
        OutboxMail.objects.filter(pk__in=ids).update(state=State.QUEUED)


def ours(rows: Sequence[OutboxMail]) -> QuerySet[OutboxMail]:
    """Return those of these rows that are still leased to this sender."""
    ids = [row.pk for row in rows]
    return OutboxMail.objects.filter(
        pk__in=ids, lease_token=rows[0].lease_token, state=State.SENDING
    )


def renew(rows: Sequence[OutboxMail]) -> bool:
    """Renew the leases of these rows. False if they are no longer ours."""
    until = database_clock.now() + timedelta(seconds=settings.MAIL_LEASE_SECONDS)
    return ours(rows).update(lease_until=until) == len(rows)


def put_back(rows: Sequence[OutboxMail], error: str) -> int:
    """Put claimed rows back that were not tried, without counting a try; return their number."""
    changes = {"error": error} if error else {}
    return ours(rows).update(
        state=State.QUEUED,
        lease_until=None,
        lease_token=None,
        attempts=F("attempts") - 1,
        **changes,
    )


def mark(row: OutboxMail, **changes: object) -> None:
    """Record the result of a row and end its lease, unless another sender has it now.

    The result of sending must not get lost, so this waits for a database that is away.
    """
    patience = time.monotonic() + MARK_PATIENCE
    is_batch = kinds.get(row.kind).batches is not None or "instead_of" in row.context
    while True:
        try:
            # A single statement needs no transaction around it, which would be two trips more.
            with transaction.atomic() if is_batch else nullcontext():
                if not ours([row]).update(lease_until=None, lease_token=None, **changes):
                    state = changes["state"]
                    logger.error(
                        "Email %s was claimed by another worker before it was %s.", row.pk, state
                    )
                elif is_batch:
                    _share_result(row, changes)
            return
        except (OperationalError, InterfaceError):
            if connection.in_atomic_block or time.monotonic() > patience:
                raise
            with suppress(Exception):
                connection.close()
            time.sleep(0.2)


# -- rows that go out in one email ---------------------------------------------------------


def _merge_due(rows: Iterable[OutboxMail], now: datetime) -> list[OutboxMail]:
    """Replace the due rows that belong in one email by a row for that email; return what to send.

    The caller has locked the rows. The email also gets rows of the user that are not due yet. Rows
    that are no longer relevant, or of no use at the hour of the digest, are not merged.
    """
    kept: list[OutboxMail] = []
    merged: set[int] = set()
    for row in rows:
        user = row.user
        if row.pk in merged:
            continue
        mode = user.delivery_mode(row.kind) if user is not None else DeliveryMode.IMMEDIATE
        if (
            user is None
            or mode not in (DeliveryMode.BATCHED, DeliveryMode.DIGEST)
            or (mode == DeliveryMode.DIGEST and relevance.cannot_wait_for_digest(row, user))
        ):
            kept.append(row)
            continue
        others = _mergeable(user, mode)
        if row not in others or (mode == DeliveryMode.BATCHED and len(others) < 2):
            kept.append(row)
            continue
        batch = _create_batch(user, DIGEST if mode == DeliveryMode.DIGEST else GATHERED, now)
        ids = {other.pk for other in others}
        OutboxMail.objects.filter(pk__in=ids).update(state=State.MERGED, batched_into=batch)
        kept.append(batch)
        merged |= ids
    return [row for row in kept if row.pk not in merged]


def _mergeable(user: User, mode: str) -> list[OutboxMail]:
    """Lock and return all rows that this user wants in this mode and that could be sent now."""
    queued = OutboxMail.objects.select_for_update(skip_locked=True, of=("self",)).filter(
        user=user, state=State.QUEUED, kind__in=set(user.kinds_with_mode(mode)) & set(kinds.names())
    )
    found = queued.select_related("game", "user").order_by("created_at", "pk")
    return [row for row in found if relevance.check_before_send(row) == kinds.SEND]


def _create_batch(user: User, kind: kinds.MailKind, now: datetime) -> OutboxMail:
    word = uuid.uuid4().hex
    return OutboxMail.objects.create(
        kind=kind.name,
        user=user,
        to_address=user.email,
        dedupe_key=f"{kind.name}:{word}",
        message_id=f"<{word}@{settings.SITE_HOST}>",
        created_at=now,
        next_try_at=now,
    )


def _share_result(batch: OutboxMail, changes: dict[str, Any]) -> None:
    """Give the merged rows the state of their batch, unless the batch will be tried again.

    Emails whose place an answer took go out themselves if the answer does not.
    """
    if changes["state"] not in (State.SENT, State.DROPPED, State.PARKED, State.DEAD):
        return
    waiting = batch.merged.filter(state__in=(State.MERGED, State.PARKED, State.DEAD))
    if "instead_of" in batch.context and changes["state"] != State.SENT:
        _release(waiting)
        return
    result = {name: changes[name] for name in ("state", "sent_at", "error") if name in changes}
    waiting.update(**result)


def _release(rows: QuerySet[OutboxMail]) -> None:
    """Queue these merged rows again, each as an email of its own."""
    rows.update(state=State.QUEUED, batched_into=None)


# -- retries -------------------------------------------------------------------------------


def retry_after(tries: int) -> float:
    """Return the seconds to wait after this many tries: 15, 30, 60 … an hour, with jitter."""
    return jitter(min(FIRST_RETRY * 2.0 ** (tries - 1), LAST_RETRY))


def jitter(seconds: float) -> float:
    """Return up to a quarter more or less, so that emails that failed together are not tried again
    together."""
    return seconds * random.uniform(0.75, 1.25)  # noqa: S311 (nobody gains by guessing it)


def after(seconds: float) -> datetime:
    """Return the time in this many seconds."""
    return database_clock.now() + timedelta(seconds=seconds)
