"""What a mail provider tells of mails that went out: kept here first, worked off by a task.

Only bounces, complaints and delays are kept; that a mail was opened is nobody's business.
"""

from __future__ import annotations

import hashlib
import logging
from typing import Any

from anymail.signals import EventType, RejectReason

from games.mail import queue
from games.models import MailReport

logger = logging.getLogger(__name__)

Meaning = MailReport.Meaning

_PASSING = {RejectReason.TIMED_OUT, RejectReason.BLOCKED, RejectReason.SPAM, RejectReason.OTHER}


def receive(sender: Any, event: Any, esp_name: str, **_more: Any) -> None:
    """anymail's signal for something that happened to a mail. Raises only where it could not be
    kept, so that the provider tells it again."""
    meaning = meaning_of(event)
    if meaning is None or not event.recipient:
        return
    said = (esp_name, event.event_id, event.event_type, event.message_id, event.recipient)
    when = "" if event.event_id else event.timestamp
    words = " ".join(str(event.mta_response or event.description or "").split())
    address = str(event.recipient).strip().lower()
    _row, new = MailReport.objects.get_or_create(
        key=hashlib.sha256(repr((said, when)).encode()).hexdigest(),
        defaults={
            "provider": esp_name,
            "meaning": meaning,
            "address": address[:320],
            "message_id": str(event.message_id or "")[:255],
            "words": words.lower().replace(address, "…")[:300],
        },
    )
    if new:
        queue.nudge("games.tasks.read_reports")


def meaning_of(event: Any) -> str | None:
    """What the event means for the address; None where it means nothing."""
    reason = event.reject_reason
    match event.event_type:
        case EventType.COMPLAINED:
            return Meaning.COMPLAINT
        case EventType.DEFERRED | EventType.FAILED:
            return Meaning.SOFT
        case EventType.BOUNCED:
            passing = reason in _PASSING or _called_soft(event.esp_event)
            return Meaning.SOFT if passing else Meaning.BOUNCE
        case EventType.REJECTED if reason in (RejectReason.BOUNCED, RejectReason.INVALID):
            return Meaning.BOUNCE  # on the provider's own list of addresses that do not work
        case EventType.REJECTED if reason in (RejectReason.SPAM, RejectReason.UNSUBSCRIBED):
            return Meaning.COMPLAINT
        case EventType.REJECTED:
            return Meaning.SOFT
    return None


def _called_soft(raw: Any) -> bool:
    """Whether the provider calls it passing in words of its own that anymail does not translate."""
    if not isinstance(raw, dict):
        return False
    bounce = raw.get("bounce")
    if isinstance(bounce, dict) and "bounceType" in bounce:  # Amazon SES
        return bool(bounce["bounceType"] != "Permanent")
    return "soft" in str(raw.get("Type") or raw.get("event") or "").lower()  # Postmark, Brevo …
