"""Reads and appends the events of a game.

`load` returns the whole log decoded, `append` adds to its end or refuses. Nothing is changed and
nothing is cached. Rules belong to the games, permissions to the services.

`games.rules.chain` says how digests are made: from the parsed payload, since jsonb keeps neither
the order of keys nor the spacing. The chain of the events begins with the game's public id, so a
log cannot be moved under another game. Private orders have a table and a chain of their own:
nothing that others see may count them.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from django.db import IntegrityError, connection
from django.db.models import QuerySet
from psycopg import sql

from games.log import table_events
from games.models import Game, GameEvent, database_clock, keyed_digest
from games.rules import GAMES, chain
from games.rules.contract import AnyGame, Event

from .entry import Entry, decode_log
from .game_log import Log
from .pipeline import Row, Statement, execute

TABLES = ("games_gameevent", "games_gameorder")


class VersionConflict(Exception):
    """Another transaction appended first. None of the events are in the log."""


# -- rows ------------------------------------------------------------------------------


# Why a moderator acted stands beside the log.
REASON = """
    (SELECT text FROM games_decision decision
     JOIN games_decisiontext ON decision_id = decision.id
     WHERE decision.game_id = event.game_id AND decision.seq = event.seq
     AND event.kind IN ('table.paused', 'table.resumed', 'table.extended', 'table.excused',
         'table.seat_handed', 'table.player_moderates', 'table.bot_played', 'table.rolled_back',
         'table.aborted'))
"""
# All events and private orders as they happened, as one JSON array for `decode_log`: parsing a row
# of columns for each event takes several times as long.
_SELECT = f"""
    SELECT '[' || coalesce(string_agg(entry, ',' ORDER BY seq, number), '') || ']' FROM (
        SELECT seq, 0 AS number, json_build_array(seq, kind, seat, by_id, at, payload, 0,
            encode(digest, 'base64'), coalesce({REASON}, ''), schema)::text AS entry
        FROM games_gameevent event WHERE game_id = %s
        UNION ALL
        SELECT after, number, json_build_array(after, kind, seat, by_id, at, payload, number,
            encode(digest, 'base64'), '', schema)::text
        FROM games_gameorder WHERE game_id = %s
    ) AS entries
"""  # noqa: S608 (put together from constants)


def select(game_id: int) -> Statement:
    """Return the statement that reads the log of a game; `of_rows` decodes its result."""
    return _SELECT, [game_id, game_id]


def load(game: Game) -> Log:
    """The whole log of a game, in one query. `stored_rows.audit` checks its digests."""
    with connection.cursor() as cursor:
        cursor.execute(*select(game.pk))
        return of_rows(game, cursor.fetchall())


def of_rows(game: Game, rows: Sequence[Row]) -> Log:
    """Return the log in the result of `select`."""
    found = decode_log(game.kind, rows[0][0])
    orders = [entry for entry in found if entry.order]
    entries = [entry for entry in found if not entry.order] if orders else found
    digest = entries[-1].digest if entries else genesis(game)
    return Log(GAMES[game.kind], entries, digest, orders=orders)


def load_all(games: Sequence[Game]) -> list[Log]:
    """The whole logs of these games, in one round trip."""
    found = execute([select(game.pk) for game in games])
    return [of_rows(game, rows) for game, rows in zip(games, found, strict=True)]


_NEWEST = f"""
    SELECT game.id, (
        SELECT '[' || coalesce(string_agg(entry, ',' ORDER BY seq), '') || ']' FROM (
            SELECT seq, json_build_array(seq, kind, seat, by_id, at, payload, 0, '',
                coalesce({REASON}, ''), schema)::text AS entry
            FROM games_gameevent event WHERE game_id = game.id ORDER BY seq DESC LIMIT %s
        ) AS entries
    ) FROM unnest(%s::bigint[]) AS game (id)
"""  # noqa: S608 (put together from constants)


def newest(games: Iterable[Game], most: int) -> dict[int, list[Entry]]:
    """The last events of these games in order, by the pk of the game, in one query; at most `most`
    of each, without digests."""
    kinds = {game.pk: game.kind for game in games}
    if not kinds:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_NEWEST, [most, list(kinds)])
        return {pk: decode_log(kinds[pk], entries) for pk, entries in cursor.fetchall()}


_BY_PERSON = """
    SELECT game_id, '[' || string_agg(entry, ',' ORDER BY seq, number) || ']' FROM (
        SELECT game_id, seq, 0 AS number,
            json_build_array(seq, kind, seat, by_id, at, payload, 0, '', '', schema)::text AS entry
        FROM games_gameevent WHERE game_id = ANY(%s) AND by_id = %s
        UNION ALL
        SELECT game_id, after, number,
            json_build_array(after, kind, seat, by_id, at, payload, number, '', '', schema)::text
        FROM games_gameorder WHERE game_id = ANY(%s) AND by_id = %s
    ) AS entries GROUP BY game_id
"""


def entries_by(person: int, games: Iterable[Game]) -> dict[int, list[Entry]]:
    """The events and private orders that this person (pk) caused in these games, by the pk of the
    game, in one query; without digests and the reasons of moderators."""
    kinds = {game.pk: game.kind for game in games}
    with connection.cursor() as cursor:
        cursor.execute(_BY_PERSON, [list(kinds), person, list(kinds), person])
        return {pk: decode_log(kinds[pk], entries) for pk, entries in cursor.fetchall()}


def has_event_by(game: Game, person: int) -> bool:
    """Return whether this person (pk) caused an event of the game, or was seated by one."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM games_gameevent WHERE game_id = %s AND by_id = %s)",
            [game.pk, person],
        )
        (found,) = cursor.fetchone()
    return bool(found)


def resigned_from(person: int) -> QuerySet[GameEvent, int]:
    """The games (pk) from which this person (pk) has resigned, as a subquery."""
    resigned = GameEvent.objects.filter(by=person, kind="table.resigned")
    return resigned.order_by().values_list("game_id", flat=True)


def resignations(games: Iterable[int]) -> QuerySet[GameEvent]:
    """The resignations from these games (pk) in order, with their users."""
    found = GameEvent.objects.filter(kind="table.resigned", game__in=games)
    return found.select_related("by").order_by("game", "seq")


def games_with(kind: str, *, by: int, since: datetime, among: Iterable[int]) -> set[int]:
    """Return the games (pk) that have an event of this kind, caused by this person (pk) since
    then."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT game_id FROM games_gameevent"
            " WHERE game_id = ANY(%s) AND by_id = %s AND kind = %s AND at > %s",
            [list(among), by, kind, since],
        )
        return {row[0] for row in cursor.fetchall()}


def time_text(at: datetime) -> str:
    """A time as digests and records have it."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def encoded(engine: AnyGame, event: Event | table_events.Event) -> tuple[str, int, bytes]:
    """(kind, schema, payload) as the log stores an event."""
    if isinstance(event, table_events.Event):
        payload, schema = table_events.encode(event), table_events.SCHEMA
    else:
        payload, schema = engine.codec.encode(event), engine.codec.schema
    return msgspec.json.decode(payload)["kind"], schema, payload


def genesis(game: Game) -> bytes:
    """Return what the first event has in place of the digest of an event before it."""
    return chain.genesis(game.public_id)


def actor_of(game: Game, by: int | None) -> str:
    """Return the pseudonym of this person (pk) in digests and records of this game. It leads to
    nobody, and stays when the person is deleted. None, for bots and clocks, gives "".
    """
    if by is None:
        return ""
    return keyed_digest("games.log.actor", f"{game.public_id}:{by}").hex()[:16]


def entries_for(
    log: Log,
    events: Iterable[Event | table_events.Event],
    by: int | None,
    at: datetime,
    *,
    seated: int | None = None,
) -> list[Entry]:
    """Return these events as the next entries of the log; write nothing."""
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
    """Return the user for the column `by`: who caused the event, or whom a Seated event is about;
    None for the events of clocks."""
    if isinstance(
        event, table_events.DeadlineMoved | table_events.BankChanged | table_events.VoteMoved
    ):
        return None
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
    statements: Sequence[Statement] = (),
) -> int:
    """Write events after `expected_version`, all or none; the new version.

    by: the user (pk) who caused them. seated: the user (pk) whom a Seated event is about. at: when
    they happened, by default now. digest: that of event `expected_version`, if the caller has just
    read it. statements: what else to write, in the same message. VersionConflict if the log does
    not end there; the transaction cannot be committed after that.
    """
    if not events:
        execute(statements)
        return expected_version
    engine = GAMES[game.kind]
    before = digest if digest is not None else _digest_at(game, expected_version)
    at = at or database_clock.now()
    when = time_text(at)
    values: list[Any] = []
    for seq, event in enumerate(events, expected_version + 1):
        kind, schema, payload = encoded(engine, event)
        seat = getattr(event, "seat", None)
        who = _user_of(event, by, seated)
        actor, words = actor_of(game, who), msgspec.json.decode(payload)
        before = chain.event_digest(before, seq, kind, seat, schema, words, when, actor)
        values += [game.pk, seq, kind, seat, who, schema, payload.decode(), at, before, actor]
    row = "(%s, %s, %s, %s, %s, %s, %s::jsonb, %s, %s, %s)"
    insert = (
        "INSERT INTO games_gameevent"  # noqa: S608 (only placeholders are put together)
        " (game_id, seq, kind, seat, by_id, schema, payload, at, digest, actor) VALUES "
        + ", ".join([row] * len(events))
    )
    try:
        execute([(insert, values), *statements])
    except IntegrityError as error:
        if not _is_ours(error):
            raise
        raise VersionConflict(f"event {expected_version + 1} is already there") from error
    return expected_version + len(events)


def next_order(game: Game, log: Log, event: Event, by: int | None, at: datetime) -> Entry:
    """Return this event as the next private order of the game; write nothing."""
    kind, schema, payload = encoded(log.engine, event)
    before = log.orders[-1].digest if log.orders else chain.orders_genesis(game.public_id)
    words = msgspec.json.decode(payload)
    number, seat = len(log.orders) + 1, event.seat
    actor, when = actor_of(game, by), time_text(at)
    digest = chain.order_digest(before, number, log.version, kind, seat, schema, words, when, actor)
    return Entry(log.version, kind, seat, by, at, event, number, digest)


def insert_order(game: Game, order: Entry) -> Statement:
    """Writes a private order that `next_order` made."""
    _kind, schema, payload = encoded(GAMES[game.kind], order.event)
    insert = (
        "INSERT INTO games_gameorder"
        " (game_id, number, after, kind, seat, by_id, schema, payload, at, digest, actor)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, %s::jsonb, %s, %s, %s)"
    )
    values = [game.pk, order.order, order.seq, order.kind, order.seat, order.by, schema]
    values += [payload.decode(), order.at, order.digest, actor_of(game, order.by)]
    return insert, values


def append_order(game: Game, order: Entry) -> None:
    """Write a private order that `next_order` made. VersionConflict where another was faster."""
    try:
        execute([insert_order(game, order)])
    except IntegrityError as error:
        if not _is_ours(error):
            raise
        raise VersionConflict(f"order {order.order} is already there") from error


def _is_ours(error: IntegrityError) -> bool:
    """Return whether the error is about a row of the log, not about another statement of the same
    round trip."""
    return getattr(getattr(error.__cause__, "diag", None), "table_name", None) in TABLES


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


def events_written() -> int:
    """Return the number of events written since PostgreSQL's statistics began, up to a few seconds
    ago. For monitoring: the time it takes does not depend on the size of the table."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_get_tuples_inserted('games_gameevent'::regclass)")
        row: tuple[int] = cursor.fetchone()
    return row[0]


def append_only(role: str, tables: Iterable[str] = TABLES) -> Iterator[sql.Composed]:
    """Yield statements that leave the role only SELECT and INSERT on these tables."""
    for name in tables:
        table, to = sql.Identifier(name), sql.Identifier(role)
        yield sql.SQL("REVOKE ALL ON {} FROM {}, PUBLIC").format(table, to)
        yield sql.SQL("GRANT SELECT, INSERT ON {} TO {}").format(table, to)
