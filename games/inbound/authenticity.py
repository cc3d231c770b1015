"""Whether an email comes from the address in its From field, as our own mail server found it.

Statements of the sender's side prove nothing. So Authentication-Results (RFC 8601) counts only if
the email came by a channel behind our server, the field bears that server's name, and it is the
topmost of that name: servers write their results above what was there before. At most one Received
field stands above it, which must be that server's own. The server must remove fields that bear its
name from what it receives (RFC 8601, section 5): without its own, a forged one is the topmost.

The authres package is not used: it rejects the whole field for one deviation from the grammar, such
as a semicolon at the end, which mail servers do write.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from games.models import InboundMail

from .mime import ParsedMail

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


def check(mail: ParsedMail, channel: str, authserv_id: str) -> SenderCheck:
    """PASS, FAIL or UNKNOWN for the one address in From."""
    if channel == Channel.LOCAL:
        return SenderCheck.PASS
    if channel not in AUTHENTICATED_CHANNELS or not authserv_id:
        return SenderCheck.UNKNOWN
    domain = mail.author.rpartition("@")[2]
    field = _trusted_field(mail.headers, authserv_id)
    if not domain or field is None:
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
    signer = identity.rpartition("@")[2]
    return signer == domain or ("." in signer and domain.endswith(f".{signer}"))


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
