"""Stores what a provider sends by webhook, after anymail has parsed the request: emails to us, and
reports about our emails.

It does nothing else: a task processes the rows, and tries again what goes wrong. Of the reports,
only bounces, complaints and delays are stored. Nobody needs to know that an email was opened.

anymail parses an email, or builds it from the provider's JSON, with all its headers and parts, in a
worker of the web server, and anybody may send one to the address of a provider. So ProviderEmail
takes the place of anymail's class: it reads only the beginning of both, and of each text and
attachment.
"""

import base64
import hashlib
import logging
from collections.abc import Callable, Iterable
from email import policy
from email.parser import BytesParser
from functools import partial
from typing import Any

import anymail.inbound
from anymail.signals import EventType, RejectReason

from games.mail import workers
from games.models import InboundMail, MailReport

from . import intake, mime

logger = logging.getLogger(__name__)

Meaning = MailReport.Meaning

_TRANSIENT = {RejectReason.TIMED_OUT, RejectReason.BLOCKED, RejectReason.SPAM, RejectReason.OTHER}
_KEPT_HEADERS = {
    "from",
    "to",
    "subject",
    "message-id",
    "date",
    "auto-submitted",
    "precedence",
    "authentication-results",
    "return-path",
    "list-id",
    "in-reply-to",
}
ATTACHMENT_BYTES = 4 * 1024  # of each; a click on a reaction is an attachment, too
# Folding would parse each header, and since Python 3.13 so would a header that is not ASCII.
_WITHOUT_FOLDING = policy.SMTP.clone(refold_source="none", utf8=True)
_UNWRITABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)


class _ShortHeaders(policy.EmailPolicy):
    """The policy by which anymail parses an email or builds it from JSON.

    It takes only as much of a header as we read, and parses only the headers that anymail looks at:
    the standard library parses a long header for minutes, in a worker of the web server.
    """

    def header_max_count(self, name: str) -> None:
        """Allow any number of fields: an email with two From fields is kept and answered like one
        that comes by any other channel, and not refused."""

    def header_store_parse(self, name: str, value: Any) -> tuple[str, Any]:
        return "".join(name.split()), " ".join(str(value).splitlines())[: mime.LONGEST_HEADER]

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[: mime.LONGEST_HEADER].rstrip("\r\n")  # a line end would end all headers


class ProviderEmail(anymail.inbound.AnymailInboundMessage):  # type: ignore[misc]  # anymail has no types
    """anymail's email, with that policy also where nothing is parsed, and of many parts the first.

    raw: the email as it came, where the provider gives it, or a little more than is stored of it.
    Then only its headers are parsed: half a million empty parts would take minutes. For the same
    reason attachments are made only when the email is built.
    """

    raw: bytes | None = None

    def __init__(self, policy: policy.EmailPolicy | None = None) -> None:
        super().__init__(policy or anymail.inbound.default_policy)

    @classmethod
    def parse_raw_mime(cls, s: str) -> "ProviderEmail":
        return cls.parse_raw_mime_bytes(s[: intake.KEPT_BYTES + 1].encode())

    @classmethod
    def parse_raw_mime_bytes(cls, b: bytes) -> "ProviderEmail":
        raw = b[: intake.KEPT_BYTES + 1]  # one byte more says that there are more
        parser = BytesParser(cls, policy=anymail.inbound.default_policy)
        message: ProviderEmail = parser.parsebytes(raw, headersonly=True)
        message.raw = raw
        return message

    @classmethod
    def parse_raw_mime_chunks(cls, chunks: Iterable[bytes]) -> "ProviderEmail":
        raw = bytearray()
        for chunk in chunks:
            raw += chunk
            if len(raw) > intake.KEPT_BYTES:
                break
        return cls.parse_raw_mime_bytes(bytes(raw))

    @classmethod
    def construct_attachment(
        cls, content_type: Any, content: Any, *args: Any, **options: Any
    ) -> Callable[[], "ProviderEmail"]:
        if options.pop("base64", False):
            text = "".join(content[: 2 * ATTACHMENT_BYTES].split())
            content = base64.b64decode(text[: len(text) // 4 * 4])
        short = content[:ATTACHMENT_BYTES]
        if isinstance(short, bytes) and str(content_type).lower().startswith("message/"):
            short = short.decode("utf-8", "replace")
        return partial(super().construct_attachment, content_type, short, *args, **options)

    @classmethod
    def construct(
        cls,
        *,
        text: Any = None,
        html: Any = None,
        attachments: list[Callable[[], "ProviderEmail"]] | None = None,
        **more: Any,
    ) -> Any:
        made = [make() for make in (attachments or [])[: mime.MOST_PARTS]]
        shortened = {"text": _beginning(text), "html": _beginning(html)}
        return super().construct(attachments=made, **shortened, **more)


def _beginning(text: Any) -> Any:
    """Return the part of a text that is stored. It is stored at the end, so that it is known to be
    cut."""
    return text[: intake.KEPT_BYTES] if isinstance(text, str) else text


anymail.inbound.default_policy = _ShortHeaders()
anymail.inbound.AnymailInboundMessage = ProviderEmail  # before anymail's views import it


def raw_of(message: ProviderEmail) -> bytes:
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


def receive_email(sender: Any, event: Any, esp_name: str, **_more: Any) -> None:
    """Receiver of anymail's `inbound` signal. Raises only if the email could not be stored, so
    that the provider sends it again."""
    message = event.message
    if message is None:
        return
    # Of several recipients a provider may name one or none.
    headers = [("to", message.envelope_recipient or ""), *message.raw_items()]
    stored = intake.store(
        raw_of(message),
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
