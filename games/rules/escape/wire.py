"""Events as the log keeps them: canonical JSON, read again by schema version."""

from __future__ import annotations

import msgspec

from .model import Event

SCHEMA = 1

_encoder = msgspec.json.Encoder(order="deterministic")
_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


def encode(event: Event) -> bytes:
    """Canonical JSON: keys sorted, no spaces, the tag under "kind", defaults left out."""
    return _encoder.encode(event)


def decode(payload: bytes | str, schema: int) -> Event:
    """The event in a payload; ValueError for a schema from the future, msgspec.ValidationError
    (a ValueError) for what is no event of ours.

    When the events change, older payloads are brought up here, at JSON level, before decoding.
    """
    if schema != SCHEMA:
        raise ValueError(f"escape events of schema {schema} are unknown here (newest: {SCHEMA})")
    return _decoder.decode(payload)
