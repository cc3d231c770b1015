"""Reads and appends the events of a game.

`load` returns the whole log decoded, `append` adds to its end or refuses. Nothing is changed and
nothing is cached. Rules belong to the games, permissions to the services.

The digest of an event is SHA-256 over the digest before it and the canonical JSON of
[seq, kind, seat, schema, payload]; before the first stands SHA-256 of the game's public id, so a
log cannot be moved under another game. Canonical: keys sorted, no spaces, UTF-8. It is made from
the parsed payload, since jsonb keeps neither the order of keys nor the spacing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec
from django.db import IntegrityError, connection
from django.utils import timezone

from games.log import table_events
from games.models import Game
from games.rules import GAMES
from games.rules.contract import AnyGame, Event

from .entry import Entry
from .game_log import Log
from .pipeline import Row, Statement, execute

TABLE = "games_gameevent"
_canonical = msgspec.json.Encoder(order="sorted")


class VersionConflict(Exception):
    """Another transaction appended first. None of the events are in the log."""


# -- rows ------------------------------------------------------------------------------


SELECT = (
    "SELECT seq, kind, seat, by_id, at, schema, payload::text, digest"
    " FROM games_gameevent WHERE game_id = %s ORDER BY seq"
)


def _rows(game: Game) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(SELECT, [game.pk])
        rows: list[Row] = cursor.fetchall()
    return rows


def _decode(engine: AnyGame, row: tuple[Any, ...]) -> Entry:
    seq, kind, seat, by, at, schema, payload, _digest = row
    decode = table_events.decode if kind.startswith(table_events.PREFIX) else engine.codec.decode
    return Entry(seq, kind, seat, by, at, decode(payload, schema))


def load(game: Game) -> Log:
    """The whole log of a game, in one query. Digests are not checked here: see `audit`."""
    return of_rows(game, _rows(game))


def of_rows(game: Game, rows: Sequence[Row]) -> Log:
    """The log that these rows, as SELECT gives them, are."""
    engine = GAMES[game.kind]
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


def encoded(engine: AnyGame, event: Event | table_events.Event) -> tuple[str, int, bytes]:
    """(kind, schema, payload) as the log stores an event."""
    if isinstance(event, table_events.Event):
        payload, schema = table_events.encode(event), table_events.SCHEMA
    else:
        payload, schema = engine.codec.encode(event), engine.codec.schema
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
    log: Log,
    events: Iterable[Event | table_events.Event],
    by: int | None,
    at: datetime,
    *,
    seated: int | None = None,
) -> list[Entry]:
    """The entries these events would be at the end of the log; nothing is written."""
    return [
        Entry(
            seq=seq,
            kind=encoded(log.engine, event)[0],
            seat=getattr(event, "seat", None),
            by=_user_of(event, by, seated),
            at=at,
            event=event,
        )
        for seq, event in enumerate(events, log.version + 1)
    ]


def _user_of(event: Event | table_events.Event, by: int | None, seated: int | None) -> int | None:
    """The column `by`: who caused the event, or whom it seats."""
    return seated if isinstance(event, table_events.Seated) else by


def append(
    game: Game,
    expected_version: int,
    events: Sequence[Event | table_events.Event],
    by: int | None = None,
    *,
    seated: int | None = None,
    at: datetime | None = None,
    digest: bytes | None = None,
    along: Sequence[Statement] = (),
) -> int:
    """Write events after `expected_version`, all or none; the new version.

    seated: the user whom a Seated event is about. digest: that of event `expected_version`, if the
    caller has just read it. along: what else is
    to be written, in the same message. VersionConflict when the log does not end there; the
    transaction cannot be committed after that.
    """
    if not events:
        execute(along)
        return expected_version
    engine = GAMES[game.kind]
    before = digest if digest is not None else _digest_at(game, expected_version)
    at = at or timezone.now()
    values: list[Any] = []
    for seq, event in enumerate(events, expected_version + 1):
        kind, schema, payload = encoded(engine, event)
        seat = getattr(event, "seat", None)
        before = digest_of(before, seq, kind, seat, schema, payload)
        who = _user_of(event, by, seated)
        values += [game.pk, seq, kind, seat, who, schema, payload.decode(), at, before]
    row = "(%s, %s, %s, %s, %s, %s, %s::jsonb, %s, %s)"
    insert = (
        "INSERT INTO games_gameevent"  # noqa: S608 (only placeholders are put together)
        " (game_id, seq, kind, seat, by_id, schema, payload, at, digest) VALUES "
        + ", ".join([row] * len(events))
    )
    try:
        execute([(insert, values), *along])
    except IntegrityError as error:
        if not _is_ours(error):
            raise
        raise VersionConflict(f"event {expected_version + 1} is already there") from error
    return expected_version + len(events)


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
    engine = GAMES[game.kind]
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
    """A row of the log, its payload as canonical JSON and not decoded."""

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
