"""Is a mail from whom it says? By the word of our own mail server, and by nobody else's.

What the sender's side writes about itself is no evidence, so Authentication-Results (RFC 8601)
counts only where it comes in by a door behind which our server stands, bears that server's name,
and is the topmost of that name: servers write their results above what was there before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from games.models import InboundMail

from .mime import Mail

Door = InboundMail.Door
Sender = InboundMail.Sender

VOUCHED_DOORS = {Door.RELAY, Door.WEBHOOK, Door.PIPE}
HOPS = 1  # Received fields that may stand above the results: that of the very server


class Found(NamedTuple):
    """One method's result: ("dmarc", "pass", {"header.from": "example.org"})."""

    method: str
    result: str
    properties: dict[str, str]


def authentic(mail: Mail, door: str, authserv_id: str) -> InboundMail.Sender:
    """PASS, FAIL or UNKNOWN for the one address in From."""
    if door == Door.LOCAL:
        return Sender.PASS
    if door not in VOUCHED_DOORS or not authserv_id:
        return Sender.UNKNOWN
    domain = mail.author.rpartition("@")[2]
    field = _trusted_field(mail.headers, authserv_id)
    if not domain or field is None:
        return Sender.UNKNOWN
    results = results_of(field)
    dmarc = [found for found in results if found.method == "dmarc"]
    if any(found.result in ("fail", "permerror") for found in dmarc):
        return Sender.FAIL
    if any(found.result == "pass" and _is_for(found, domain) for found in dmarc):
        return Sender.PASS
    if any(_vouches(found, domain) for found in results):
        return Sender.PASS
    return Sender.UNKNOWN


def _trusted_field(headers: Sequence[tuple[str, str]], authserv_id: str) -> str | None:
    """The results that our server wrote: what stands after its name; None without any."""
    above = 0
    for name, value in headers:
        if name == "received":
            above += 1
            if above > HOPS:
                return None
        if name != "authentication-results":
            continue
        server, _semicolon, results = (_plainly(value) or "").partition(";")
        words = server.split()  # the name, and maybe a version
        if words and words[0].lower() == authserv_id:
            return results
    return None


def results_of(field: str) -> list[Found]:
    """The single results in `method=result reason=… ptype.property=value …; …`, as _plainly
    leaves it."""
    found = []
    for part in field.split(";"):
        head = re.match(r"\s*([a-z-]{2,20})(?:/\d+)?\s*=\s*([a-z]{2,12})\b", part, re.IGNORECASE)
        if head is None:
            continue
        pairs = re.findall(r"(?<!\S)([a-z]{2,10}\.[a-z.]{1,20})\s*=\s*([^\s;]{1,300})", part)
        properties = {key: value.lower() for key, value in pairs}
        found.append(Found(head[1].lower(), head[2].lower(), properties))
    return found


def _is_for(found: Found, domain: str) -> bool:
    """Whether a DMARC result speaks of the From that we read: ours is the only one, but a server
    may have read another."""
    return found.properties.get("header.from", domain) == domain


def _vouches(found: Found, domain: str) -> bool:
    """DKIM or SPF that stands for the From's own domain, where there is no word of DMARC."""
    if found.result != "pass":
        return False
    if found.method == "dkim":
        signer = found.properties.get("header.d") or found.properties.get("header.i", "")
        return _aligned(signer.rpartition("@")[2], domain)
    if found.method == "spf":
        return _aligned(found.properties.get("smtp.mailfrom", "").rpartition("@")[2], domain)
    return False


def _aligned(signer: str, domain: str) -> bool:
    """The same domain, or one above it that is more than a top level."""
    return signer == domain or ("." in signer and domain.endswith(f".{signer}"))


def _plainly(value: str) -> str | None:
    """The field without its comments, what stands in quotes without signs that mean something;
    None where quotes or comments do not end. Senders have a hand in what stands in both."""
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
