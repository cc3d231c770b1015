"""The cost of the regular tasks' claims beside many games that wait: time, and query plans; and
that of /readyz beside many queued emails.

The games are rows of games and seats, which is all that a claim reads; they have no logs.
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from statistics import median
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from atlantis_site.supervisor.stack import ServiceStack
from games import services
from games.log.pipeline import Statement
from games.models import Game, Outage, Seat
from games.models.database_clock import now
from games.operations import health
from games.services import Sweep
from tests.factories import person, table_of
from tests.support.copies import columns

from .report import Table, median_of, ms, progress, timed
from .service import settle

DUE = 1_000  # games of each kind
FEW = 2_000  # games to compare with
RUNS = 5  # of a statement that claims nothing
STATES = 30  # runs of the statement of /readyz
BATCH = 20_000  # games of one statement, which has a time limit
DAYS = 14  # over which the deadlines of the others are spread


class _Claim(NamedTuple):
    """The claim of a task. done: SQL that makes the claimed keys (%s) no longer due."""

    name: str
    statement: Statement
    done: str


class _Asked(Sweep):
    """Notes the statement of a task, and runs nothing."""

    statement: Statement = ("", [])

    def drain(self, due: Callable[[list[int]], Statement], work: Callable[[int], int]) -> int:
        self.statement = due([])
        return 0


def bench(stack: ServiceStack, count: int) -> Iterator[Table]:
    """Claims beside FEW games and beside `count` games, with DUE due of each kind."""
    model = table_of(person("Wendy"), person("Walter"), timeout_policy=Game.TimeoutPolicy.MOVE)
    before: dict[str, tuple[float, float]] = {}
    yield _ready(stack, count)
    made = 0
    for size in (FEW, max(FEW, count)):
        progress(f"{size:,} games that wait")
        _fill(model, made, size)
        if not made:
            _make_due()
        made = size
        settle(stack)
        table = Table(
            f"Claims beside {size:,} games that wait, {DUE:,} due of each kind",
            ("", "one claim", "all claims", "indexes", "rows", "blocks"),
        )
        with transaction.atomic():
            outage = Outage.objects.create(starts=now() - timedelta(hours=1), ends=now())
            for claim in _claims(outage):
                plan = _plan(claim.statement)
                one, whole = _timed(claim)
                rates = before.setdefault(claim.name, (one, whole))
                if size > FEW and claim.done:
                    what = f"all claims of {claim.name} beside {size:,} games against {FEW:,}"
                    table.aim(what, whole / rates[1], most=2, write="{:.1f}".format)
                table.add(
                    claim.name,
                    f"{one * 1000:.2f} ms ({one / rates[0]:.1f})",
                    f"{whole:.2f} s ({whole / rates[1]:.1f})",
                    *plan,
                )
            transaction.set_rollback(True)
        yield table


def _ready(stack: ServiceStack, emails: int) -> Table:
    """The state of the outbox, with this number of emails that are due and without; they stay."""
    progress(f"{emails:,} queued emails")
    read = partial(health.read, now())
    few = median_of(STATES, read)
    with connection.cursor() as cursor:
        cursor.execute(_EMAILS, [emails])
    settle(stack)
    many = median_of(STATES, read)
    table = Table("The state of the outbox, for /readyz", ("emails that are due", "median"))
    table.add("0", ms(few))
    table.add(f"{emails:,}", ms(many))
    what = f"/readyz with {emails:,} queued emails against none"
    table.aim(what, many / few, most=2, write="{:.1f}".format)
    return table


def _fill(model: Game, made: int, size: int) -> None:
    for first in range(made, size, BATCH):
        last = min(first + BATCH, size)
        values = {"model": model.pk, "days": DAYS, "first": first + 1, "last": last}
        with connection.cursor() as cursor:
            cursor.execute(_GAMES, values)
            cursor.execute(_SEATS, values)


def _make_due() -> None:
    """The deadlines of DUE games pass now, and the reminders of as many others are due."""
    asked = Seat.objects.filter(game__name=_NAME, asked_seq__isnull=False).order_by("pk")
    keys = list(asked.values_list("pk", flat=True)[: 2 * DUE])
    past = now() - timedelta(minutes=1)
    Seat.objects.filter(pk__in=keys[:DUE]).update(due_at=past, remind_at=None)
    Seat.objects.filter(pk__in=keys[DUE:]).update(remind_at=past)


def _claims(outage: Outage) -> Iterator[_Claim]:
    yield _Claim(
        "deadlines",
        _asked(lambda sweep: services.deadline_check(now=now(), sweep=sweep)),
        "UPDATE games_seat SET overdue = true WHERE game_id = ANY(%s) AND asked_seq IS NOT NULL",
    )
    yield _Claim(
        "reminders",
        _asked(lambda sweep: services.reminders_due(now=now(), sweep=sweep)),
        "UPDATE games_seat SET remind_at = NULL WHERE id = ANY(%s)",
    )
    waiting = Game.objects.filter(name=_NAME).order_by("pk").values_list("pk", flat=True)
    # All games know outage 1; DUE of them do not.
    Game.objects.filter(pk__in=list(waiting[:DUE])).update(outage_id=0)
    sql, values = _asked(lambda sweep: services.outages_apply(now=now(), sweep=sweep))
    yield _Claim(
        "outages",
        (sql, [1 if value == outage.pk else value for value in values]),
        "UPDATE games_game SET outage_id = 1 WHERE id = ANY(%s)",
    )
    Seat.objects.filter(game__in=list(waiting[:DUE]), asked_seq__isnull=False).update(
        is_bot=True, user=None, due_at=None, remind_at=None
    )
    with CaptureQueriesContext(connection) as queries:
        services.bots_waiting()
    yield _Claim("bots", (queries.captured_queries[-1]["sql"].replace("%", "%%"), []), "")


def _asked(task: Callable[[Sweep], int]) -> Statement:
    sweep = _Asked()
    task(sweep)
    return sweep.statement


def _timed(claim: _Claim) -> tuple[float, float]:
    """Median seconds of a claim, and of all until nothing is due, by the clock on the wall: the
    work is PostgreSQL's."""
    sql, values = claim.statement
    keys: list[int] = []

    def once() -> None:
        with connection.cursor() as cursor:
            cursor.execute(sql, values)
            keys[:] = [row[0] for row in cursor.fetchall()]

    if not claim.done:
        times = [timed(once, time.perf_counter) for _run in range(RUNS)]
        return median(times), median(times)
    times = [timed(once, time.perf_counter)]
    while keys:
        with connection.cursor() as cursor:
            cursor.execute(claim.done, [keys])
        times.append(timed(once, time.perf_counter))
    return median(times), sum(times)


def _plan(statement: Statement) -> tuple[str, str, str]:
    """Indexes that the claim scans (a table that it scans as a whole is in capitals), rows that it
    touches, and blocks that it reads."""
    sql, values = statement
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", values)
        found = cursor.fetchone()[0]
    plan = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    nodes = list(_nodes(plan))
    names = Counter[str]()
    rows = 0
    for node in nodes:
        if "Scan" in node["Node Type"]:
            names[node.get("Index Name") or str(node.get("Relation Name", "")).upper()] += 1
            rows += round(node["Actual Rows"] * node["Actual Loops"])
            rows += node.get("Rows Removed by Filter", 0) * node["Actual Loops"]
    blocks = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    return ", ".join(f"`{name}`" for name in names), f"{rows:,}", f"{blocks:,}"


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from _nodes(part)


_NAME = "Waiting"
_GAME = columns(Game, "id", "public_id", "invite_token", "rematch_of_id", "name", "outage_id")
_SEAT = columns(Seat, "id", "game_id", "due_at", "remind_at")
_EMAILS = """
    INSERT INTO games_outboxmail (kind, to_address, seq, dedupe_key, message_id, context, state,
        attempts, next_try_at, error, created_at)
    SELECT 'account', 'bench@example.org', 0, 'bench-' || n, '<' || n || '@bench>', '{}', 'queued',
        0, now() - interval '1 minute', '', now()
    FROM generate_series(1, %s) AS n
"""
_GAMES = f"""
    INSERT INTO games_game (public_id, invite_token, name, outage_id, {_GAME})
    SELECT 'w' || lpad(n::text, 11, '0'), left(md5(n || 'waiting'), 24), '{_NAME}', 1, {_GAME}
    FROM generate_series(%(first)s::int, %(last)s) AS n, games_game WHERE games_game.id = %(model)s
"""
_SEATS = f"""
    INSERT INTO games_seat (game_id, due_at, remind_at, {_SEAT})
    SELECT copy.id, due_at + part * interval '1 day' * %(days)s,
        remind_at + part * interval '1 day' * %(days)s, {_SEAT}
    FROM (
        SELECT games_game.id, random() AS part
        FROM generate_series(%(first)s::int, %(last)s) AS n
        JOIN games_game ON public_id = 'w' || lpad(n::text, 11, '0')
    ) AS copy, games_seat WHERE games_seat.game_id = %(model)s
"""
