"""Whether email can be sent at present: closed for a while after refusals, in PostgreSQL for all
senders.

Refusals of us close the transport for every email; a server that is away, or breaks conversations
again and again, closes it only for the lane that found out. After a pause that grows, one email is
a probe: if it is sent, the transport is open again.
"""

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import Enum, StrEnum
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest

from games.models import MailTransport, OutboxMail, address_digest, database_clock

from .transport import fingerprint, without_addresses

logger = logging.getLogger(__name__)

FIRST_PAUSE, LAST_PAUSE = 15.0, 600.0  # seconds; doubled with each probe that fails
PROBE_SECONDS = 180.0  # after which the sender of a probe is taken for dead
SAME_REFUSAL = timedelta(hours=1)  # in which two domains must refuse in the same way
ALARM_PAUSES = 3  # failed probes after which a server that is away is an alarm too
MOST_REFUSALS = 20  # different ones that are remembered


class Lane(StrEnum):
    """Two queues: sign-in codes and answers do not wait for bulk email, nor for its server."""

    URGENT = "urgent"
    BULK = "bulk"


class Gate(Enum):
    """The permission of a sender."""

    OPEN = "send"
    PROBE = "send one email"
    CLOSED = "send nothing"


def gate(lane: Lane) -> Gate:
    """Whether this lane may send. PROBE is given to one sender at a time."""
    now = database_clock.now()
    closed = _closed(lane)
    retry_at = list(closed.values_list("retry_at", flat=True))
    if not retry_at:
        return Gate.OPEN
    if any(at > now for at in retry_at):
        return Gate.CLOSED
    with transaction.atomic():
        rows = list(closed.select_for_update().order_by("name"))
        if any(row.retry_at is None or row.retry_at > now for row in rows):
            return Gate.CLOSED  # another sender was faster
        _set_retry(rows, now + timedelta(seconds=PROBE_SECONDS))
    return Gate.PROBE if rows else Gate.OPEN


def release(lane: Lane) -> None:
    """Let the next sender probe at once: this probe found no email to send, or got no answer."""
    _set_retry(_closed(lane), database_clock.now())


def close(lane: Lane, words: str, *, refused: bool) -> None:
    """Close the lane, or all sending, after a failure that has nothing to do with the email."""
    name = MailTransport.ALL if refused else lane.value
    now = database_clock.now()
    words = without_addresses(words)
    with transaction.atomic():
        row = _locked(name)
        if row.closed_at is not None:
            return  # another sender met the same before us
        row.closed_at, row.pauses, row.words = now, 0, words
        row.retry_at = now + _pause(0)
        row.save(update_fields=["closed_at", "pauses", "words", "retry_at"])
    if refused:
        logger.error(_ALARM, words)
    else:
        logger.warning("The mail server cannot be used (%s): %s", lane.value, words)


_ALARM = (
    "No email is being sent, because the mail server refuses ours: %s. One email is tried from time"
    " to time; see the outgoing emails in the admin."
)


def probe_failed(lane: Lane, words: str) -> None:
    """Wait longer until the next probe, because this one failed, too."""
    now = database_clock.now()
    with transaction.atomic():
        for row in _closed(lane).select_for_update().order_by("name"):
            row.pauses = min(row.pauses + 1, 1000)
            row.retry_at, row.words = now + _pause(row.pauses), without_addresses(words)
            row.save(update_fields=["pauses", "retry_at", "words"])
            if row.pauses == ALARM_PAUSES and row.name != MailTransport.ALL:
                logger.error("The mail server cannot be used (%s): %s", row.name, row.words)


def reopen(lane: Lane) -> None:
    """Open the transport again: an email was sent, or refused for a reason of its own."""
    opened = _closed(lane).update(closed_at=None, retry_at=None, pauses=0, refusals={})
    if opened:
        logger.warning("The mail server takes our emails again.")


def try_now() -> int:
    """Let the next sender probe at once; how many closed transports there are."""
    closed = MailTransport.objects.filter(closed_at__isnull=False)
    return closed.update(retry_at=database_clock.now())


def record_refusal(row: OutboxMail, words: str) -> bool:
    """Remember this refusal, and return whether emails to another domain are refused in the same
    way, so that it is not about this email."""
    kind = fingerprint(words, row.to_address)
    domain = address_digest(row.to_address.rpartition("@")[2])[:16]
    now = database_clock.now()
    with transaction.atomic():
        state = _locked(MailTransport.ALL)
        if state.closed_at is not None and fingerprint(state.words, row.to_address) == kind:
            return True
        known = _recent(state.refusals, now)
        seen = known.pop(kind, {"domains": [], "rows": []})
        is_known = any(other != domain for other in seen["domains"])
        known[kind] = {
            "at": now.isoformat(),
            "domains": sorted({*seen["domains"][-8:], domain}),
            "rows": [*seen["rows"][-40:], row.pk],
        }
        if is_known:
            _refund(key for key in seen["rows"] if key != row.pk)
            del known[kind]
        state.refusals = dict(list(known.items())[-MOST_REFUSALS:])
        state.save(update_fields=["refusals"])
    return is_known


def _recent(refusals: dict[str, Any], now: datetime) -> dict[str, Any]:
    since = (now - SAME_REFUSAL).isoformat()
    return {kind: seen for kind, seen in refusals.items() if seen["at"] >= since}


def _refund(keys: Iterable[int]) -> None:
    """Take back the try of these emails, which were refused for a reason that is not theirs."""
    refused = OutboxMail.objects.filter(
        pk__in=list(keys), state__in=(OutboxMail.State.QUEUED, OutboxMail.State.PARKED)
    )
    refused.update(
        state=OutboxMail.State.QUEUED,
        attempts=Greatest(F("attempts") - 1, 0),
        next_try_at=database_clock.now(),
    )


def _closed(lane: Lane) -> Any:
    names = (MailTransport.ALL, lane.value)
    return MailTransport.objects.filter(name__in=names, closed_at__isnull=False)


def _set_retry(rows: Any, at: datetime) -> None:
    names = [row.name for row in rows]
    MailTransport.objects.filter(name__in=names, closed_at__isnull=False).update(retry_at=at)


def _locked(name: str) -> MailTransport:
    MailTransport.objects.bulk_create([MailTransport(name=name)], ignore_conflicts=True)
    return MailTransport.objects.select_for_update().get(pk=name)


def _pause(pauses: int) -> timedelta:
    return timedelta(seconds=min(FIRST_PAUSE * 2.0 ** min(pauses, 20), LAST_PAUSE))
