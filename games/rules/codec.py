"""Events as the log keeps them: canonical JSON, read again where their schema is known."""

from typing import Any, Generic, TypeVar

import msgspec

E = TypeVar("E")


class Codec(Generic[E]):
    """Writes and reads the events of one game: a union of structs with tag_field="kind".

    events: that union. schema: the version of their format.
    """

    def __init__(self, events: Any, schema: int = 1) -> None:
        self.events, self.schema = events, schema
        self._encoder = msgspec.json.Encoder(order="sorted")
        self._decoder: msgspec.json.Decoder[E] = msgspec.json.Decoder(events)

    def encode(self, event: E) -> bytes:
        """Canonical JSON of the event, its tag under "kind"; what the log stores and digests."""
        return self._encoder.encode(event)

    def decode(self, payload: bytes | str, schema: int) -> E:
        """The event in a stored payload. ValueError for a schema that is not known here, and
        msgspec.ValidationError (a ValueError) for what is no event of this game."""
        if schema != self.schema:
            raise ValueError(f"events of schema {schema} are unknown here ({self.schema})")
        return self._decoder.decode(payload)
