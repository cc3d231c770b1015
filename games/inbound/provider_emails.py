"""anymail's emails, within bounds: anybody may send an email to the address of a provider.

anymail parses an email, or builds it from the provider's JSON, with all its headers and parts, in a
worker of the web server. We read only the beginning of both, and of each text and attachment.
"""

import base64
from collections.abc import Callable, Iterable
from email import policy
from email.parser import BytesParser
from functools import partial
from typing import Any

import anymail.inbound

from . import intake, mime

_KEPT_HEADERS = {
    *("from", "to", "subject", "message-id", "date", "auto-submitted", "precedence"),
    *("authentication-results", "return-path", "list-id", "in-reply-to"),
}
ATTACHMENT_BYTES = 4 * 1024  # of each; a click on a reaction is an attachment, too
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
# Folding would parse each header, and since Python 3.13 so would a header that is not ASCII.
_WITHOUT_FOLDING = policy.SMTP.clone(refold_source="none", utf8=True)


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
