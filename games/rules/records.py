"""Records: whole games as lines of JSON; `replay` checks them.

    {"game":"atlantis","options":{…},"seats":3,"schema":1,"commitment":"<SHA-256 of the seed>",
     "record":"atlantis-by-mail","format":1,"id":"<public id>","head":"<digest of the last event>"}
    {"seq":1,"seat":null,"kind":"prepared","event":{"kind":"prepared",…},"digest":"…"}
    …
    {"seq":143,"seat":null,"kind":"table.revealed","event":{"kind":"table.revealed","seed":"…"},…}

One header, then every event in order (each line is one line). Events of the table (kinds that begin
with "table.": `table_events`) may stand between moves, and so may private orders, which have a
number of their own ("order") and the seq of the event before them. A further header begins the next
record. docs/specifications/record.md is the specification.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import msgspec

from . import chain
from .chance import commitment
from .contract import AnyGame, Event
from .table_events import Revealed, encode

FORMAT = 1
MOST_DIGITS = 15  # of a number, so that every program reads the same one
TABLE = "table."  # how the kinds of table events begin

SHOWN = 60  # characters of a value that a fault repeats


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line. schema: of the engine's events, where a line does not say its own. id: of the
    game at the service, "" elsewhere; the chain begins with it. head: the digest of the last event,
    hexadecimal."""

    game: str
    options: dict[str, str]
    seats: int
    schema: int
    commitment: str
    record: str = "atlantis-by-mail"
    format: int = FORMAT
    id: str = ""
    head: str = ""


class Line(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One event, or one private order (order: its number, and seq that of the event before it).

    at: when, ISO 8601, optional. actor: stands for the person who caused it. digest: hexadecimal.
    """

    seq: int
    seat: int | None
    kind: str
    event: dict[str, Any]
    schema: int | msgspec.UnsetType = msgspec.UNSET
    at: str | msgspec.UnsetType = msgspec.UNSET
    order: int = 0
    actor: str = ""
    digest: str = ""


_encoder = msgspec.json.Encoder()


def parsed(text: bytes | str) -> dict[str, Any]:
    """The object on a line of a record; ValueError where two programs could read it as two things.

    That is: it is no UTF-8, a key stands twice, a number is not whole or has more than 15 digits.
    """
    value = json.loads(
        text if isinstance(text, str) else text.decode(),
        object_pairs_hook=_unique,
        parse_int=_short_number,
        parse_float=_no_number,
        parse_constant=_no_number,
    )
    if not isinstance(value, dict):
        raise ValueError("it is no object")
    _encoder.encode(value)  # half a surrogate pair cannot be written
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _value in pairs]
        doubled = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {doubled!r} stands twice")
    return found


def _short_number(text: str) -> int:
    return int(text) if len(text.lstrip("-")) <= MOST_DIGITS else _no_number(text)


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"“{text[:MOST_DIGITS]}” is no whole number of at most {MOST_DIGITS} digits")


def write(header: Header, lines: Iterable[Line]) -> Iterator[bytes]:
    """The lines of a record, each with its newline."""
    yield _encoder.encode(header) + b"\n"
    for line in lines:
        yield _encoder.encode(line) + b"\n"


def line_of(engine: AnyGame, seq: int, event: Event) -> Line:
    """The line of an engine's event."""
    return _line(seq, engine.codec.encode(event))


def _line(seq: int, payload: bytes) -> Line:
    event = msgspec.json.decode(payload)
    return Line(seq, event.get("seat"), event["kind"], event)


def record_of(
    engine: AnyGame, options: Mapping[str, str], seats: int, seed: bytes, events: Sequence[Event]
) -> Iterator[bytes]:
    """The record of a finished game that was played with this seed and nothing but moves."""
    header = Header(engine.key, dict(options), seats, engine.codec.schema, commitment(seed))
    lines = [line_of(engine, seq, event) for seq, event in enumerate(events, 1)]
    lines.append(_line(len(lines) + 1, encode(Revealed(seed=seed.hex()))))
    return write(*with_digests(header, lines))


def with_digests(header: Header, lines: Iterable[Line]) -> tuple[Header, list[Line]]:
    """The same with the digests that belong there."""
    head, orders = chain.genesis(header.id), chain.orders_genesis(header.id)
    done: list[Line] = []
    for line in lines:
        if line.order:
            digest = orders = digest_of(header, line, orders)
        else:
            digest = head = digest_of(header, line, head)
        done.append(msgspec.structs.replace(line, digest=digest.hex()))
    return msgspec.structs.replace(header, head=head.hex()), done


def digest_of(header: Header, line: Line, before: bytes) -> bytes:
    """The digest of a line, given the one before it in its chain."""
    # The schema of table events is not that of the engine's events in the header.
    known = 1 if line.kind.startswith(TABLE) else header.schema
    schema = known if line.schema is msgspec.UNSET else line.schema
    at = "" if line.at is msgspec.UNSET else line.at
    if line.order:
        words = (line.kind, line.seat or 0, schema, line.event, at, line.actor)
        return chain.order_digest(before, line.order, line.seq, *words)
    return chain.event_digest(
        before, line.seq, line.kind, line.seat, schema, line.event, at, line.actor
    )


class RecordFault(Exception):
    """The first thing wrong with a record; `line` is counted from 1 over the whole input."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class Numbered(msgspec.Struct):
    """A line and where it stands in the input."""

    number: int
    line: Line

    def fault(self, reason: str) -> RecordFault:
        """A fault in this line."""
        return RecordFault(self.number, reason)


def shortened(text: str) -> str:
    """A value of the record, as a fault repeats it."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
