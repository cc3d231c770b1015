"""Replace due rows of one user by a row for a single email, as the user's preferences ask.

That row is created in the transaction that claims it; the rows that it replaces share its result.
"""

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from games.mail.kinds.digest import GATHERED
from games.models import DeliveryMode, OutboxMail, User

from . import kinds, relevance
from .kinds.digest import DIGEST

State = OutboxMail.State


def merge_due(rows: Iterable[OutboxMail], now: datetime) -> list[OutboxMail]:
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
        batch = _create(user, DIGEST if mode == DeliveryMode.DIGEST else GATHERED, now)
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


def _create(user: User, kind: kinds.MailKind, now: datetime) -> OutboxMail:
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


def share_result(batch: OutboxMail, changes: dict[str, Any]) -> None:
    """Give the merged rows the state of their batch, unless the batch will be tried again.

    Emails whose place an answer took go out themselves if the answer does not.
    """
    if changes["state"] not in (State.SENT, State.DROPPED, State.PARKED, State.DEAD):
        return
    waiting = batch.merged.filter(state__in=(State.MERGED, State.PARKED, State.DEAD))
    if "instead_of" in batch.context and changes["state"] != State.SENT:
        release(waiting)
        return
    result = {name: changes[name] for name in ("state", "sent_at", "error") if name in changes}
    waiting.update(**result)


def release(rows: QuerySet[OutboxMail]) -> None:
    """Queue these merged rows again, each as an email of its own."""
    rows.update(state=State.QUEUED, batched_into=None)
