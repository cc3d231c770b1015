"""Mails that a provider hands over by webhook: anymail takes its request apart, here it is kept.

Does nothing but keep: whatever goes wrong after that is the task's to repeat, not the provider's.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from email import policy
from email.message import EmailMessage
from typing import Any

from games.models import InboundMail

from . import intake
from .mime import Mail

logger = logging.getLogger(__name__)

_ADDRESS_HEADERS = ("To", "Cc", "Delivered-To", "X-Original-To", "X-Envelope-To", "Envelope-To")
_KEPT_HEADERS = (
    *("From", "To", "Subject", "Message-ID", "Date", "Auto-Submitted", "Precedence"),
    *("Authentication-Results", "Return-Path", "List-Id", "In-Reply-To"),
)


def receive(sender: Any, event: Any, esp_name: str, **_more: Any) -> None:
    """anymail's signal for a mail that came in. Raises only where the mail could not be kept, so
    that the provider brings it again."""
    message = event.message
    if message is None:
        return
    kept = intake.keep(
        raw_of(message),
        door=InboundMail.Door.WEBHOOK,
        sender=message.envelope_sender,
        recipients=recipients_of(message),
    )
    if not kept:
        logger.info("A mail from %s was for none of our addresses.", esp_name)


def recipients_of(message: Any) -> list[str]:
    """The addresses that may be ours: the envelope's, of which a provider may name but one of
    several or none, and those in the headers."""
    named = [str(value) for name in _ADDRESS_HEADERS for value in message.get_all(name, [])]
    return _addresses([str(message.envelope_recipient or ""), *named])


def recipients_in(mail: Mail) -> list[str]:
    """The same for a mail of which nothing but its headers is known."""
    return _addresses([value for name in _ADDRESS_HEADERS for value in mail.all(name.lower())])


def _addresses(texts: Iterable[str]) -> list[str]:
    """Everything that looks like an address; which of them are ours their signatures tell."""
    words = [word for text in texts for word in text.replace(",", " ").replace("<", " ").split()]
    return [word.strip("<>\"'()[];") for word in words if "@" in word]


def raw_of(message: EmailMessage) -> bytes:
    """The mail as bytes, as near to what came as Python can still tell."""
    for wanted in (policy.SMTP, policy.compat32):
        try:
            return message.as_bytes(policy=wanted)
        except (ValueError, LookupError, TypeError, AttributeError):
            continue
    return _plainly(message)


def _plainly(message: Any) -> bytes:
    """The headers that matter and the text, of a mail that cannot be written down as it is."""
    lines = [
        f"{name}: {' '.join(str(value).split())}"
        for name, value in message.items()
        if name.title() in {known.title() for known in _KEPT_HEADERS}
    ]
    try:
        text = message.text or ""
    except (ValueError, LookupError, TypeError, AttributeError):
        text = ""
    head = [*lines, "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit"]
    return ("\r\n".join(head) + "\r\n\r\n" + text).encode("utf-8", "replace")
