"""Reads the rows of a log as they are stored, and checks them one by one."""

from collections.abc import Iterator
from datetime import datetime

import msgspec
from django.db import connection

from games.log import table_events
from games.models import Game
from games.rules import GAMES, chain
from games.rules.contract import AnyGame

from .entry import Entry
from .event_store import REASON, encoded, genesis, time_text
from .game_log import Log

_canonical = msgspec.json.Encoder(order="sorted")
# Events and private orders as they happened. number, after: of a private order and the event before
# it; an event has the number 0.
_SELECT_ROWS = f"""
    SELECT seq, kind, seat, by_id, at, schema, payload::text, digest, actor, 0, {REASON}
    FROM games_gameevent event WHERE game_id = %s
    UNION ALL
    SELECT after, kind, seat, by_id, at, schema, payload::text, digest, actor, number, NULL
    FROM games_gameorder WHERE game_id = %s ORDER BY 1, 10
"""  # noqa: S608 (put together from constants)


class StoredRow(msgspec.Struct, frozen=True):
    """A row of the log, its payload as JSON and not decoded.

    order: 0, or the number of a private order, whose seq is that of the last event before it.
    """

    seq: int
    kind: str
    seat: int | None
    by: int | None
    at: datetime
    schema: int
    payload: bytes
    digest: bytes
    actor: str
    order: int
    reason: str

    @property
    def name(self) -> str:
        """Return the name of the row in messages for the operator."""
        return f"order {self.order}" if self.order else f"event {self.seq}"


def read(game: Game) -> Iterator[StoredRow]:
    """The rows of a log in order, payloads as canonical JSON, for exports and the admin; secrets
    and all."""
    for row in _rows(game):
        canonical = _canonical.encode(msgspec.json.decode(row.payload))
        yield msgspec.structs.replace(row, payload=canonical)


def _rows(game: Game) -> list[StoredRow]:
    with connection.cursor() as cursor:
        cursor.execute(_SELECT_ROWS, [game.pk, game.pk])
        rows = cursor.fetchall()
    return [
        StoredRow(
            seq,
            kind,
            seat,
            by,
            at,
            schema,
            payload.encode(),
            bytes(digest),
            actor=actor,
            order=order,
            reason=reason or "",
        )
        for seq, kind, seat, by, at, schema, payload, digest, actor, order, reason in rows
    ]


def audit(game: Game) -> tuple[Log | None, list[str]]:
    """The log checked row by row: gaps, digests, columns that disagree with their payload.

    The faults are sentences for the operator. The log is None where it cannot be decoded.
    """
    engine, rows = GAMES[game.kind], _rows(game)
    events = _Chain(engine, genesis(game))
    orders = _Chain(engine, chain.orders_genesis(game.public_id))
    events.check([row for row in rows if not row.order])
    orders.check(sorted((row for row in rows if row.order), key=lambda row: row.order))
    last = max((row.seq for row in rows if not row.order), default=0)
    astray = [
        f"{row.name} was left after event {row.seq}, which does not exist"
        for row in rows
        if row.order and not 1 <= row.seq <= last
    ]
    faults = [*events.faults, *orders.faults, *astray]
    if not (events.readable and orders.readable):
        return None, faults
    return Log(engine, events.entries, events.head, orders=orders.entries), faults


class _Chain:
    """The events, or the private orders, of one log while they are checked.

    entries: those that can be decoded. head: the digest of the last row. faults: sentences.
    readable: whether all could be decoded.
    """

    def __init__(self, engine: AnyGame, head: bytes) -> None:
        self.entries: list[Entry] = []
        self.faults: list[str] = []
        self.head, self.readable = head, True
        self._engine = engine

    def check(self, rows: list[StoredRow]) -> None:
        """Check these rows, in the order of their numbers, up to the first gap."""
        for expected, row in enumerate(rows, 1):
            number = row.order or row.seq
            if number != expected:
                missing = f"{'order' if row.order else 'event'} {expected}"
                self.faults.append(f"{missing} is missing (the log goes on with {number})")
                return
            self._check(row)

    def _check(self, row: StoredRow) -> None:
        if self._digest(row) != row.digest:
            fault = f"{row.name} ({row.kind}) is not what was written: its digest is wrong"
            self.faults.append(fault)
        self.head = row.digest
        try:
            entry = self._decode(row)
        except (ValueError, KeyError, TypeError) as error:
            self.faults.append(f"{row.name} ({row.kind}) cannot be read: {error}")
            self.readable = False
            return
        kind, seat = encoded(self._engine, entry.event)[0], getattr(entry.event, "seat", None)
        if (kind, seat) != (row.kind, row.seat):
            self.faults.append(f"{row.name}: kind or seat disagree with what the event says")
        self.entries.append(entry)

    def _digest(self, row: StoredRow) -> bytes:
        """The digest that this row must have after the one before."""
        content = row.schema, msgspec.json.decode(row.payload), time_text(row.at), row.actor
        if not row.order:
            return chain.event_digest(self.head, row.seq, row.kind, row.seat, *content)
        assert row.seat is not None, "a column that is never null"
        return chain.order_digest(self.head, row.order, row.seq, row.kind, row.seat, *content)

    def _decode(self, row: StoredRow) -> Entry:
        is_table = row.kind.startswith(table_events.PREFIX)
        decode = table_events.decode if is_table else self._engine.codec.decode
        event = decode(row.payload, row.schema)
        return Entry(
            row.seq,
            row.kind,
            row.seat,
            row.by,
            row.at,
            event,
            order=row.order,
            digest=row.digest,
            reason=row.reason,
            schema=row.schema,
        )
