"""The first page of somebody with many games, and table pages in the middle of a game."""

from django.test import override_settings
from django.urls import reverse

from atlantis_site.supervisor.stack import ServiceStack
from games.models import User
from games.services import quotas
from tests.factories import person, play_turns, table_of

from .moves import Browser, settle, wait_for_web
from .processor import used
from .report import Table, ms, progress
from .sweeps import copy_games
from .web import get

GAMES = 200
TURNS = {"atlantis": 10, "escape": 40}  # made before the page is opened
WARM_UP = 5  # pages
HOME_AIM, TABLE_AIM = 0.025, 0.015  # seconds of processor time


def bench(stack: ServiceStack, count: int) -> Table:
    """Each page `count` times, one after the other."""
    progress(f"{GAMES} games of one person")
    ann, ben = person("Ann"), person("Ben")
    with override_settings(QUOTAS=dict.fromkeys(quotas.REGISTRY, 10**9)):
        games = {
            kind: play_turns(table_of(ann, ben, kind=kind, options={}), turns)
            for kind, turns in TURNS.items()
        }
    copy_games("pages", [game.pk for game in games.values()], GAMES - len(games))
    settle(stack)
    pages = {f"first page, {GAMES} games in progress": "/"}
    for kind, game in games.items():
        pages[f"table page, {kind}, after {TURNS[kind]} turns"] = reverse(
            "game", args=[game.public_id]
        )
    web = stack.parts["web"]
    web.env = {**(web.env or {}), "WEB_CONCURRENCY": "1"}
    stack.start("web")
    wait_for_web()
    table = Table("Pages, one web worker", ("", "processor time", "median until the answer"))
    spent = {}
    for name, path in pages.items():
        progress(name)
        spent[path] = _row(stack, table, name, path, ann, count)
    web.stop()
    home, *tables = spent.values()
    table.aim("the first page of a person with 200 games, processor time", home, most=HOME_AIM)
    table.aim("table page, processor time", max(tables), most=TABLE_AIM)
    return table


def _row(
    stack: ServiceStack, table: Table, name: str, path: str, reader: User, count: int
) -> float:
    """Add a row; the processor time of one page."""
    cookie = Browser(reader).cookie
    for _page in range(WARM_UP):
        get(path, cookie)
    before = used([stack.parts["web"]]).total()
    answers = sorted((took, status) for status, took in [get(path, cookie) for _ in range(count)])
    spent = (used([stack.parts["web"]]).total() - before) / 1000 / count
    if any(status != 200 for _took, status in answers):
        raise SystemExit(f"GET {path} was answered {answers[-1][1]}")
    table.add(name, ms(spent), ms(answers[count // 2][0]))
    return spent
