"""Whether an email comes from the address in its From field, as our own mail server found it, or
by a signature of its domain where that server says nothing.

Statements of the sender's side prove nothing. So Authentication-Results (RFC 8601) counts only if
the email came by a channel behind our server, the field bears that server's name, and it is the
topmost of that name: servers write their results above what was there before. At most one Received
field stands above it, which must be that server's own. The server must remove fields that bear its
name from what it receives (RFC 8601, section 5): without its own, a forged one is the topmost.

The authres package is not used: it rejects the whole field for one deviation from the grammar, such
as a semicolon at the end, which mail servers do write.

Without a verified sender, each move needs a click. `games.operations.sender` tells the operator.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from django.conf import settings

from games.models import InboundMail, User
from games.services import QuotaExceeded, quotas

from . import limited_reader
from .mime import ParsedMail, is_aligned

Channel = InboundMail.Channel
SenderCheck = InboundMail.SenderCheck

AUTHENTICATED_CHANNELS = {Channel.RELAY, Channel.WEBHOOK, Channel.PIPE}
_RECEIVED_BY = re.compile(r"\bby\s+([^\s;()]{1,255})", re.IGNORECASE)
MOST_HOPS = 1  # Received fields that may stand above the results: that of the server itself


class MethodResult(NamedTuple):
    """The result of one method: ("dmarc", "pass", {"header.from": "example.org"})."""

    method: str
    result: str
    properties: dict[str, str]


def check(mail: ParsedMail, row: InboundMail, user: User) -> SenderCheck:
    """PASS, FAIL or UNKNOWN for the one address in From. mail: the head of the row, which came to
    an address of the user.

    Raises OSError if no signature can be checked now: then try again later.
    """
    found = check_results(mail, row.channel, settings.MAIL_AUTHSERV_ID)
    if found is not None:
        return found
    if not can_check_signature(mail, row):
        return SenderCheck.UNKNOWN
    try:
        quotas.spend(quotas.SIGNATURES, person=user)
    except QuotaExceeded:
        return SenderCheck.UNKNOWN
    return check_signature(mail, row)


def can_check_signature(mail: ParsedMail, row: InboundMail) -> bool:
    """Return whether there is a signature, and all that it covers."""
    return bool(mail.author and mail.first("dkim-signature")) and not row.is_truncated


def check_signature(mail: ParsedMail, row: InboundMail) -> SenderCheck:
    """PASS or UNKNOWN, by the signatures of the domain in From. Raises OSError as `check` does."""
    is_signed = limited_reader.signed_author(bytes(row.raw)) == mail.author
    return SenderCheck.PASS if is_signed else SenderCheck.UNKNOWN


def check_results(mail: ParsedMail, channel: str, authserv_id: str) -> SenderCheck | None:
    """The findings of our own mail server; None if it says nothing."""
    if channel == Channel.LOCAL:
        return SenderCheck.PASS
    if channel not in AUTHENTICATED_CHANNELS or not authserv_id:
        return None
    field = _trusted_field(mail.headers, authserv_id)
    if field is None:
        return None
    domain = mail.author.rpartition("@")[2]
    if not domain:
        return SenderCheck.UNKNOWN
    results = results_of(field)
    if any(found.method == "dmarc" and found.result in ("fail", "permerror") for found in results):
        return SenderCheck.FAIL
    if any(found.result == "pass" and _is_about(found, domain) for found in results):
        return SenderCheck.PASS
    return SenderCheck.UNKNOWN


def _trusted_field(headers: Sequence[tuple[str, str]], authserv_id: str) -> str | None:
    """Return the results in the field that our own server wrote; None without such a field."""
    hops = 0
    for name, value in headers:
        if name == "received":
            hops += 1
            by = _RECEIVED_BY.search(value)
            if hops > MOST_HOPS or by is None or by[1].lower() != authserv_id:
                return None  # what stands below another server's field may be the sender's
        if name != "authentication-results":
            continue
        server, _semicolon, results = (_unquoted(value) or "").partition(";")
        words = server.split()  # the name, and maybe a version
        if words and words[0].lower() == authserv_id:
            return results
    return None


def results_of(field: str) -> list[MethodResult]:
    """The results in `method=result reason=… ptype.property=value …; …`, as _unquoted leaves it."""
    found = []
    for part in field.lower().split(";"):
        head = re.match(r"\s*([a-z-]{2,20})(?:/\d+)?\s*=\s*([a-z]{2,12})\b", part)
        if head is None:
            continue
        pairs = re.findall(r"(?<!\S)([a-z]{2,10}\.[a-z.]{1,20})\s*=\s*([^\s;]{1,300})", part)
        found.append(MethodResult(head[1], head[2], dict(pairs)))
    return found


def _is_about(found: MethodResult, domain: str) -> bool:
    """Return whether the result is about the domain in the From that we read.

    DMARC checks From itself, but a server may have read another From. DKIM and SPF count if their
    domain is the same, or one above it that is more than a top level.
    """
    properties = found.properties
    match found.method:
        case "dmarc":
            return properties.get("header.from", domain) == domain
        case "dkim":
            identity = properties.get("header.d") or properties.get("header.i", "")
        case "spf":
            identity = properties.get("smtp.mailfrom", "")
        case _:
            return False
    return is_aligned(identity.rpartition("@")[2], domain)


def _unquoted(value: str) -> str | None:
    """Remove comments from a field, and replace special characters in quoted strings: the sender
    can influence both. None if a quoted string or comment does not end."""
    found: list[str] = []
    quoted, depth, escaped = False, 0, False
    for char in value:
        if escaped:
            escaped = False
            char = "_"
        elif char == "\\" and (quoted or depth):
            escaped = True
            continue
        elif char == '"' and not depth:
            quoted = not quoted
            continue
        elif char == "(" and not quoted:
            depth += 1
            found.append(" ")
        elif char == ")" and not quoted:
            depth -= 1
            continue
        if depth < 0:
            return None
        if not depth:
            found.append("_" if quoted and char in " ;=()" else char)
    return None if quoted or depth else "".join(found)
