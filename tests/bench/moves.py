"""A move over HTTP, POST to commit, beside a bare view, with few and with many games around."""

import http.client
import time
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection
from django.middleware.csrf import _get_new_csrf_string
from django.urls import reverse

from atlantis_site.supervisor.stack import ServiceStack
from games import services
from games.log import event_store
from games.models import Game, Seat, User
from tests.support.bots import bot_choice

from .report import Table, median, ms, progress

CSRF = _get_new_csrf_string()


class Browser:
    """One signed-in person; every POST is a connection of its own."""

    def __init__(self, user: User) -> None:
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.create()
        self.user = user
        self.cookie = f"{settings.SESSION_COOKIE_NAME}={session.session_key}; "
        self.cookie += f"{settings.CSRF_COOKIE_NAME}={CSRF}"

    def post(self, path: str, **fields: str | int) -> float:
        """Seconds from the first byte sent to the last one received; must be answered by a
        redirect."""
        body = urlencode({"csrfmiddlewaretoken": CSRF, **fields})
        head = {"Cookie": self.cookie, "Content-Type": "application/x-www-form-urlencoded"}
        site = urlsplit(settings.SITE_URL)
        start = time.perf_counter()
        server = http.client.HTTPConnection(str(site.hostname), site.port, timeout=20)
        server.request("POST", path, body, head)
        answer = server.getresponse()
        words = answer.read()
        server.close()
        took = time.perf_counter() - start
        if answer.status != 302:
            raise SystemExit(f"POST {path} was answered {answer.status}: {words[:400]!r}")
        return took


def bench(stack: ServiceStack, sizes: list[int], pairs: int) -> Table:
    """`pairs` moves and as many bare requests, in turn, at every size of the database."""
    table = Table(
        f"A move over HTTP, median of {pairs}, one web worker, durable PostgreSQL",
        ("games in the database", "a move", "bare view", "ratio"),
    )
    people = [
        Browser(User.objects.create_user(f"{name}@example.org", display_name=name))
        for name in ("Alice", "Bob")
    ]
    for size in sizes:
        crowd(size, people)
        settle(stack)
        stack.start("web")
        wait_for_web()
        moves, bare = play(people, pairs)
        stack.parts["web"].stop()
        ratio = median(moves) / median(bare)
        table.add(f"{size:,}", ms(median(moves)), ms(median(bare)), f"{ratio:.2f}")
    what = f"a move over HTTP against the bare view, {sizes[-1]:,} games"
    table.aim(what, ratio, most=1.4, write="{:.2f}".format)
    return table


def wait_for_web() -> None:
    """Until the site answers, for half a minute."""
    site = urlsplit(settings.SITE_URL)
    for _try in range(300):
        try:
            server = http.client.HTTPConnection(str(site.hostname), site.port, timeout=5)
            server.request("GET", "/healthz")
            if server.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the site does not answer")


def new_game(people: list[Browser], kind: str = "atlantis") -> Game:
    """A started game of two people."""
    host, guest = (browser.user for browser in people)
    game = services.game_create(
        host=host,
        kind=kind,
        name="Bench",
        seat_count=2,
        options={},
        pace_days=3,
        is_open=True,
        bots=0,
        resign_policy="bot",
    )
    services.game_join(game_id=game.pk, user=guest)
    game.refresh_from_db()
    if game.status == Game.Status.GATHERING:
        services.game_start(game_id=game.pk, by=host)
        game.refresh_from_db()
    return game


def play(people: list[Browser], pairs: int) -> tuple[list[float], list[float]]:
    """(seconds per move, seconds per bare request), measured in turn, over whole games."""
    moves: list[float] = []
    bare: list[float] = []
    game = new_game(people)
    while len(moves) < pairs:
        log = event_store.load(game)
        if not log.projection.to_act:
            game = new_game(people)
            continue
        seat = log.projection.to_act[0]
        view = log.engine.rules.view(log.state, seat)
        line = log.engine.notation.describe(bot_choice(log, seat), view)
        owner = game.seats.get(number=seat).user_id
        browser = next(one for one in people if one.user.pk == owner)
        fields: dict[str, str | int] = {"line": line, "version": log.version, "note": ""}
        bare.append(browser.post("/bench/bare", **fields))
        moves.append(browser.post(reverse("play", args=[game.public_id]), **fields))
        game.refresh_from_db()
        if game.version == log.version:
            raise SystemExit(f"the move was not made: {line}")
    return moves, bare


def crowd(size: int, people: list[Browser]) -> None:
    """Fill the database up to `size` games that have begun, with seats and logs.

    Copies of a real one, made by PostgreSQL; a move in them was never made, so their digests do not
    count, and nobody waits for them but their two players.
    """
    missing = size - Game.objects.count()
    if missing <= 0:
        return
    progress(f"{missing:,} more games")
    model = new_game(people).pk
    with connection.cursor() as cursor:
        cursor.execute(SQL_GAMES, [missing, model])
        cursor.execute(SQL_SEATS, [model, model])
        cursor.execute(SQL_EVENTS, [model, model])


def settle(stack: ServiceStack) -> None:
    """Let PostgreSQL do now what this number of new rows would make it do while moves are measured:
    statistics, a first vacuum, and all of it written to the disk."""
    with stack.postgres.connect("postgres") as server:
        server.execute("VACUUM (ANALYZE)")
        server.execute("CHECKPOINT")


def _columns(model: type[Game | Seat], *out: str) -> str:
    return ", ".join(str(f.column) for f in model._meta.concrete_fields if f.column not in out)


_GAME = _columns(Game, "id", "public_id", "invite_token", "rematch_of_id")
_CHAIR = _columns(Seat, "id", "game_id", "user_id")
_FACT = "seq, kind, seat, by_id, schema, payload, at, digest"

SQL_GAMES = f"""
    INSERT INTO games_game (public_id, invite_token, {_GAME})
    SELECT left(translate(md5(n || 'id'), '0189', 'wxyz'), 12), left(md5(n || 'token'), 24), {_GAME}
    FROM generate_series(1, %s) AS n, games_game WHERE games_game.id = %s
    ON CONFLICT DO NOTHING
"""
SQL_SEATS = f"""
    INSERT INTO games_seat (game_id, user_id, {_CHAIR})
    SELECT g.id, NULL, {", ".join("s." + name for name in _CHAIR.split(", "))}
    FROM games_game AS g, games_seat AS s
    WHERE s.game_id = %s AND g.id > %s
      AND NOT EXISTS (SELECT 1 FROM games_seat AS other WHERE other.game_id = g.id)
"""
SQL_EVENTS = f"""
    INSERT INTO games_gameevent (game_id, {_FACT})
    SELECT g.id, {", ".join("e." + name for name in _FACT.split(", "))}
    FROM games_game AS g, games_gameevent AS e
    WHERE e.game_id = %s AND g.id > %s
      AND NOT EXISTS (SELECT 1 FROM games_gameevent AS other WHERE other.game_id = g.id)
"""
