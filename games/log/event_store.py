"""The log of a game: the only code that reads and writes GameEvent rows.

`load` gives the whole log decoded, `append` adds to its end or refuses; nothing is ever changed.
What a game is (position, status, whose turn) is folded from here each time; there is no cache.
Knows no rules: those are the engine's, and who may do what is for services.

The digest of an event is SHA-256 over the digest before it and the canonical JSON of
[seq, kind, seat, schema, payload]; before the first stands SHA-256 of the game's public id, so a
log cannot be moved under another game. Canonical: keys sorted, no spaces, UTF-8. It is made from
the parsed payload, since jsonb keeps neither the order of keys nor the spacing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

import msgspec
from django.db import IntegrityError, connection
from django.db.backends.postgresql.psycopg_any import mogrify
from django.utils import timezone

from games.log import table_events
from games.models import Game
from games.rules import ENGINES
from games.rules.engine import Engine, Event, Outcome, State

TABLE = "games_gameevent"
_canonical = msgspec.json.Encoder(order="sorted")


class VersionConflict(Exception):
    """Somebody else wrote to this log first. Nothing of what was to be appended is in it."""


class Entry(msgspec.Struct, frozen=True):
    """One event of a log, decoded. by: the id of the person who did it, where a person did."""

    seq: int
    kind: str
    seat: int | None
    by: int | None
    at: datetime
    event: Event | table_events.Event

    @property
    def is_table(self) -> bool:
        """Of the life of the table; else of the game on it."""
        return self.kind.startswith(table_events.PREFIX)


class Projection(msgspec.Struct, frozen=True):
    """What the Game and Seat rows must say for a log; `verify` compares, services write it."""

    status: str
    version: int
    to_act: tuple[int, ...]
    scores: tuple[int, ...] | None
    winners: tuple[int, ...] | None
    bots: tuple[bool, ...]


class Log:
    """The events of one game in order, and what they add up to. Never changes.

    `effective` are the engine's events that count: a rollback to event N takes out those after N.
    """

    def __init__(self, engine: Engine, entries: Sequence[Entry], digest: bytes) -> None:
        self.engine = engine
        self.entries = tuple(entries)
        self.digest = digest  # of the last event, for the next one

    @property
    def version(self) -> int:
        """The number of the last event, 0 for none."""
        return self.entries[-1].seq if self.entries else 0

    @cached_property
    def effective(self) -> tuple[Entry, ...]:
        """The engine's entries that were not undone."""
        kept: list[Entry] = []
        for entry in self.entries:
            if not entry.is_table:
                kept.append(entry)
            elif isinstance(entry.event, table_events.RolledBack):
                while kept and kept[-1].seq > entry.event.to_seq:
                    kept.pop()
        return tuple(kept)

    @property
    def engine_events(self) -> tuple[Event, ...]:
        """The events that make the position."""
        return tuple(entry.event for entry in self.effective)

    @cached_property
    def state(self) -> State:
        """The position; the engine's initial state before the start."""
        return self.engine.fold(self.engine_events)

    @cached_property
    def table(self) -> table_events.TableState:
        """Who sits where and whether the game runs."""
        return table_events.fold(entry.event for entry in self.entries if entry.is_table)

    @cached_property
    def outcome(self) -> Outcome | None:
        """Scores and winners once the game was played to its end."""
        return self.engine.outcome(self.state) if self.effective else None

    @cached_property
    def projection(self) -> Projection:
        """What the rows say of this log."""
        people, outcome = self.table, self.outcome
        status: str = people.status
        if outcome is not None and status != "aborted":
            status = "finished"
        winners = outcome.winners if outcome is not None else None
        if status == "finished" and outcome is None:
            winners = tuple(seat for seat in people.people if seat not in people.quit)
        return Projection(
            status=status,
            version=self.version,
            to_act=self.engine.to_act(self.state) if status in ("running", "paused") else (),
            scores=outcome.scores if outcome is not None else None,
            winners=winners,
            bots=people.bots,
        )

    @cached_property
    def moved_at(self) -> int:
        """The number of the last event that changed the position: a page older than that is stale,
        one that only missed a pause or a passed deadline is not."""
        return next(
            (
                entry.seq
                for entry in reversed(self.entries)
                if not entry.is_table or isinstance(entry.event, table_events.RolledBack)
            ),
            0,
        )

    @cached_property
    def moves(self) -> tuple[tuple[Entry, ...], ...]:
        """The effective events cut into the setup and single moves, each a non-empty group."""
        groups: list[list[Entry]] = []
        for entry in self.effective:
            if not groups or self.engine.command_of(entry.event) is not None:
                groups.append([])
            groups[-1].append(entry)
        return tuple(tuple(group) for group in groups)

    def until(self, seq: int) -> Log:
        """The log as it was when `seq` was its last event."""
        entries = [entry for entry in self.entries if entry.seq <= seq]
        return self if len(entries) == len(self.entries) else Log(self.engine, entries, b"")

    def extended(self, entries: Sequence[Entry], digest: bytes = b"") -> Log:
        """This log with more entries at its end; folds only what is new where it can."""
        longer = Log(self.engine, (*self.entries, *entries), digest)
        if not any(isinstance(entry.event, table_events.RolledBack) for entry in entries):
            new = [entry for entry in entries if not entry.is_table]
            longer.__dict__["effective"] = (*self.effective, *new)
            longer.__dict__["state"] = self.engine.fold([e.event for e in new], self.state)
        longer.__dict__["table"] = table_events.fold(
            (entry.event for entry in entries if entry.is_table), self.table
        )
        return longer


# -- rows ------------------------------------------------------------------------------


# The rows of one game in order, past the ORM: they are read with every page and every move.
SELECT = (
    "SELECT seq, kind, seat, by_id, at, schema, payload::text, digest"
    " FROM games_gameevent WHERE game_id = %s ORDER BY seq"
)

Row = tuple[Any, ...]
Statement = tuple[str, Sequence[Any]]  # SQL with %s, and what they stand for


def _rows(game: Game) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(SELECT, [game.pk])
        rows: list[Row] = cursor.fetchall()
    return rows


def _decode(engine: Engine, row: tuple[Any, ...]) -> Entry:
    seq, kind, seat, by, at, schema, payload, _digest = row
    decode = table_events.decode if kind.startswith(table_events.PREFIX) else engine.decode
    return Entry(seq, kind, seat, by, at, decode(payload, schema))


def load(game: Game) -> Log:
    """The whole log of a game, in one query. Digests are not checked here: see `audit`."""
    return of_rows(game, _rows(game))


def of_rows(game: Game, rows: Sequence[Row]) -> Log:
    """The log that these rows, as SELECT gives them, are."""
    engine = ENGINES[game.kind]
    digest = bytes(rows[-1][7]) if rows else genesis(game)
    return Log(engine, [_decode(engine, row) for row in rows], digest)


def took_part(game: Game, person: int) -> bool:
    """Whether this person (pk) once sat at the table and did not leave it before the start."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT kind FROM games_gameevent WHERE game_id = %s AND by_id = %s"
            " ORDER BY seq DESC LIMIT 1",
            [game.pk, person],
        )
        last = cursor.fetchone()
    return last is not None and last[0] != table_events.Left.__struct_config__.tag


def encoded(engine: Engine, event: Event | table_events.Event) -> tuple[str, int, bytes]:
    """(kind, schema, payload) as the log stores an event."""
    if isinstance(event, table_events.Event):
        payload, schema = table_events.encode(event), table_events.SCHEMA
    else:
        payload, schema = engine.encode(event), engine.schema
    return msgspec.json.decode(payload)["kind"], schema, payload


def genesis(game: Game) -> bytes:
    """What stands where the digest before the first event would be."""
    return hashlib.sha256(game.public_id.encode()).digest()


def digest_of(
    before: bytes, seq: int, kind: str, seat: int | None, schema: int, payload: bytes | str
) -> bytes:
    """The digest of an event, given the one before it."""
    words = _canonical.encode([seq, kind, seat, schema, msgspec.json.decode(payload)])
    return hashlib.sha256(before + words).digest()


def entries_for(
    log: Log, events: Iterable[Event | table_events.Event], by: int | None, at: datetime
) -> list[Entry]:
    """The entries these events would be at the end of the log; nothing is written."""
    return [
        Entry(seq, encoded(log.engine, event)[0], getattr(event, "seat", None), by, at, event)
        for seq, event in enumerate(events, log.version + 1)
    ]


def append(
    game: Game,
    expected_version: int,
    events: Sequence[Event | table_events.Event],
    by: int | None = None,
    *,
    at: datetime | None = None,
    digest: bytes | None = None,
    along: Sequence[Statement] = (),
) -> int:
    """Write events after `expected_version`, all or none; the new version.

    digest: that of event `expected_version`, if the caller has just read it. along: what else is
    to be written, in the same message. VersionConflict when the log does not end there; the
    transaction cannot be committed after that.
    """
    if not events:
        run(along)
        return expected_version
    engine = ENGINES[game.kind]
    before = digest if digest is not None else _digest_at(game, expected_version)
    at = at or timezone.now()
    values: list[Any] = []
    for seq, event in enumerate(events, expected_version + 1):
        kind, schema, payload = encoded(engine, event)
        seat = getattr(event, "seat", None)
        before = digest_of(before, seq, kind, seat, schema, payload)
        values += [game.pk, seq, kind, seat, by, schema, payload.decode(), at, before]
    row = "(%s, %s, %s, %s, %s, %s, %s::jsonb, %s, %s)"
    insert = (
        "INSERT INTO games_gameevent"  # noqa: S608 (only placeholders are put together)
        " (game_id, seq, kind, seat, by_id, schema, payload, at, digest) VALUES "
        + ", ".join([row] * len(events))
    )
    try:
        run([(insert, values), *along])
    except IntegrityError as error:
        if not _is_ours(error):
            raise
        raise VersionConflict(f"event {expected_version + 1} is already there") from error
    return expected_version + len(events)


def run(statements: Iterable[Statement]) -> None:
    """Send all these in one message and wait once."""
    with connection.cursor() as cursor:
        whole = ";".join(str(mogrify(text, values, connection)) for text, values in statements)
        if whole:
            cursor.execute(whole)


def _is_ours(error: IntegrityError) -> bool:
    """Whether a row of the log was refused, and not one that was sent along."""
    return getattr(getattr(error.__cause__, "diag", None), "table_name", None) == TABLE


def _digest_at(game: Game, version: int) -> bytes:
    """The digest of the last event, which must be `version`."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT seq, digest FROM games_gameevent WHERE game_id = %s ORDER BY seq DESC LIMIT 1",
            [game.pk],
        )
        seq, digest = cursor.fetchone() or (0, genesis(game))
    if seq != version:
        raise VersionConflict(f"the log ends at event {seq}, not at {version}")
    return bytes(digest)


def audit(game: Game) -> tuple[Log | None, list[str]]:
    """The log checked row by row: gaps, digests, columns that disagree with their payload.

    The faults are sentences for the operator. The log is None where it cannot be decoded.
    """
    engine = ENGINES[game.kind]
    before = genesis(game)
    entries: list[Entry] = []
    faults: list[str] = []
    readable = True
    for expected, row in enumerate(_rows(game), 1):
        seq, kind, seat, _by, _at, schema, payload, digest = row
        if seq != expected:
            faults.append(f"event {expected} is missing (the log goes on with {seq})")
            break
        if digest_of(before, seq, kind, seat, schema, payload) != bytes(digest):
            faults.append(f"event {seq} ({kind}) is not what was written: its digest is wrong")
        before = bytes(digest)
        try:
            entry = _decode(engine, row)
        except (ValueError, KeyError, TypeError) as error:
            faults.append(f"event {seq} ({kind}) cannot be read: {error}")
            readable = False
            continue
        if encoded(engine, entry.event)[0] != kind or getattr(entry.event, "seat", None) != seat:
            faults.append(f"event {seq}: kind or seat disagree with what the event says")
        entries.append(entry)
    return (Log(engine, entries, before) if readable else None), faults


class Stored(msgspec.Struct, frozen=True):
    """A row as it lies there, its payload as canonical JSON and not decoded."""

    seq: int
    kind: str
    seat: int | None
    by: int | None
    at: datetime
    schema: int
    payload: bytes


def stored(game: Game) -> Iterator[Stored]:
    """The rows of a log in order, for exports and the admin; secrets and all."""
    for seq, kind, seat, by, at, schema, payload, _digest in _rows(game):
        canonical = _canonical.encode(msgspec.json.decode(payload))
        yield Stored(seq, kind, seat, by, at, schema, canonical)
