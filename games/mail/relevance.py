"""Checks an email just before it is sent, minutes or days after it was queued.

Reads the rows as they are now, never those that were read with the outbox row.
"""

from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from games import selectors
from games.models import DeliveryMode, OutboxMail, User, database_clock

from . import kinds
from .kinds import SEND, SendDecision
from .kinds.base import NO_ARRIVAL, check_address

State = OutboxMail.State
MOST_BY_ONE = 12  # emails a day to one reader that one other person causes
DAY = timedelta(days=1)
KEPT_BACK = timedelta(days=3)  # an email that was queued before has waited for something else


def check_before_send(row: OutboxMail) -> SendDecision:
    """Whether to send the email of this row now: whether what it says is still so, whether its
    address takes email, and when its reader wants it."""
    kind = kinds.get(row.kind)
    decision = kind.check(row)
    if decision != SEND:
        return decision
    reader = User.objects.filter(pk=row.user_id).first() if row.user_id is not None else None
    if not kind.reaches_suspended and (obstacle := _obstacle(reader, row)):
        return SendDecision(obstacle)
    if (until := _enough_until(row, reader)) is not None:
        return SendDecision(wait=True, until=until)
    if kind.ignores_suppression:
        return SEND
    if reader is None or row.to_address != reader.email:
        decision = check_address(row.to_address)
    elif reader.mail_stopped:
        decision = SendDecision(NO_ARRIVAL)
    if decision != SEND or reader is None or not kind.is_bulk:
        return decision
    mode = reader.delivery_mode(row.kind)
    if mode == DeliveryMode.OFF:
        return SendDecision("the recipient turned this kind of email off")
    in_digest = DeliveryMode.DIGEST in (mode, kind.batches)
    until = reader.hold_until(row.created_at, timezone.now(), digest=in_digest)
    if until is None or _too_late(row, until):
        return SEND
    return SendDecision(wait=True, until=until)


def _enough_until(row: OutboxMail, reader: User | None) -> datetime | None:
    """Return until when an email that one person causes to another has to wait, because the reader
    has had MOST_BY_ONE of that person within a day: until the hour of the digest. None if it need
    not. Kinds of emails count together."""
    by = row.context.get("by")
    if by is None or by == row.user_id:
        return None
    now = database_clock.now()
    had = OutboxMail.objects.filter(
        Q(state=State.SENDING) | Q(state=State.SENT, sent_at__gt=now - DAY),
        to_address=row.to_address,
        context__by=by,
        created_at__gt=now - KEPT_BACK,
        batched_into=None,
    )
    if had.exclude(pk=row.pk)[:MOST_BY_ONE].count() < MOST_BY_ONE:
        return None
    return reader.next_hour(reader.digest_hour, now) if reader is not None else now + DAY


def _obstacle(reader: User | None, row: OutboxMail) -> str:
    """Return why the state of the reader's account keeps the email back, "" for no reason. Without
    a reader, that is the user with the address."""
    found = reader or User.objects.with_address(row.to_address).first()
    if found is None or selectors.may_act(found, row.to_address):
        return ""
    if found.is_suspended:
        return "the recipient is suspended"
    if found.is_frozen:
        return "the account is frozen, and this address cannot restore it"
    return "the account is being deleted"


def date_of(row: OutboxMail) -> datetime:
    """The Date of the email: the moment for which its reader wanted it, such as the end of quiet
    hours. The same for every try."""
    if row.user is None or kinds.get(row.kind).category is None:
        return row.created_at
    wanted = row.user.send_at(row.kind, row.created_at)
    return row.created_at if wanted == row.created_at or _too_late(row, wanted) else wanted


def cannot_wait_for_digest(row: OutboxMail, user: User) -> bool:
    """Whether the email would be of no use at the hour of the user's digest."""
    return _too_late(row, user.next_hour(user.digest_hour, row.created_at))


def _too_late(row: OutboxMail, at: datetime) -> bool:
    deadline = kinds.get(row.kind).deadline(row)
    return deadline is not None and at > deadline
