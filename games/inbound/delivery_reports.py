"""Stores what a provider reports about outgoing emails by webhook; a task processes it.

Only bounces, complaints and delays are stored. Nobody needs to know that an email was opened.
"""

import hashlib
from typing import Any

from anymail.signals import EventType, RejectReason

from games.mail import workers
from games.models import MailReport

Meaning = MailReport.Meaning

_TRANSIENT = {RejectReason.TIMED_OUT, RejectReason.BLOCKED, RejectReason.SPAM, RejectReason.OTHER}


def receive(sender: Any, event: Any, esp_name: str, **_more: Any) -> None:
    """Receiver of anymail's `tracking` signal. Raises only if the report could not be stored, so
    that the provider sends it again."""
    meaning = _meaning(event)
    if meaning is None or not event.recipient:
        return
    identity = (esp_name, event.event_id, event.event_type, event.message_id, event.recipient)
    when = "" if event.event_id else event.timestamp
    words = " ".join(str(event.mta_response or event.description or "").split())
    address = str(event.recipient).strip().lower()
    _row, is_new = MailReport.objects.get_or_create(
        key=hashlib.sha256(repr((identity, when)).encode()).hexdigest(),
        defaults={
            "provider": esp_name,
            "meaning": meaning,
            "address": address[:320],
            "message_id": str(event.message_id or "")[:255],
            "words": words.lower().replace(address, "…")[:300],
        },
    )
    if is_new:
        workers.wake("games.tasks.read_reports")


def _meaning(event: Any) -> str | None:
    """What the event says about the address; None if nothing."""
    reason = event.reject_reason
    match event.event_type:
        case EventType.COMPLAINED:
            return Meaning.COMPLAINT
        case EventType.DEFERRED | EventType.FAILED:
            return Meaning.SOFT
        case EventType.BOUNCED:
            is_soft = reason in _TRANSIENT or _is_called_soft(event.esp_event)
            return Meaning.SOFT if is_soft else Meaning.BOUNCE
        case EventType.REJECTED if reason in (RejectReason.BOUNCED, RejectReason.INVALID):
            return Meaning.BOUNCE  # on the provider's own list of addresses that do not work
        case EventType.REJECTED if reason in (RejectReason.SPAM, RejectReason.UNSUBSCRIBED):
            return Meaning.COMPLAINT
        case EventType.REJECTED:
            return Meaning.SOFT
    return None


def _is_called_soft(raw: Any) -> bool:
    """Whether the provider calls the bounce soft in a field that anymail does not translate."""
    if not isinstance(raw, dict):
        return False
    bounce = raw.get("bounce")
    if isinstance(bounce, dict) and "bounceType" in bounce:  # Amazon SES
        return bool(bounce["bounceType"] != "Permanent")
    return "soft" in str(raw.get("Type") or raw.get("event") or "").lower()  # Postmark, Brevo …
