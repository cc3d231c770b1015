"""Rows of the outbox: about a seat, to a user or to an address, and how they are written."""

import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils.crypto import salted_hmac

from games.log import pipeline
from games.log.pipeline import Statement
from games.models import Game, OutboxMail, Seat, User, database_clock

from . import workers
from .kinds import MailKind


def seat_row(
    kind: MailKind, game: Game, seat: Seat, seq: int | None, *, about: str = "", **context: Any
) -> OutboxMail:
    """An email to the player on `seat` about version `seq` of the game.

    about: distinguishes emails of one kind and version. context: what the game itself does not say.
    """
    label = f"{kind.name}-{about}" if about else kind.name
    dedupe = f"{game.pk}:{seq}:{seat.user_id}:{label}"
    until = None if seat.overdue else kind.of_use_until(seat.asked_at, seat.due_at)
    about_seat: dict[str, Any] = {"seat": seat.number, "seq": seq, "context": context}
    return row_for(kind, seat.user, dedupe, until=until, game=game, **about_seat)


def row_for(
    kind: MailKind,
    user: User | None,
    dedupe: str,
    address: str = "",
    *,
    until: datetime | None = None,
    **fields: Any,
) -> OutboxMail:
    """An email to a user, or to an address that may belong to nobody.

    dedupe: names what it is about; the same email is queued once. until: how long it is of use.
    """
    now = database_clock.now()
    send_at = now - kind.head_start
    if user is not None and kind.category is not None:
        send_at = user.send_at(kind.name, now, until)
    return OutboxMail(
        kind=kind.name,
        user=user,
        to_address=address or (user.email if user is not None else ""),
        dedupe_key=dedupe,
        message_id=message_id(dedupe),
        created_at=now,
        next_try_at=send_at,
        urgent=kind.is_urgent,
        **fields,
    )


def message_id(dedupe: str) -> str:
    """The Message-ID for a dedupe key: the same for every try, and nobody can guess it."""
    word = salted_hmac("games.mail.message-id", dedupe).hexdigest()[:32]
    return f"<{word}@{settings.SITE_HOST}>"


def address_digest(address: str) -> str:
    """An address in a dedupe key, which operators can read."""
    return hashlib.sha256(address.strip().lower().encode()).hexdigest()[:24]


def enqueue(rows: Iterable[OutboxMail]) -> None:
    """Write the rows and wake the sender. Rows with a known dedupe key are left out."""
    pipeline.execute(statements(rows))


def statements(rows: Iterable[OutboxMail]) -> list[Statement]:
    """Like `enqueue`, but the caller executes the returned statements in this transaction."""
    batch = list(rows)
    if not batch:
        return []
    if any(not row.urgent for row in batch):
        workers.wake()
    if any(row.urgent for row in batch):
        workers.wake("games.tasks.drain_urgent")
    fields = [field for field in OutboxMail._meta.concrete_fields if not field.primary_key]
    values = [
        field.get_db_prep_save(getattr(row, field.attname), connection)
        for row in batch
        for field in fields
    ]
    columns = ", ".join(str(field.column) for field in fields)
    row = f"({', '.join(['%s'] * len(fields))})"
    text = f"INSERT INTO games_outboxmail ({columns}) VALUES {', '.join([row] * len(batch))}"  # noqa: S608 (only column names and placeholders)
    return [(f"{text} ON CONFLICT DO NOTHING", values)]
