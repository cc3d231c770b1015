"""Stores emails that a provider hands over by webhook, after anymail has parsed the request.

Does nothing else: what goes wrong later is retried by the task, not by the provider.
"""

import logging
from typing import Any

from games.models import InboundMail

from . import intake, mime, provider_emails

logger = logging.getLogger(__name__)


def receive(sender: Any, event: Any, esp_name: str, **_more: Any) -> None:
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
