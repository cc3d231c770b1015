"""One event of a log, or one private order, decoded; and how a whole log is decoded at once."""

import sys
from datetime import datetime
from functools import cache
from typing import Any, Generic

import msgspec

from games.log import table_events
from games.rules import GAMES
from games.rules.contract import Codec, Event

if sys.version_info >= (3, 13):
    from typing import TypeVar
else:
    from typing_extensions import TypeVar

E = TypeVar("E", default=Event | table_events.Event)


class Entry(msgspec.Struct, Generic[E], frozen=True, array_like=True):
    """One event of a log, decoded, or one private order.

    by: the id of the user who caused it, if a user did. order: 0, or the number of a private order,
    which has no number in the log: its seq is that of the last event before it. digest: b"" where
    it has not been written yet. reason: what a moderator wrote about it, beside the log. schema: as
    it was stored, 0 where it was not read from the database.
    """

    seq: int
    kind: str
    seat: int | None
    by: int | None
    at: datetime
    event: E
    order: int = 0
    digest: bytes = b""
    reason: str = ""
    schema: int = 0

    @property
    def is_table(self) -> bool:
        """Whether it is an event of the table (`table_events`), not of its game."""
        return self.kind.startswith(table_events.PREFIX)


def decode_log(game: str, text: bytes | str) -> list[Entry]:
    """The entries in a JSON array of arrays, each with the fields of an Entry in their order.

    game: the key of the game. ValueError for an unknown schema, and for what is no event of this
    game.
    """
    codec = GAMES[game].codec
    try:
        entries: list[Entry] = _decoder(codec).decode(text)
    except msgspec.ValidationError:
        _check_schemas(codec, _raw.decode(text))  # what is unknown may look like nothing known
        raise
    _check_schemas(codec, entries)
    return entries


@cache
def _decoder(codec: Codec[Any]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(list[Entry[codec.events | table_events.Event]])  # type: ignore[name-defined]  # known when the service runs


_raw: msgspec.json.Decoder[list[Any]] = msgspec.json.Decoder(list[Entry[msgspec.Raw]])


def _check_schemas(codec: Codec[Any], entries: list[Any]) -> None:
    for entry in entries:
        known = table_events.SCHEMA if entry.is_table else codec.schema
        if entry.schema != known:
            raise ValueError(f"event {entry.seq} has schema {entry.schema}, and not {known}")
