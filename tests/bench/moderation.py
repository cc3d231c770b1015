"""The search of moderators and the first page of the admin beside many games, people and open rows.

The games are rows of games and seats; they have no logs.
"""

from functools import partial
from urllib.parse import urlencode

from django.conf import settings
from django.db import connection

from atlantis_site.supervisor.stack import ServiceStack
from games.models import Game, OutboxMail, Seat, User
from tests.factories import person, table_of
from tests.support.copies import columns
from tests.support.moderators import moderating

from .report import Table, median, ms, percentile, progress
from .service import settle, wait_for_web
from .web import get

BATCH = 20_000  # rows of one statement, which has a time limit
AIM = 0.2  # seconds, 95th percentile
PEOPLE_PER_GAME = 0.1
OPEN_PER_GAME = 0.1  # tables that wait, and emails that are refused


def bench(stack: ServiceStack, games: int, views: int) -> Table:
    """Each kind of search, and the first page, `views` times, one after the other."""
    people, rows = int(games * PEOPLE_PER_GAME), int(games * OPEN_PER_GAME)
    progress(f"{games:,} games, {people:,} people")
    model = table_of(person("Mabel"), person("Milo"))
    _fill(_PEOPLE, people, {})
    _fill(_GAMES, games, {"model": model.pk})
    _fill(_SEATS, games, {"model": model.pk, "late": rows})
    _fill(_EMAILS, rows, {})
    settle(stack)
    web = stack.parts["web"]
    web.env = {**(web.env or {}), "WEB_CONCURRENCY": "1"}
    stack.start("web")
    wait_for_web(stack)
    client = moderating(person("Root", is_staff=True, is_superuser=True))
    name = settings.SESSION_COOKIE_NAME
    ask = partial(get, cookie=f"{name}={client.cookies[name].value}")
    table = Table(
        f"Moderation beside {games:,} games, {people:,} people and {rows:,} open rows of two kinds",
        ("", "median", "95th percentile"),
    )
    slowest = 0.0
    for what, words in _searches(games, people, rows, views).items():
        progress(what)
        paths = [f"/admin/search/?{urlencode({'q': word})}" for word in words]
        slowest = max(slowest, _row(table, what, [ask(path) for path in paths]))
    progress("the first page")
    first = _row(table, "first page", [ask("/admin/") for _view in range(views)])
    web.stop()
    table.aim("a search of moderators, 95th percentile", slowest, most=AIM)
    table.aim("the first page of moderators, 95th percentile", first, most=AIM)
    return table


def _searches(games: int, people: int, rows: int, views: int) -> dict[str, list[str]]:
    """What moderators type, spread over all rows."""
    numbers = [n * 7919 for n in range(1, views + 1)]
    return {
        "a table by its id": [f"m{n % games + 1:011}" for n in numbers],
        "a table by its link": [
            f"https://games.example.org/g/m{n % games + 1:011}/" for n in numbers
        ],
        "a table by the beginning of its name": [f"{n % 4096:03x}" for n in numbers],
        "a person by the beginning of the name": [f"player {n % people}" for n in numbers],
        "a person by the beginning of the address": [f"p{n % people}@" for n in numbers],
        "an email by its Message-ID": [f"<m{n % rows + 1}@bench>" for n in numbers],
        "what nothing begins with": [f"~{n}" for n in numbers],
    }


def _row(table: Table, what: str, answers: list[tuple[int, float]]) -> float:
    """Add a row; its 95th percentile in seconds."""
    if wrong := {status for status, _took in answers} - {200, 302}:
        raise SystemExit(f"{what}: answered {wrong}")
    took = sorted(seconds for _status, seconds in answers)
    table.add(what, ms(median(took)), ms(percentile(took)))
    return percentile(took)


def _fill(sql: str, count: int, values: dict[str, int]) -> None:
    for first in range(0, count, BATCH):
        span = {"first": first + 1, "last": min(first + BATCH, count)}
        with connection.cursor() as cursor:
            cursor.execute(sql, {**values, **span})


_USER = columns(User, "id", "email", "display_name", "is_superuser", "is_staff")
_GAME = columns(Game, "id", "public_id", "invite_token", "rematch_of_id", "name")
_SEAT = columns(Seat, "id", "game_id", "due_at", "overdue")
_MAIL = columns(OutboxMail, "id", "dedupe_key", "message_id", "state", "to_address", "kind")
_SERIES = "generate_series(%(first)s::int, %(last)s) AS n"
_PEOPLE = f"""
    INSERT INTO games_user (email, display_name, is_superuser, is_staff, {_USER})
    SELECT 'p' || n || '@bench.example.org', 'Player ' || n, false, false, {_USER}
    FROM {_SERIES}, games_user WHERE email = 'mabel@example.org'
"""
_GAMES = f"""
    INSERT INTO games_game (public_id, invite_token, name, {_GAME})
    SELECT 'm' || lpad(n::text, 11, '0'), left(md5(n || 'bench'), 24), md5(n::text), {_GAME}
    FROM {_SERIES}, games_game WHERE games_game.id = %(model)s
"""
_SEATS = f"""
    INSERT INTO games_seat (game_id, due_at, overdue, {_SEAT})
    SELECT copy.id, CASE WHEN due_at IS NULL THEN NULL
            ELSE now() + (CASE WHEN n > %(late)s THEN 9 ELSE -9 END) * interval '1 day' END,
        due_at IS NOT NULL AND n <= %(late)s, {_SEAT}
    FROM {_SERIES}
    JOIN games_game AS copy ON copy.public_id = 'm' || lpad(n::text, 11, '0'),
    games_seat WHERE games_seat.game_id = %(model)s
"""
_EMAILS = f"""
    INSERT INTO games_outboxmail (dedupe_key, message_id, state, to_address, kind, {_MAIL})
    SELECT 'bench' || n, '<m' || n || '@bench>', 'parked', 'p' || n || '@bench.example.org', 'turn',
        {_MAIL}
    FROM {_SERIES}, (SELECT * FROM games_outboxmail WHERE lease_until IS NULL LIMIT 1) AS mail
"""
