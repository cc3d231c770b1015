"""Parses a raw email as far as a reply needs it: headers, the sender, a plain text, an HTML.

Accepts whatever anybody may send and fails only on excessive nesting (`Unreadable`). Ignores
attachments, forwarded emails and everything after the first text of each type. Does not use the
modern policy of the standard library, which raises on headers that are merely odd.
"""

import codecs
import re
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.parser import BytesHeaderParser

import msgspec

LONGEST_HEADER = 2000  # characters of a header that are looked at
MOST_PARTS = 60
# The standard library looks for the end of every enclosing part at every line.
MOST_MULTIPARTS = 40
_CHARS = r"[^\s<>@,;:()\"\\\x00-\x1f\x7f]"
_ADDRESS = rf"{_CHARS}{{1,120}}@{_CHARS}{{1,200}}"

# Real charsets; Python knows many encodings that compute, or that hide letters in ASCII.
_CHARSETS = re.compile(
    r"(ascii|iso8859-\d+|cp\d+|utf-8|utf-16(-[lb]e)?|utf-32(-[lb]e)?|koi8-[rtu]|mac-\w+|gb\w+|big5"
    r"\w*|euc_\w+|shift_jis\w*|iso2022_\w+|hz|tis-620)"
)

_SEALED = {"application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted"}


class _Policy(policy.Compat32):
    """The old policy of the standard library, which takes headers as they come, but with short
    headers: the library searches the parameters of a long one in quadratic time."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:LONGEST_HEADER].rstrip("\r\n")


_POLICY = _Policy()


class _Reaction(msgspec.Struct):
    emoji: str


class Unreadable(Exception):
    """The email cannot be parsed."""


class ParsedMail(msgspec.Struct, frozen=True):
    """headers: (name in lower case, unfolded value, still encoded), from top to bottom.

    plain, html: the first text of each type, None if there is none. flowed, delsp: whether the
    plain text has soft line breaks (RFC 3676), and whether these swallow their space. reaction: the
    emoji of a reaction that a mail program sent for a click. is_encrypted: by PGP/MIME or
    S/MIME, or signed by S/MIME as one block, which is not read either.
    is_cut: only the beginning of the email is known, and no text ends within it. If the plain text
    does and the HTML does not, the HTML is as much as is known of it.
    """

    headers: tuple[tuple[str, str], ...]
    content_type: str
    plain: str | None
    html: str | None
    flowed: bool
    delsp: bool
    reaction: str = ""
    is_encrypted: bool = False
    is_cut: bool = False

    def all(self, name: str) -> list[str]:
        """The values of all headers of this name."""
        return [value for header, value in self.headers if header == name]

    def first(self, name: str) -> str:
        """The value of the first header of this name, or ""."""
        return next((value for header, value in self.headers if header == name), "")

    @property
    def subject(self) -> str:
        """The decoded Subject."""
        return _decoded(self.first("subject"))

    @property
    def message_id(self) -> str:
        """The Message-ID with its angle brackets, as far as it looks like one; else ""."""
        found = re.search(r"<[^\s<>]{1,240}>", self.first("message-id"))
        return found[0] if found and found[0].isascii() and found[0].isprintable() else ""

    @property
    def author(self) -> str:
        """The one address in the one From, in lower case; "" if it is not that simple."""
        fields = self.all("from")
        return one_address(fields[0]) if len(fields) == 1 else ""


def one_address(field: str) -> str:
    """The address of `Name <address>` or `address`; "" for several, groups, riddles and fields of
    more than LONGEST_HEADER characters.

    Removes quoted names and comments first, so that an address in a name is no address. A name that
    is not quoted may be the address itself, as some programs write it.
    """
    if len(field) > LONGEST_HEADER:
        return ""
    bare = re.sub(r'"(?:[^"\\]|\\.){0,200}+"', " ", field)
    before = None
    while before != bare:  # comments nest
        before, bare = bare, re.sub(r"\([^()]*\)", " ", bare)
    named = rf'[^<>@,;:()"]*<\s*({_ADDRESS})\s*>\s*'
    twice = rf"\s*'?({_ADDRESS})'?\s*<\s*\2\s*>\s*"
    found = re.fullmatch(rf"{named}|{twice}|\s*({_ADDRESS})\s*", bare, re.IGNORECASE)
    return next(filter(None, found.groups())).lower() if found else ""


def is_aligned(signer: str, domain: str) -> bool:
    """Whether a signature of one domain speaks for an author at the other: if they are the same, or
    it is one above it that is more than a top level."""
    return signer == domain or ("." in signer and domain.endswith(f".{signer}"))


def headers_of(raw: bytes) -> list[tuple[str, str]]:
    """The headers alone, as they came."""
    return [*BytesHeaderParser(policy=_POLICY).parsebytes(raw).raw_items()]


def read(raw: bytes, *, is_truncated: bool = False) -> ParsedMail:
    """The email in these bytes, or of which these are the beginning. Raises Unreadable."""
    if raw.lower().count(b"multipart/") > MOST_MULTIPARTS:
        raise Unreadable("too many nested parts")
    try:
        message = message_from_bytes(raw, policy=_POLICY)
        headers = tuple((name.lower(), _unfolded(value)) for name, value in message.raw_items())
        parts = list(_parts(message))
        texts = [part for part in parts if _is_text(part)]
        reaction = next((found for part in parts if (found := _reaction(part))), "")
    except (RecursionError, MessageError, ValueError, LookupError, TypeError) as error:
        raise Unreadable(f"{type(error).__name__}: {error}"[:300]) from error
    plain = next((part for part in texts if part.get_content_type() == "text/plain"), None)
    html = next((part for part in texts if part.get_content_type() == "text/html"), None)
    cut = _last_part(message) if is_truncated else None
    if plain is cut:
        plain = None
    plain_text, html_text = (None if part is None else _text_of(part) for part in (plain, html))
    whole = ((plain_text or ""), (html_text or "") if html is not cut else "")
    return ParsedMail(
        headers,
        message.get_content_type(),
        plain=plain_text,
        html=html_text,
        flowed=plain is not None and _param(plain, "format") == "flowed",
        delsp=plain is not None and _param(plain, "delsp") == "yes",
        reaction=reaction,
        is_encrypted=not texts and any(part.get_content_type() in _SEALED for part in parts),
        is_cut=is_truncated and not any(text.strip() for text in whole),
    )


def _last_part(message: Message) -> Message:
    """The part in which the email ends."""
    payload = message.get_payload()
    while isinstance(payload, list) and payload and isinstance(payload[-1], Message):
        message = payload[-1]
        payload = message.get_payload()
    return message


def _unfolded(value: object) -> str:
    data = str(value)[:LONGEST_HEADER].encode("utf-8", "surrogateescape")
    return " ".join(_decode(data).replace("\x00", " ").split())


def _parts(message: Message) -> Iterator[Message]:
    """The parts without parts of their own, in order, but not those of attached emails."""
    stack, count = [message], 0
    while stack and count < MOST_PARTS:
        part = stack.pop()
        payload = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(payload, list):
            stack += [inner for inner in reversed(payload) if isinstance(inner, Message)]
            continue
        count += 1
        yield part


def _is_text(part: Message) -> bool:
    """Return whether the part is a text and no attachment."""
    disposition = str(part.get("content-disposition", "")).strip().lower()
    is_attached = disposition.startswith("attachment") or "name" in disposition
    is_text = part.get_content_type() in ("text/plain", "text/html")
    return is_text and not is_attached and not isinstance(part.get_payload(), list)


def _reaction(part: Message) -> str:
    """The emoji of a part that stands for a click on a reaction, as Gmail sends it; else ""."""
    if part.get_content_type() != "text/vnd.google.email-reaction+json":
        return ""
    payload = part.get_payload(decode=True)
    try:
        found = msgspec.json.decode(payload if isinstance(payload, bytes) else b"", type=_Reaction)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return ""
    return found.emoji[:20]


def _param(part: Message, name: str) -> str:
    value = part.get_param(name, "")
    return value.strip().lower() if isinstance(value, str) else ""


def _text_of(part: Message) -> str:
    """The text of a part, with simple line ends, whatever it says about its charset."""
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    try:
        charset = part.get_content_charset() or ""
    except (LookupError, ValueError, TypeError):
        charset = ""
    return _decode(data, charset).replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")


def _decode(data: bytes, named: str = "") -> str:
    """UTF-8 if the bytes are that, whatever their charset is said to be; then the charset; else
    the Western Windows charset, in which every byte means something."""
    charset = _charset(named)
    if not (charset and data.isascii()) and not charset.startswith(("utf-16", "utf-32")):
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            pass
    return data.decode(charset if charset not in ("", "utf-8", "ascii") else "cp1252", "replace")


def _charset(named: str) -> str:
    """Return Python's name of a charset; "" if an email may not have it."""
    try:
        name = codecs.lookup(named.strip()).name if named.strip() else ""
    except (LookupError, ValueError):
        return ""
    return name if _CHARSETS.fullmatch(name) else ""


def _decoded(value: str) -> str:
    """A header with its encoded words (RFC 2047) decoded."""
    try:
        pieces = decode_header(value[:LONGEST_HEADER])
    except (MessageError, ValueError, LookupError):
        return value
    words = (
        _decode(word, charset or "") if isinstance(word, bytes) else word
        for word, charset in pieces
    )
    return " ".join("".join(words).split())
