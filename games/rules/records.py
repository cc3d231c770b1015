"""Records: whole games as lines of JSON; `replay` checks them.

    {"game":"atlantis","options":{…},"seats":3,"schema":1,"commitment":"<SHA-256 of the seed>",
     "record":"atlantis-by-mail","format":2,"id":"<public id>","head":"<digest of the last event>"}
    {"seq":1,"seat":null,"kind":"prepared","event":{"kind":"prepared",…},"rule":2,"digest":"…"}
    …
    {"seq":143,"seat":null,"kind":"table.revealed","event":{"kind":"table.revealed","seed":"…"},…}

One header, then every event in order (each line is one line). Events of the table (kinds that begin
with "table.": `table_events`) may stand between moves, and so may private orders, which have a
number of their own ("order") and the seq of the event before them. A further header begins the next
record. docs/specifications/record.md is the specification.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from . import chain
from .chance import commitment
from .contract import AnyGame, Event
from .table_events import Revealed, encode

FORMAT = 2
OLD_FORMAT = 1  # without digests and private orders
TABLE = "table."  # how the kinds of table events begin


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

    at: when, ISO 8601, optional. rule: how the digest is made (see `chain`). actor: stands for the
    person who caused it. digest: hexadecimal.
    """

    seq: int
    seat: int | None
    kind: str
    event: msgspec.Raw
    schema: int | msgspec.UnsetType = msgspec.UNSET
    at: str | msgspec.UnsetType = msgspec.UNSET
    order: int = 0
    rule: int = chain.FIRST_RULE
    actor: str = ""
    digest: str = ""


class _Kind(msgspec.Struct):
    kind: str


_encoder = msgspec.json.Encoder()


def write(header: Header, lines: Iterable[Line]) -> Iterator[bytes]:
    """The lines of a record, each with its newline."""
    yield _encoder.encode(header) + b"\n"
    for line in lines:
        yield _encoder.encode(line) + b"\n"


def line_of(engine: AnyGame, seq: int, event: Event) -> Line:
    """The line of an engine's event."""
    payload = engine.codec.encode(event)
    kind: str = msgspec.json.decode(payload, type=_Kind).kind
    seat: int | None = getattr(event, "seat", None)
    return Line(seq, seat, kind, msgspec.Raw(payload), rule=chain.RULE)


def record_of(
    engine: AnyGame, options: Mapping[str, str], seats: int, seed: bytes, events: Sequence[Event]
) -> Iterator[bytes]:
    """The record of a finished game that was played with this seed and nothing but moves."""
    header = Header(engine.key, dict(options), seats, engine.codec.schema, commitment(seed))
    lines = [line_of(engine, seq, event) for seq, event in enumerate(events, 1)]
    reveal = Revealed(seed=seed.hex())
    kind = "table.revealed"
    lines.append(Line(len(lines) + 1, None, kind, msgspec.Raw(encode(reveal)), rule=chain.RULE))
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
    event = msgspec.json.decode(line.event)
    at = "" if line.at is msgspec.UNSET else line.at
    if line.order:
        words = (line.kind, line.seat or 0, schema, event, at, line.actor)
        return chain.order_digest(before, line.order, line.seq, *words)
    return chain.event_digest(
        before, line.rule, line.seq, line.kind, line.seat, schema, event, at, line.actor
    )
