"""Stores emails that a provider hands over by webhook, after anymail has parsed the request.

Does nothing else: what goes wrong later is retried by the task, not by the provider.
"""

import logging
from collections.abc import Callable, Iterable
from email import policy
from email.parser import BytesParser
from functools import partial
from typing import Any

import anymail.inbound

from games.models import InboundMail

from . import intake, mime

logger = logging.getLogger(__name__)

_ADDRESS_HEADERS = {"to", "cc", "delivered-to", "x-original-to", "x-envelope-to", "envelope-to"}
_KEPT_HEADERS = {
    *("from", "to", "subject", "message-id", "date", "auto-submitted", "precedence"),
    *("authentication-results", "return-path", "list-id", "in-reply-to"),
}
_UNWRITABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)


class _ShortHeaders(policy.EmailPolicy):
    """The policy with which anymail parses an email, or builds it from JSON, but it takes only as
    much of a header as we read, and parses only the headers that anymail looks at: what the
    standard library makes of a long one takes minutes, in a worker of the web server.
    """

    def header_max_count(self, name: str) -> None:
        """Any number: whoever writes two From fields is answered like by every other channel."""

    def header_store_parse(self, name: str, value: Any) -> tuple[str, Any]:
        return "".join(name.split()), " ".join(str(value).splitlines())[: mime.LONGEST_HEADER]

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[: mime.LONGEST_HEADER].rstrip("\r\n")  # a line end would end all headers


class _Message(anymail.inbound.AnymailInboundMessage):  # type: ignore[misc]  # anymail has no types
    """anymail's email, with that policy also where nothing is parsed, and of many parts the first.

    raw: the email as it came, where the provider gives it. Then only its headers are parsed: half a
    million empty parts would take minutes. For the same reason attachments are made only when the
    email is built.
    """

    raw: bytes | None = None

    def __init__(self, policy: policy.EmailPolicy | None = None) -> None:
        super().__init__(policy or anymail.inbound.default_policy)

    @classmethod
    def parse_raw_mime_bytes(cls, b: bytes) -> "_Message":
        parser = BytesParser(cls, policy=anymail.inbound.default_policy)
        message: _Message = parser.parsebytes(b, headersonly=True)
        message.raw = b
        return message

    @classmethod
    def parse_raw_mime_chunks(cls, chunks: Iterable[bytes]) -> "_Message":
        return cls.parse_raw_mime_bytes(b"".join(chunks))

    @classmethod
    def construct_attachment(cls, *args: Any, **options: Any) -> Callable[[], "_Message"]:
        return partial(super().construct_attachment, *args, **options)

    @classmethod
    def construct(
        cls, *, attachments: list[Callable[[], "_Message"]] | None = None, **more: Any
    ) -> Any:
        made = [make() for make in (attachments or [])[: mime.MOST_PARTS]]
        return super().construct(attachments=made, **more)


anymail.inbound.default_policy = _ShortHeaders()
anymail.inbound.AnymailInboundMessage = _Message  # before anymail's views import it
# Folding would parse each header, and since Python 3.13 so would a header that is not ASCII.
_WITHOUT_FOLDING = policy.SMTP.clone(refold_source="none", utf8=True)


def receive(sender: Any, event: Any, esp_name: str, **_more: Any) -> None:
    """Receiver of anymail's `inbound` signal. Raises only if the email could not be stored, so
    that the provider sends it again."""
    message = event.message
    if message is None:
        return
    # Of several recipients a provider may name one or none.
    headers = [("to", message.envelope_recipient or ""), *message.raw_items()]
    stored = intake.store(
        _raw(message),
        channel=InboundMail.Channel.WEBHOOK,
        sender=message.envelope_sender,
        recipients=recipients_in(headers),
    )
    if not stored:
        logger.info("An email from %s was for none of our addresses.", esp_name)


def recipients_in(headers: Iterable[tuple[str, object]]) -> list[str]:
    """Everything in these headers that looks like an address; signatures decide which are ours."""
    texts = (str(value) for name, value in headers if name.lower() in _ADDRESS_HEADERS)
    words = [word for text in texts for word in text.replace(",", " ").replace("<", " ").split()]
    return [word.strip("<>\"'()[];") for word in words if "@" in word]


def _raw(message: _Message) -> bytes:
    """The email as it came, or as close to that as Python can write it."""
    if message.raw is not None:
        return message.raw
    for wanted in (_WITHOUT_FOLDING, policy.compat32):
        try:
            return bytes(message.as_bytes(policy=wanted))
        except _UNWRITABLE:
            continue
    return _simplified(message)


def _simplified(message: Any) -> bytes:
    """The headers that matter and the text, of an email that cannot be written as it is."""
    lines = [
        f"{name}: {' '.join(str(value).split())}"
        for name, value in message.raw_items()
        if name.lower() in _KEPT_HEADERS
    ]
    try:
        text = message.text or ""
    except _UNWRITABLE:
        text = ""
    lines += ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit"]
    return ("\r\n".join(lines) + "\r\n\r\n" + text).encode("utf-8", "replace")
