"""Events as the log keeps them: canonical JSON, read again by schema version."""

from collections.abc import Callable
from typing import Any, Generic, Literal, TypeVar

import msgspec

E = TypeVar("E")


class Codec(Generic[E]):
    """Writes and reads the events of one game: a union of structs with tag_field="kind".

    events: that union. schema: the version written today. order: of the keys; a game must not
    change it, because the log keeps digests of the JSON. upcast: brings the JSON of an older schema
    up to date.
    """

    def __init__(
        self,
        events: Any,
        schema: int = 1,
        *,
        order: Literal["deterministic", "sorted"] = "sorted",
        upcast: Callable[[bytes | str, int], bytes | str] | None = None,
    ) -> None:
        self.events, self.schema = events, schema
        self._encoder = msgspec.json.Encoder(order=order)
        self._decoder: msgspec.json.Decoder[E] = msgspec.json.Decoder(events)
        self._upcast = upcast

    def encode(self, event: E) -> bytes:
        """Canonical JSON of the event, its tag under "kind"; what the log stores and digests."""
        return self._encoder.encode(event)

    def decode(self, payload: bytes | str, schema: int) -> E:
        """The event in a stored payload. ValueError for a schema that is not known here, and
        msgspec.ValidationError (a ValueError) for what is no event of this game."""
        if schema != self.schema:
            if self._upcast is None or schema > self.schema:
                raise ValueError(f"events of schema {schema} are unknown here ({self.schema})")
            payload = self._upcast(payload, schema)
        return self._decoder.decode(payload)
