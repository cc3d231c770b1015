"""Turn emails sent by two workers, beside smtplib with the same bytes to the same server."""

import multiprocessing
import smtplib
import time
from datetime import timedelta
from multiprocessing.connection import Connection
from urllib.parse import urlsplit

from celery import current_app
from django.conf import settings
from django.db import connection
from django.test import override_settings
from django.utils import timezone

from atlantis_site.supervisor.children import Child
from atlantis_site.supervisor.stack import ServiceStack, command_child
from games.models import OutboxMail
from games.services import quotas
from games.web import health
from tests.factories import person, play_turns, table_of
from tests.support.compose_file import COMMANDS
from tests.support.game_seeds import seeded

from .processor import used
from .report import Table, median_of, ms, progress
from .sink import serve

PATIENCE = 600.0
SENDERS = 2
# Other emails are sent that often before those that are measured, so that both workers have drawn
# most of the sprites: they run for weeks.
WARM_UP = 3
MOVES = {"atlantis": (6, 16), "escape": (40, 60)}  # made before the board of an email
QUEUED = 100_000  # emails in the outbox while /readyz is measured


def bench(stack: ServiceStack, mails: int) -> list[Table]:
    """Compare the rates from the first email that arrives to the last, without the start."""
    port = urlsplit(stack.env["EMAIL_URL"]).port
    assert port is not None
    here, there = multiprocessing.Pipe()
    sink = multiprocessing.get_context("spawn").Process(target=serve, args=(port, there))
    sink.start()
    here.recv()
    workers = [_worker(stack, number) for number in range(SENDERS)]
    try:
        progress(f"{2 * mails} games")
        keys = queue(2 * mails)
        for worker in workers:
            worker.start()
        progress("emails that warm the senders up")
        for _round in range(WARM_UP):
            _send(here, keys[:mails])
        before = used(workers)
        progress(f"{mails} turn emails")
        sent, emails = _send(here, keys[mails:])
        spent = used(workers) - before
        for worker in workers:
            worker.stop()
        progress("the same with smtplib")
        _plain(port, emails)
        plain, _emails = _arrived(here, mails)
    finally:
        for worker in workers:
            worker.stop()
        here.send("stop")
        sink.join(10)
    size = sum(map(len, emails)) / len(emails) / 1024
    table = Table(
        f"{mails} turn emails ({size:.0f} kB each, with boards from the middle of games) to one server",
        ("", "emails per second", "ratio", "our processor time per email", "of which the board"),
    )
    table.add("smtplib, one connection, the same bytes", f"{plain:.0f}", "1.00", "", "")
    each, board = (each / 1000 / mails for each in (spent.total(), spent["render worker"]))
    table.add(
        f"outbox, {SENDERS} workers: claim, render, send, mark",
        f"{sent:.0f}",
        f"{sent / plain:.2f}",
        ms(each),
        ms(board),
    )
    what = f"turn emails, {SENDERS} senders against smtplib with the same bytes"
    table.aim(what, sent / plain, least=0.9, write="{:.2f}".format)
    table.aim("a new board, processor time", board, most=0.010)
    table.aim("one turn email, all our processor time", each, most=0.015)
    return [table, _hot(), _ready()]


def queue(count: int) -> list[int]:
    """The keys of turn emails, one in each of `count` games of both kinds with two to four players
    and luck of their own, each after another number of moves. None is due yet."""
    people = [person(f"Mail{n}") for n in range(4)]
    games = []
    with override_settings(QUOTAS=dict.fromkeys(quotas.REGISTRY, 10**9)):
        for number in range(count):
            kind = ("atlantis", "escape")[number % 2]
            with seeded(number):
                game = table_of(*people[: 2 + number % 3], kind=kind, options={})
            games.append(game.pk)
            low, high = MOVES[kind]
            play_turns(game, low + number * 7 % (high - low))
    # The last question of each game.
    asked = OutboxMail.objects.filter(
        kind="turn", state="queued", game__in=games, game__status="running"
    )
    last = asked.order_by("game", "-seq")
    keep = list(last.distinct("game").values_list("pk", flat=True))
    OutboxMail.objects.exclude(pk__in=keep).delete()
    OutboxMail.objects.update(next_try_at=timezone.now() + timedelta(hours=1))
    if len(keep) != count:
        raise SystemExit(f"{len(keep)} turn emails were queued instead of {count}")
    return keep


def _worker(stack: ServiceStack, number: int) -> Child:
    command = (*COMMANDS["worker"], "-n", f"sender-{number}@localhost")
    name = f"sender-{number}"
    return command_child(name, command, stack.logs / f"{name}.log", stack.env, grace=8)


def _send(wire: Connection, keys: list[int]) -> tuple[float, list[bytes]]:
    """Make these emails due, sent ones too; (emails per second, their bytes) once all arrived."""
    due = timezone.now() - timedelta(seconds=1)
    emails = OutboxMail.objects.filter(pk__in=keys)
    emails.update(state="queued", sent_at=None, attempts=0, next_try_at=due)
    for _message in range(4 * SENDERS):  # so that each worker gets one
        current_app.send_task("games.tasks.drain_outbox", ignore_result=True)
    arrived = _arrived(wire, len(keys))
    while emails.exclude(state="sent").exists():  # the last ones are marked
        time.sleep(0.05)
    return arrived


def _arrived(wire: Connection, count: int) -> tuple[float, list[bytes]]:
    """(emails per second, their bytes) once `count` have arrived."""
    end = time.monotonic() + PATIENCE
    times: list[float] = []
    emails: list[bytes] = []
    while True:
        wire.send("look")
        more, some = wire.recv()
        times += more
        emails += some
        if len(times) >= count:
            return (len(times) - 1) / (times[-1] - times[0]), emails
        if time.monotonic() > end:
            raise SystemExit(f"only {len(times)} of {count} emails came")
        time.sleep(0.2)


def _plain(port: int, emails: list[bytes]) -> None:
    with smtplib.SMTP("127.0.0.1", port, timeout=20) as server:
        for email in emails:
            server.sendmail(settings.MAIL_FROM, ["bench@example.org"], email)


def _hot() -> Table:
    """Return a table of updates and the share that wrote no index (HOT)."""
    table = Table("Updates of rows", ("table", "updates", "HOT"))
    with connection.cursor() as cursor:
        cursor.execute(SQL_HOT)
        for name, updates, hot in cursor.fetchall():
            table.add(name, f"{updates:,}", f"{hot / updates:.0%}")
    return table


def _ready() -> Table:
    progress(f"{QUEUED:,} queued emails")
    with connection.cursor() as cursor:
        cursor.execute(SQL_MAILS, [QUEUED])
        cursor.execute("ANALYZE games_outboxmail")
    took = median_of(20, lambda: health.check(timezone.now()))
    table = Table(f"/readyz with {QUEUED:,} queued emails", ("", "median"))
    table.add("the check, with the broker's answer", ms(took))
    table.aim(f"/readyz with {QUEUED:,} queued emails", took, most=0.010)
    return table


_FIELDS = ", ".join(
    str(field.column)
    for field in OutboxMail._meta.concrete_fields
    if field.column not in ("id", "dedupe_key", "message_id", "state", "sent_at", "next_try_at")
)
SQL_HOT = """
    SELECT relname, n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables
    WHERE relname IN ('games_game', 'games_seat', 'games_outboxmail') AND n_tup_upd > 0
    ORDER BY relname
"""
SQL_MAILS = f"""
    INSERT INTO games_outboxmail (dedupe_key, message_id, state, next_try_at, {_FIELDS})
    SELECT 'bench-' || n, '<' || n || '@bench>', 'queued', now() - interval '1 minute', {_FIELDS}
    FROM generate_series(1, %s) AS n,
        (SELECT * FROM games_outboxmail WHERE kind = 'turn' AND state = 'sent' LIMIT 1) AS one
"""
