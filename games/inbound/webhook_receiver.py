"""Stores what a provider sends by webhook: raw emails to us, and reports about our emails.

It does nothing else: a task processes the rows, and tries again what goes wrong. Of the reports,
only bounces, complaints and delays are stored. Nobody needs to know that an email was opened.
"""

import hashlib
import logging
from typing import Any

from anymail.signals import EventType, RejectReason

from games.mail import workers
from games.models import InboundMail, MailReport

from . import intake, mime

logger = logging.getLogger(__name__)

Meaning = MailReport.Meaning

_TRANSIENT = {RejectReason.TIMED_OUT, RejectReason.BLOCKED, RejectReason.SPAM, RejectReason.OTHER}


def receive_email(
    provider: str, raw: str | bytes, *, sender: object = None, recipient: object = None
) -> None:
    """Store a raw email. Raises only if that is impossible, so that the provider sends it again.

    raw: the email, or its beginning. sender, recipient: of the envelope; None if the provider does
    not name them. Of several recipients it may name one, so the headers are read as well.
    """
    start = raw[: intake.KEPT_BYTES + 1]  # one byte more says that there are more
    content = start.encode() if isinstance(start, str) else start
    stored = intake.store(
        content,
        channel=InboundMail.Channel.WEBHOOK,
        sender=None if sender is None else str(sender),
        recipients=intake.recipients_in([("to", recipient or ""), *mime.headers_of(content)]),
    )
    if not stored:
        logger.info("An email from %s was for none of our addresses.", provider)


def receive_report(sender: Any, event: Any, esp_name: str, **_more: Any) -> None:
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
    """The meaning of the event for the address; None if it has none."""
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
    """Return whether the provider calls the bounce soft in a field that anymail does not
    translate."""
    if not isinstance(raw, dict):
        return False
    bounce = raw.get("bounce")
    if isinstance(bounce, dict) and "bounceType" in bounce:  # Amazon SES
        return bool(bounce["bounceType"] != "Permanent")
    return "soft" in str(raw.get("Type") or raw.get("event") or "").lower()  # Postmark, Brevo …
