"""A raw mail taken apart as far as a reply needs it: headers, one sender, a plain text, an HTML.

Takes anything that anybody may send and fails on nothing but bottomless nesting (`Unreadable`).
Attachments, forwarded mails inside of it and everything after its first text are left alone. The
modern policy of the standard library is not used: it raises on headers that are merely odd.
"""

from __future__ import annotations

import codecs
import re
from email import message_from_bytes, policy
from email.errors import MessageError
from email.header import decode_header
from email.message import Message

import msgspec

LONGEST_HEADER = 2000  # characters of a header that are looked at
MOST_PARTS = 60
# The standard library looks for the end of every enclosing part at every line.
MOST_MULTIPARTS = 40
_SIGNS = r"[^\s<>@,;:()\"\\\x00-\x1f\x7f]"
ADDRESS = rf"{_SIGNS}{{1,120}}@{_SIGNS}{{1,200}}"

# Charsets that are only that; Python knows many encodings that compute.
_CHARSETS = re.compile(
    r"(ascii|iso8859-\d+|cp\d+|utf-8|utf-16(-[lb]e)?|utf-32(-[lb]e)?|koi8-[rtu]|mac-\w+|gb\w+|big5"
    r"\w*|euc_\w+|shift_jis\w*|iso2022_\w+|hz|tis-620)"
)


class Unreadable(Exception):
    """The mail cannot be taken apart."""


class ParsedMail(msgspec.Struct, frozen=True):
    """headers: (name in lower case, value as it stands there, unfolded) in order, the top first.

    plain, html: the first text of each kind, None where there is none. flowed: RFC 3676. delsp:
    and its soft line ends swallow their space. attachments: parts that were left alone.
    """

    headers: tuple[tuple[str, str], ...]
    content_type: str
    plain: str | None
    html: str | None
    flowed: bool
    delsp: bool
    attachments: int

    def all(self, name: str) -> list[str]:
        """The values of all headers of this name."""
        return [value for header, value in self.headers if header == name]

    def first(self, name: str) -> str:
        """The value of the first header of this name, "" without one."""
        return next((value for header, value in self.headers if header == name), "")

    @property
    def subject(self) -> str:
        """In letters, not encoded."""
        return decoded(self.first("subject"))

    @property
    def message_id(self) -> str:
        """With its angle brackets, as far as it looks like one; else ""."""
        found = re.search(r"<[^\s<>]{1,240}>", self.first("message-id"))
        return found[0] if found and found[0].isascii() and found[0].isprintable() else ""

    @property
    def author(self) -> str:
        """The one address in the one From, in lower case; "" where it is not that simple."""
        fields = self.all("from")
        return one_address(fields[0]) if len(fields) == 1 else ""


def one_address(field: str) -> str:
    """The address of `Name <address>` or `address`; "" for several, groups and riddles.

    Quoted names and comments are taken out first, so that an address in a name is no address.
    """
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', " ", field)
    before = None
    while before != bare:  # comments nest
        before, bare = bare, re.sub(r"\([^()]*\)", " ", bare)
    if found := re.fullmatch(rf"[^<>@,;:()\"]*<\s*({ADDRESS})\s*>\s*", bare):
        return found[1].lower()
    found = re.fullmatch(rf"\s*({ADDRESS})\s*", bare)
    return found[1].lower() if found else ""


def read(raw: bytes) -> ParsedMail:
    """The mail in these bytes; Unreadable where Python itself would lose its way in them."""
    if raw.lower().count(b"multipart/") > MOST_MULTIPARTS:
        raise Unreadable("parts within parts within parts")
    try:
        message = message_from_bytes(raw, policy=policy.compat32)
        headers = tuple(_headers(message))
        parts = _parts(message)
    except (RecursionError, MessageError, ValueError, LookupError, TypeError) as error:
        raise Unreadable(f"{type(error).__name__}: {error}"[:300]) from error
    plain, html, flowed, delsp, attachments = None, None, False, False, 0
    for part, is_text in parts:
        if not is_text:
            attachments += 1
        elif part.get_content_type() == "text/html":
            html = text_of(part) if html is None else html
        elif plain is None:
            plain = text_of(part)
            flowed = _param(part, "format") == "flowed"
            delsp = _param(part, "delsp") == "yes"
    return ParsedMail(headers, message.get_content_type(), plain, html, flowed, delsp, attachments)


def _headers(message: Message) -> list[tuple[str, str]]:
    found = []
    for name, value in message._headers:  # type: ignore[attr-defined]  # as they stand there
        words = str(value)[:LONGEST_HEADER].encode("utf-8", "surrogateescape")
        line = " ".join(_text(words).replace("\x00", " ").split())
        found.append((str(name).lower(), line))
    return found


def _parts(message: Message) -> list[tuple[Message, bool]]:
    """(part, whether it is a text to read) in order; what lies inside other mails is not looked at."""
    found: list[tuple[Message, bool]] = []
    stack = [message]
    while stack and len(found) < MOST_PARTS:
        part = stack.pop()
        payload = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(payload, list):
            stack += [inner for inner in reversed(payload) if isinstance(inner, Message)]
            continue
        is_text = part.get_content_type() in ("text/plain", "text/html")
        own = str(part.get("content-disposition", "")).strip().lower()
        is_text = is_text and not own.startswith("attachment") and "name" not in own
        found.append((part, is_text and not isinstance(payload, list)))
    return found


def _param(part: Message, name: str) -> str:
    value = part.get_param(name, "")
    return value.strip().lower() if isinstance(value, str) else ""


def text_of(part: Message) -> str:
    """The text of a part, whatever it says of its charset, with simple line ends."""
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    try:
        named = part.get_content_charset() or ""
    except (LookupError, ValueError, TypeError):
        named = ""
    return _text(data, named).replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")


def _text(data: bytes, named: str = "") -> str:
    """Bytes as text: UTF-8 where it is that, whatever they say; then what they say; else the
    Western Windows charset, in which everything means something."""
    charset = _charset(named)
    if not (charset and data.isascii()) and not charset.startswith(("utf-16", "utf-32")):
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            pass
    if charset not in ("", "utf-8", "ascii"):
        return data.decode(charset, "replace")
    return data.decode("cp1252", "replace")


def _charset(named: str) -> str:
    """Python's name of a charset, "" where it is none that a mail may have."""
    try:
        name = codecs.lookup(named.strip()).name if named.strip() else ""
    except (LookupError, ValueError):
        return ""
    # Ready-made nonsense that hides letters in ASCII is nothing a mail program writes.
    return name if _CHARSETS.fullmatch(name) else ""


def decoded(value: str) -> str:
    """A header's words with their encoded parts (RFC 2047) in letters."""
    try:
        pieces = decode_header(value[:LONGEST_HEADER])
    except (MessageError, ValueError, LookupError):
        return value
    words = [
        _text(piece, charset or "") if isinstance(piece, bytes) else piece
        for piece, charset in pieces
    ]
    return " ".join("".join(words).split())
