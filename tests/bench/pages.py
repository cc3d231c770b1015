"""The first page of somebody with many games, and table pages in the middle of a game, as browsers
ask for them."""

import http.client
from functools import partial
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection
from django.test import override_settings
from django.urls import reverse

from atlantis_site.supervisor.stack import ServiceStack
from games.models import Game
from games.services import quotas
from tests.factories import person, play_turns, table_of
from tests.support import copies
from tests.support.signed_in import cookies_of

from .processor import used
from .report import Table, ms, progress
from .service import settle, wait_for_web

GAMES = 200
TURNS = {"atlantis": 10, "escape": 40}  # made before the page is opened
WARM_UP = 5  # pages


def bench(stack: ServiceStack, count: int) -> Table:
    """Each page `count` times, one after the other: compressed, and plain."""
    progress(f"{GAMES} games of one person")
    ann, ben = person("Ann"), person("Ben")
    with override_settings(QUOTAS=dict.fromkeys(quotas.REGISTRY, 10**9)):
        games = {
            kind: play_turns(table_of(ann, ben, kind=kind, options={}), turns)
            for kind, turns in TURNS.items()
        }
    pages = {
        f"table page, {kind}, after {TURNS[kind]} turns": reverse("game", args=[game.public_id])
        for kind, game in games.items()
    }
    web = stack.parts["web"]
    web.env = {**(web.env or {}), "WEB_CONCURRENCY": "1"}
    stack.start("web")
    wait_for_web(stack)
    table = Table(
        "Pages, one web worker: processor time and bytes as sent",
        ("", "compressed", "", "plain", ""),
    )
    get = partial(_get, cookies_of([ann])[ann.pk])
    few = _row(stack, table, "first page, 2 games in progress", partial(get, "/"), count)
    _copy(list(games.values()))
    settle(stack)
    many = _row(stack, table, f"first page, {GAMES} games in progress", partial(get, "/"), count)
    what = f"the first page with {GAMES} games against that with 2"
    table.aim(what, many / few, most=2, write="{:.1f}".format)
    for name, path in pages.items():
        _row(stack, table, name, partial(get, path), count)
    web.stop()
    return table


def _copy(games: list[Game]) -> None:
    """As many running games as the first page is to have."""
    with connection.cursor() as cursor:
        cursor.execute(copies.TABLE)
        cursor.execute(
            "INSERT INTO copies SELECT nextval('games_game_id_seq'), model, 0"
            " FROM generate_series(1, %s), unnest(%s) AS model",
            [(GAMES - len(games)) // len(games), [game.pk for game in games]],
        )
        for statement in copies.STATEMENTS:
            cursor.execute(statement)


def _row(stack: ServiceStack, table: Table, name: str, get: "partial[int]", count: int) -> float:
    """Add a row; the processor time of one page."""
    progress(name)
    cells, spent = [], []
    for encoding in ("gzip, deflate, br", "identity"):
        for _page in range(WARM_UP):
            size = get(encoding)
        before = used(stack.parts["web"].reaper_pid).total()
        for _page in range(count):
            get(encoding)
        spent.append((used(stack.parts["web"].reaper_pid).total() - before) / 1000 / count)
        cells += [ms(spent[-1]), f"{size / 1000:.1f} kB"]
    table.add(name, *cells)
    what = f"{name}: compressed against plain"
    table.aim(what, spent[0] / spent[1], most=1.2, write="{:.2f}".format)
    return spent[0]


def _get(cookie: str, path: str, encoding: str) -> int:
    """The bytes of the body as sent."""
    server = http.client.HTTPConnection("127.0.0.1", urlsplit(settings.SITE_URL).port, timeout=30)
    server.request("GET", path, headers={"Cookie": cookie, "Accept-Encoding": encoding})
    answer = server.getresponse()
    body = answer.read()
    server.close()
    if answer.status != 200:
        raise SystemExit(f"GET {path} was answered {answer.status}")
    return len(body)
