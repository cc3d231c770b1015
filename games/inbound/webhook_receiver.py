"""Stores what a provider sends by webhook, after anymail has parsed the request: emails to us, and
reports about our emails.

It does nothing else: a task processes the rows, and tries again what goes wrong. Of the reports,
only bounces, complaints and delays are stored. Nobody needs to know that an email was opened.
"""

import hashlib
import logging
from typing import Any

from anymail.signals import EventType, RejectReason

from games.mail import workers
from games.models import InboundMail, MailReport

from . import intake, mime, provider_emails

logger = logging.getLogger(__name__)

Meaning = MailReport.Meaning

_TRANSIENT = {RejectReason.TIMED_OUT, RejectReason.BLOCKED, RejectReason.SPAM, RejectReason.OTHER}


def receive_email(sender: Any, event: Any, esp_name: str, **_more: Any) -> None:
    """Receiver of anymail's `inbound` signal. Raises only if the email could not be stored, so
    that the provider sends it again."""
    message = event.message
    if message is None:
        return
    # Of several recipients a provider may name one or none.
    headers = [("to", message.envelope_recipient or ""), *message.raw_items()]
    stored = intake.store(
        provider_emails.raw_of(message),
        channel=InboundMail.Channel.WEBHOOK,
        sender=None if message.envelope_sender is None else str(message.envelope_sender),
        recipients=intake.recipients_in(headers),
    )
    if not stored:
        logger.info("An email from %s was for none of our addresses.", esp_name)


def receive_bytes(raw: bytes) -> bool:
    """Store an email that anymail took for UTF-8 and could not decode; whether it was an email to
    one of our addresses. Nobody knows its envelope."""
    try:
        recipients = intake.recipients_in(mime.read(raw).headers)
    except mime.Unreadable:
        return False
    channel = InboundMail.Channel.WEBHOOK
    return bool(intake.store(raw, channel=channel, sender=None, recipients=recipients))


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
