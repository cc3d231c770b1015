"""Events in one table beside events in partitions: sizes, reading a log, adding an event, vacuum.

Both tables hold the first events of one real game for every game. They are stored as they would
arrive, one of each game after another, so the rows of a game lie apart.
"""

import json
import random
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import psycopg

from atlantis_site.supervisor.stack import ServiceStack
from games.models import GameEvent
from tests.factories import person, play_turns, table_of

from .moves import settle
from .report import Table, median, ms, progress

EVENTS = 20  # of each game
PARTITIONS = 32  # by hash of the game
READ = 300  # logs that are read, and events that are added, of games drawn by lot
BATCH = 100_000  # games of one INSERT
KEY = "(game_id, seq)"


class _Plan(NamedTuple):
    """What a statement took: seconds to plan and to execute, and blocks."""

    planning: float
    execution: float
    blocks: int


def bench(stack: ServiceStack, games: int) -> Iterator[Table]:
    """A tenth of the games first, then all: what grows with their number shows."""
    game = table_of(person("Paula"), person("Peter"), kind="escape")
    play_turns(game, EVENTS)
    if GameEvent.objects.filter(game=game).count() < EVENTS + 1:
        raise SystemExit(f"the game to copy has fewer than {EVENTS + 1} events")
    with stack.postgres.connect() as server:
        for name, partitions in (("one table", 0), (f"{PARTITIONS} partitions", PARTITIONS)):
            yield _measure(stack, server, name, partitions, game.pk, games)


def _measure(
    stack: ServiceStack,
    server: psycopg.Connection,
    name: str,
    partitions: int,
    model: int,
    games: int,
) -> Table:
    """The table of one layout."""
    table = Table(
        f"Events of games in {name}, {EVENTS} of each",
        (
            *("events", "rows and index", "a log: planning", "execution", "blocks"),
            *("an event: planning", "execution", "blocks", "vacuum of one part"),
        ),
    )
    for size in (games // 10, games):
        progress(f"{size * EVENTS:,} events in {name}")
        parts = _make(server, partitions)
        _fill(server, model, size)
        settle(stack)
        lot = random.Random(size)
        logs = [_plan(server, _LOG, lot.randint(1, size)) for _run in range(READ)]
        with server.transaction(force_rollback=True):
            added = [
                _plan(server, _ADD, {"game": key, "model": model, "seq": EVENTS + 1})
                for key in lot.sample(range(1, size + 1), READ)
            ]
        table.add(
            f"{size * EVENTS:,}",
            " and ".join(f"{size / 2**20:,.0f} MB" for size in _sizes(server, parts)),
            *(cell for plans in (logs, added) for cell in _medians(plans)),
            f"{_freeze(server, parts[0]):.1f} s",
        )
        server.execute("DROP TABLE bench_event")
    return table


def _make(server: psycopg.Connection, partitions: int) -> list[str]:
    """Create the table `bench_event`; the names of the tables that hold its rows."""
    columns = "LIKE games_gameevent INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING CONSTRAINTS"
    if not partitions:
        server.execute(f"CREATE TABLE bench_event ({columns})")
        return ["bench_event"]
    server.execute(f"CREATE TABLE bench_event ({columns}) PARTITION BY HASH (game_id)")
    names = [f"bench_event_{number}" for number in range(partitions)]
    for number, name in enumerate(names):
        server.execute(
            f"CREATE TABLE {name} PARTITION OF bench_event"
            f" FOR VALUES WITH (MODULUS {partitions}, REMAINDER {number})"
        )
    return names


def _fill(server: psycopg.Connection, model: int, games: int) -> None:
    """Event 1 of all games, then event 2 of all, and so on; then the primary key."""
    for seq in range(1, EVENTS + 1):
        for first in range(1, games + 1, BATCH):
            last = min(first + BATCH - 1, games)
            server.execute(_COPY, {"model": model, "seq": seq, "first": first, "last": last})
    server.execute(f"ALTER TABLE bench_event ADD PRIMARY KEY {KEY}")


def _plan(server: psycopg.Connection, statement: str, values: Any) -> _Plan:
    """Execute a statement and return what PostgreSQL says about it."""
    values = values if isinstance(values, dict) else {"game": values}
    asked = f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {statement}"
    row = psycopg.ClientCursor(server).execute(asked, values).fetchone()
    assert row is not None
    (found,) = json.loads(row[0]) if isinstance(row[0], str) else row[0]
    plan = found["Plan"]
    blocks = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    return _Plan(found["Planning Time"] / 1000, found["Execution Time"] / 1000, blocks)


def _medians(plans: list[_Plan]) -> tuple[str, str, str]:
    return (
        ms(median([plan.planning for plan in plans])),
        ms(median([plan.execution for plan in plans])),
        f"{median([plan.blocks for plan in plans]):.0f}",
    )


def _sizes(server: psycopg.Connection, parts: list[str]) -> tuple[int, int]:
    """Bytes of the rows and of the index."""
    row = server.execute(
        "SELECT sum(pg_table_size(name::regclass)), sum(pg_indexes_size(name::regclass))"
        " FROM unnest(%s::text[]) AS name",
        [parts],
    ).fetchone()
    assert row is not None
    return int(row[0]), int(row[1])


def _freeze(server: psycopg.Connection, part: str) -> float:
    """Seconds of a vacuum that reads all pages of a table or partition."""
    start = time.perf_counter()
    server.execute(f"VACUUM (FREEZE, DISABLE_PAGE_SKIPPING) {part}")
    return time.perf_counter() - start


_LOG = """
    SELECT seq, kind, seat, by_id, schema, payload, at, digest FROM bench_event
    WHERE game_id = %(game)s ORDER BY seq
"""
_COLUMNS = "kind, seat, by_id, schema, payload, at, digest, chain, actor"
_ADD = f"""
    INSERT INTO bench_event (game_id, seq, {_COLUMNS})
    SELECT %(game)s, seq, {_COLUMNS} FROM games_gameevent
    WHERE game_id = %(model)s AND seq = %(seq)s
"""
_COPY = f"""
    INSERT INTO bench_event (game_id, seq, {_COLUMNS})
    SELECT n, seq, {_COLUMNS} FROM games_gameevent, generate_series(%(first)s::int, %(last)s) AS n
    WHERE game_id = %(model)s AND seq = %(seq)s
"""
