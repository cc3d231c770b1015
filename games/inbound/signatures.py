"""The author of an email by its DKIM signatures (RFC 6376), where no server of ours names one.

A signature counts if it covers From, To, Subject and the whole body, is made by the domain of the
author or one above it, with rsa-sha256 and a key that is no test, and is not expired. Whatever is
odd, nobody is named, and the author is asked. No Django: a reader checks them, within its limits.
"""

import logging
import re

import dkim
from dkim.util import InvalidTagValueList, parse_tag_value

from games.mail.dns_lookup import DnsUnavailable, Lookup

from . import mime

MOST_SIGNATURES = 3  # of the author's domain, whose keys are looked up
MOST_FIELDS = 20  # that are looked at
DNS_SECONDS = 1.5  # for each key

_COVERED = (b"from", b"to", b"subject")  # or a signed email to others would count as a reply
_ODD = re.compile(rb"\r(?!\n)|\0")  # our parser and that of dkimpy may see other lines
_silent = logging.getLogger("dkim")
_silent.addHandler(logging.NullHandler())
_silent.propagate = False


def signed_author(raw: bytes, lookup: Lookup) -> str:
    """The address in From, in lower case, if a signature shows that its domain sent this email;
    "" otherwise. raw: the whole email."""
    try:
        message = dkim.DKIM(raw, logger=_silent)
        authors = _values(message, b"from")
        if len(authors) != 1 or any(_ODD.search(value) for _name, value in message.headers):
            return ""
        author = mime.one_address(" ".join(authors[0].decode().split()))
        domain = author.rpartition("@")[2]
        aligned = [
            number
            for number, field in enumerate(_values(message, b"dkim-signature")[:MOST_FIELDS])
            if domain and _counts(field, domain)
        ]
        for number in aligned[:MOST_SIGNATURES]:
            if _verified(message, number, lookup):
                return author
    except (dkim.DKIMException, DnsUnavailable, ValueError, LookupError):
        pass  # nobody can say who wrote it
    return ""


def _values(message: dkim.DKIM, name: bytes) -> list[bytes]:
    return [value for field, value in message.headers if field.lower() == name]


def _counts(field: bytes, domain: str) -> bool:
    """Whether a valid signature with these tags would show the author."""
    try:
        tags = parse_tag_value(field)
        signer = tags[b"d"].decode("ascii").strip().lower()
        covered = {name.strip() for name in tags[b"h"].lower().split(b":")}
    except (InvalidTagValueList, ValueError, KeyError):
        return False
    is_whole = b"l" not in tags and covered.issuperset(_COVERED)
    return is_whole and tags.get(b"a") == b"rsa-sha256" and mime.is_aligned(signer, domain)


def _verified(message: dkim.DKIM, number: int, lookup: Lookup) -> bool:
    """Whether this signature is valid now."""

    def key(name: bytes, timeout: float) -> bytes | None:
        records = lookup(name.decode("ascii").rstrip("."), "TXT")
        if len(records) != 1:
            return None
        record = records[0].encode()
        is_test = b"y" in parse_tag_value(record).get(b"t", b"").split(b":")
        return None if is_test else record

    try:
        return bool(message.verify(number, dnsfunc=key))
    except (dkim.DKIMException, InvalidTagValueList, ValueError, LookupError, TypeError):
        return False  # another one may be valid
