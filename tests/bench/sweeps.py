"""Deadlines, reminders and turns of bots that are due in the same minute, with two workers."""

import time
from collections.abc import Callable
from datetime import timedelta

from celery import current_app
from django.db import connection
from django.db.models import QuerySet
from django.test import override_settings
from django.utils import timezone

from atlantis_site.supervisor.stack import ServiceStack, command_child
from games import services
from games.models import Game, GameEvent, Seat, User
from games.services import quotas
from tests.factories import person, play_one, play_turns, table_of
from tests.support.compose_file import COMMANDS

from .moves import settle
from .processor import used
from .report import Table, ms, progress

WORKERS = 2  # each with a process for bots, as in compose
MODELS = 12  # games of each kind of work, copied by PostgreSQL
PATIENCE = 900.0
ALL = 10_000  # games in which something is to be done within a minute


def bench(stack: ServiceStack, count: int) -> Table:
    """`count` games in all, a third of them for each kind of work, until nothing is due."""
    share = count // 3
    progress(f"{3 * share:,} games")
    _make(share)
    settle(stack)
    due: dict[str, tuple[str, Callable[[], QuerySet[Seat]]]] = {
        "deadlines": ("deadlines", _late),
        "reminders": ("reminders", _to_remind),
        "play_bots": ("turns of bots", _bots),
    }
    children = [
        command_child(
            f"{name}-{number}",
            (*COMMANDS[name], "-n", f"{name}@sweep{number}"),
            stack.logs / f"sweeps-{name}-{number}.log",
            stack.env,
            grace=8,
        )
        for number in range(WORKERS)
        for name in ("worker", "bots")
    ]
    took: dict[str, float] = {}
    try:
        for child in children:
            child.start()
        while len(current_app.control.ping(timeout=1) or ()) < len(children):
            time.sleep(0.2)
        counts = {task: rows().count() for task, (_words, rows) in due.items()}
        progress(", ".join(f"{counts[task]:,} {words}" for task, (words, _rows) in due.items()))
        before = used(children)
        begin = asked = time.monotonic()
        _ask(*due)
        while len(took) < len(due):
            time.sleep(0.5)
            for task, (_words, rows) in due.items():
                if task not in took and not rows().exists():
                    took[task] = time.monotonic() - begin
            if time.monotonic() - asked >= 60:  # as beat does
                asked = time.monotonic()
                _ask(*due)
            if time.monotonic() - begin > PATIENCE:
                raise SystemExit("something is still due")
        spent = used(children) - before
    finally:
        for child in children:
            child.stop()
    table = Table(
        f"Due in the same minute, {WORKERS} workers, emails queued but not sent",
        ("", "due", "done after"),
    )
    for task, (words, _rows) in due.items():
        table.add(words, f"{counts[task]:,}", f"{took[task]:.1f} s")
    total, longest = sum(counts.values()), max(took.values())
    table.add("all", f"{total:,}", f"{longest:.1f} s")
    table.add("each, processor time of the workers", "1", ms(spent.total() / 1000 / total))
    what = f"{ALL:,} deadlines, reminders and turns of bots in a minute"
    if total < ALL:
        what += f", at the rate of these {total:,}"
    table.aim(what, longest * ALL / total, most=60)
    return table


def _ask(*tasks: str) -> None:
    for task in tasks:
        current_app.send_task(f"games.tasks.{task}", ignore_result=True)


def _late() -> QuerySet[Seat]:
    return Seat.objects.filter(due_at__lte=timezone.now(), overdue=False)


def _to_remind() -> QuerySet[Seat]:
    return Seat.objects.filter(remind_at__lte=timezone.now(), due_at__isnull=False)


def _bots() -> QuerySet[Seat]:
    return Seat.objects.filter(asked_seq__isnull=False, is_bot=True)


def _make(share: int) -> None:
    """`share` games of each kind of work, and nothing else that is due or to be sent."""
    people = [person(f"Sweep{n}") for n in range(4)]
    with override_settings(QUOTAS=dict.fromkeys(quotas.REGISTRY, 10**9)):
        models = {name: _models(name, people) for name in ("deadline", "reminder", "bot")}
    asked = Seat.objects.filter(user__isnull=False, asked_seq__isnull=False)
    asked.update(due_at=timezone.now() + timedelta(days=9), remind_at=None)
    now = timezone.now()
    for name, games in models.items():
        copy_games(name, games, share)
        seats = Seat.objects.filter(game__name=name, asked_seq__isnull=False, is_bot=False)
        if name == "deadline":
            seats.update(due_at=now)
        elif name == "reminder":
            # Half of the time is over now.
            days = timedelta(days=9)
            seats.update(remind_at=now, remind_from=now - days, due_at=now + days)
        else:
            Seat.objects.filter(game__name=name, user=None).update(is_bot=True)
    everything = [key for games in models.values() for key in games]
    Seat.objects.filter(game__in=everything).update(
        asked_seq=None, asked_at=None, due_at=None, remind_at=None
    )
    with connection.cursor() as cursor:  # Django would name each row in a parameter
        cursor.execute("DELETE FROM games_outboxmail")


def copy_games(name: str, games: list[int], count: int) -> None:
    """Let PostgreSQL make `count` games of this name, each a copy of one of these, with the same
    people and log. The digests of the log stay those of the model's."""
    with connection.cursor() as cursor:
        cursor.execute(SQL_GAMES, [name, -(-count // len(games)), games, count])
        cursor.execute(SQL_ROWS.format(table="games_seat", columns=_SEAT), [name, games])
        cursor.execute(SQL_ROWS.format(table="games_gameevent", columns=_EVENT), [name, games])


def _models(name: str, people: list[User]) -> list[int]:
    """Games (pk) after different numbers of moves. Those for bots wait for one."""
    found = []
    for number in range(MODELS):
        kind = ("atlantis", "escape")[number % 2]
        policy = (Game.TimeoutPolicy.WAIT, Game.TimeoutPolicy.MOVE)[number // 2 % 2]
        seats = people[:1] if name == "bot" else people[: 2 + number % 3]
        bots = int(name == "bot")
        game = table_of(*seats, kind=kind, options={}, bots=bots, timeout_policy=policy)
        if bots:
            for _turn in range(number // 2):
                play_one(game)
                services.bots_play(game_id=game.pk)
            while not services.bots_waiting():
                play_one(game)
            game.seats.filter(is_bot=True).update(is_bot=False)  # nobody's, until all are copied
        else:
            play_turns(game, 6 + number)
        found.append(game.pk)
    return found


def _columns(model: type[Game | Seat | GameEvent], *out: str) -> str:
    return ", ".join(str(f.column) for f in model._meta.concrete_fields if f.column not in out)


_GAME = _columns(Game, "id", "public_id", "invite_token", "rematch_of_id", "name", "options")
_SEAT = _columns(Seat, "id", "game_id")
_EVENT = "seq, kind, seat, by_id, schema, payload, at, digest, actor"
# A copy remembers in `options` which game it is a copy of.
SQL_GAMES = f"""
    INSERT INTO games_game (public_id, invite_token, name, options, {_GAME})
    SELECT left(translate(md5(random()::text), '0189', 'wxyz'), 12), left(md5(random()::text), 24), %s,
        options || jsonb_build_object('copy', id), {_GAME}
    FROM generate_series(1, %s) AS n, games_game WHERE games_game.id = ANY(%s) LIMIT %s
"""
SQL_ROWS = """
    INSERT INTO {table} (game_id, {columns})
    SELECT copy_id, {columns}
    FROM {table} JOIN (
        SELECT id AS copy_id, (options->>'copy')::bigint AS model FROM games_game WHERE name = %s
    ) AS copy ON model = game_id
    WHERE game_id = ANY(%s)
"""
