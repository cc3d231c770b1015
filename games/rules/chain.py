"""The chain of digests over a game: each covers the one before it, so nothing can be changed alone.

    digest(0) = SHA-256(public id of the game)
    digest(n) = SHA-256(digest(n − 1) ‖ canonical(words of event n))

The words of an event are [seq, kind, seat, schema, payload, time, actor]. Private orders have a
chain of their own, which begins with SHA-256(public id ‖ ":orders"); the words of an order are
[number, seq of the last event before it, kind, seat, schema, payload, time, actor].

canonical: JSON with sorted keys, without spaces, in UTF-8. time: UTC to the microsecond, as
2027-01-02T03:04:05.000006Z. actor: stands for a person in this game only, "" for bots and clocks.

A digest covers hidden values, so nobody may see it before the end. What players get to see instead
is a check code: HMAC-SHA256(key = seed, message = "atlantis-by-mail:check:" ‖ digest), first ten
hexadecimal digits. Without the seed it says nothing; with the seed, which the first event commits
to, it shows that the events up to there are what they were.
"""

import hashlib
import hmac
from typing import Any

import msgspec

DIGITS = 10  # of a check code

_canonical = msgspec.json.Encoder(order="sorted")


def genesis(public_id: str) -> bytes:
    """The initial digest, before any event."""
    return hashlib.sha256(public_id.encode()).digest()


def orders_genesis(public_id: str) -> bytes:
    """The initial digest of private orders."""
    return hashlib.sha256(f"{public_id}:orders".encode()).digest()


def event_digest(
    before: bytes,
    seq: int,
    kind: str,
    seat: int | None,
    schema: int,
    payload: Any,
    at: str,
    actor: str,
) -> bytes:
    """The digest of an event, given the one before it. payload: parsed JSON."""
    words = [seq, kind, seat, schema, payload, at, actor]
    return hashlib.sha256(before + _canonical.encode(words)).digest()


def order_digest(
    before: bytes,
    number: int,
    after: int,
    kind: str,
    seat: int,
    schema: int,
    payload: Any,
    at: str,
    actor: str,
) -> bytes:
    """The digest of a private order, given the one before it."""
    words = [number, after, kind, seat, schema, payload, at, actor]
    return hashlib.sha256(before + _canonical.encode(words)).digest()


def check_code(seed: bytes, digest: bytes) -> str:
    """The part of a digest that players may see before the end."""
    return hmac.digest(seed, b"atlantis-by-mail:check:" + digest, "sha256").hex()[:DIGITS]
