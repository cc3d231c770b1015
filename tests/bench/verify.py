"""`verify --new`: the first run recomputes every log, the next one compares their last digests."""

import time
from copy import copy
from datetime import timedelta
from io import StringIO
from unittest import mock

from django.core.management import CommandError, call_command
from django.db import connection
from django.test import override_settings

from atlantis_site.supervisor.stack import ServiceStack
from games.log import checkpoints, event_store
from games.management.commands import verify
from games.models import Game, GameEvent, database_clock
from games.rules import chain
from games.services import quotas
from tests.factories import person, play_to_the_end, table_of

from .moves import settle
from .report import Table, duration, progress
from .sweeps import EVENT_COLUMNS, GAME_COLUMNS, copy_games

ALL = 1_000_000  # ended games
BATCH = 20_000  # games of one statement, which has a time limit


def bench(stack: ServiceStack, count: int, ended: int) -> Table:
    """`count` ended games with their logs, then `ended` games of which only the last event is
    here."""
    progress(f"{count:,} ended games")
    people = [person("Vera"), person("Victor")]
    with override_settings(QUOTAS=dict.fromkeys(quotas.REGISTRY, 10**9)):
        models = [
            play_to_the_end(table_of(*people, kind=kind, options={}, bots=1)).pk
            for kind in ("atlantis", "escape")
        ]
    _copy(models, count)
    settle(stack)
    table = Table("`verify --new` of ended games", ("", "games", "time", "games per second"))

    def row(name: str, games: int, took: float) -> None:
        table.add(name, f"{games:,}", f"{took:.2f} s", f"{games / took:,.0f}")

    games = Game.objects.filter(ended_at__isnull=False).count()
    row("first run", games, _run())
    row("second run", games, _run())
    progress(f"{ended:,} more")
    _fill(models[-1], ended)
    settle(stack)
    now = database_clock.now()
    last = checkpoints.last()
    while span := checkpoints.next_span(last, now):
        last = checkpoints.add(last, span)
    games += ended
    took = _run()
    row("second run", games, took)
    what = f"second `verify --new` of {ALL:,} ended games"
    if games < ALL:
        what += f", at the rate of {games:,}"
    table.aim(what, took * ALL / games, most=60, write=duration)
    return table


def _copy(models: list[int], count: int) -> None:
    """`count` copies of these games, whose digests begin with their own ids."""
    copy_games("ended", models, count, with_events=False)
    events = {key: list(GameEvent.objects.filter(game=key).order_by("seq")) for key in models}
    for game in Game.objects.filter(name="ended"):
        digest, rows = chain.genesis(game.public_id), []
        for event in map(copy, events[game.options.pop("copy")]):
            words = (event.kind, event.seat, event.schema, event.payload)
            at = event_store.time_text(event.at)
            digest = chain.event_digest(digest, event.seq, *words, at, event.actor)
            event.game_id, event.digest = game.pk, digest
            rows.append(event)
        GameEvent.objects.bulk_create(rows)
        game.save(update_fields=["options"])


def _run() -> float:
    """Seconds of one run, which has to find all in order; games may have ended just now."""
    said = StringIO()
    with mock.patch.object(verify, "SETTLED", timedelta(0)):
        start = time.perf_counter()
        try:
            call_command("verify", "--new", stdout=said)
        except CommandError as error:
            raise SystemExit(f"{said.getvalue()[:1000]}{error}") from error
        return time.perf_counter() - start


def _fill(model: int, count: int) -> None:
    """Copies of a game, which ended last, each with its last event alone."""
    for first in range(0, count, BATCH):
        values = {"model": model, "first": first + 1, "last": min(first + BATCH, count)}
        with connection.cursor() as cursor:
            cursor.execute(_GAMES, values)
            cursor.execute(_HEADS, values)


_GAMES = f"""
    INSERT INTO games_game (public_id, invite_token, name, options, {GAME_COLUMNS})
    SELECT 'v' || lpad(n::text, 11, '0'), left(md5(n || 'ended'), 24), 'ended', options, {GAME_COLUMNS}
    FROM generate_series(%(first)s::int, %(last)s) AS n, games_game
    WHERE games_game.id = %(model)s
"""
_HEADS = f"""
    INSERT INTO games_gameevent (game_id, {EVENT_COLUMNS})
    SELECT copy_id, {EVENT_COLUMNS} FROM games_gameevent
    JOIN (
        SELECT games_game.id AS copy_id, version FROM generate_series(%(first)s::int, %(last)s) AS n
        JOIN games_game ON public_id = 'v' || lpad(n::text, 11, '0')
    ) AS copy ON seq = version
    WHERE game_id = %(model)s
"""
