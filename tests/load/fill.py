"""The games of a club: people, each in two running games and two ended ones, copied by PostgreSQL.

Eleven people make a block: one game of each kind for two, three and four of them, and one of two
people and a bot. The games of *Escape* are shifted by one person, so that the two games of a person
have different players. The games that are copied were played with luck of their own and the moves
of bots, to different positions in their middle, or to the end.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import psycopg
from django.conf import settings
from django.db.models import F
from django.test import override_settings

from games import services
from games.log import event_store
from games.models import Game, OutboxMail, User
from games.services import quotas
from tests.bench.report import progress
from tests.factories import fresh, people_of, person, play_one, play_to_the_end, table_of
from tests.support import copies
from tests.support.bots import bot_choice
from tests.support.game_seeds import seeded

BLOCK = 11  # people
GROUPS = ((0, 1), (2, 3, 4), (5, 6, 7, 8), (9, 10))  # of one kind; the last one with a bot
MOVES = {"atlantis": (6, 16), "escape": (40, 60)}  # made in running games
RUNNING = 2 * len(GROUPS)  # games of a block, and as many ended ones
VARIANTS = 3  # of each running game, unless the games are few
DAYS = 7  # for a turn; as many deadlines pass on each of them, those of a turn in twenty
DIGEST = 5  # one person in five gets turn emails in the daily digest


class Turn(NamedTuple):
    """The question of a running game, and a legal move."""

    seat: int
    version: int
    moved_at: int
    line: str
    has_bot: bool


@dataclass
class Models:
    """The games that are copied, by pk. first: the pk of the first of their people, who have
    consecutive ones. running: one list for each variant."""

    first: int
    ended: list[int] = field(default_factory=list)
    running: list[list[int]] = field(default_factory=list)
    turns: dict[int, Turn] = field(default_factory=dict)


class Asked(NamedTuple):
    """A running game in which this user is to make this move."""

    game: int
    public_id: str
    user: int
    email: str
    turn: Turn


def make_models(*, few: bool = False) -> Models:
    """Play the games that are copied. few: only one variant, and no ended games."""
    progress("the games that are copied")
    people = [person(f"Model{number}") for number in range(BLOCK)]
    models = Models(people[0].pk)
    with override_settings(QUOTAS=dict.fromkeys(quotas.REGISTRY, 10**9)):
        models.ended = [play_to_the_end(game).pk for game in _tables(people, 0) if not few]
        for variant in range(1, 2 if few else 1 + VARIANTS):
            games = list(_tables(people, variant))
            for game in games:
                _play_on(game, variant)
                models.turns[game.pk] = _turn(game)
            models.running.append([game.pk for game in games])
    OutboxMail.objects.filter(state="queued").update(state="dropped")  # nobody waits for these
    return models


def _tables(people: list[User], variant: int) -> Iterator[Game]:
    for shift, kind in enumerate(MOVES):
        for number, group in enumerate(GROUPS):
            seats = [people[(place + shift) % BLOCK] for place in group]
            with seeded(100 * variant + 10 * shift + number):
                bots = int(number == len(GROUPS) - 1)
                yield table_of(
                    *seats, kind=kind, options={}, bots=bots, timeout_policy="move", pace_days=DAYS
                )


def _play_on(game: Game, variant: int) -> None:
    """Until it is in its middle, and somebody has all the time of a turn."""
    low, high = MOVES[game.kind]
    people = people_of(game)
    left = low + variant * (high - low) // (VARIANTS + 1)
    while True:
        while {*fresh(game).to_act} - people.keys():  # the worker lets the bot play as well
            services.game_play_bots(game_id=game.pk)
        hurried = game.seats.filter(due_at__lt=F("asked_at") + game.pace)
        if left <= 0 and not hurried.exists():
            return
        left -= 1
        play_one(game)


def _turn(game: Game) -> Turn:
    log = event_store.load(fresh(game))
    people = people_of(game)
    seat = next(number for number in log.projection.to_act if number in people)
    view = log.engine.rules.view(log.state, seat)
    line = log.engine.notation.describe(bot_choice(log, seat), view)
    return Turn(seat, log.version, log.moved_at, line, has_bot=len(people) < game.seat_count)


class Club:
    """The people and their games. first: the pk of the first person. asked: the running games, each
    with the person who is to move, in the order of the blocks of people."""

    def __init__(self, models: Models) -> None:
        self.models = models
        self.people = self.first = 0
        self.asked: list[Asked] = []

    def grow(self, people: int) -> None:
        """Fill up to this number of people, rounded up to whole blocks."""
        have, blocks = self.people // BLOCK, -(-people // BLOCK)
        if blocks <= have:
            return
        progress(f"{(blocks - have) * BLOCK:,} more people and {(blocks - have) * 16:,} games")
        models = self.models
        games = [(n, key) for n, keys in enumerate(models.running) for key in keys]
        games += [(n, key) for n in range(len(models.running)) for key in models.ended]
        values = {
            "model": models.first,
            "from": have,
            "to": blocks - 1,
            "people": BLOCK,
            "variants": [n for n, _key in games],
            "keys": [key for _n, key in games],
            "days": DAYS,
            "digest": DIGEST,
        }
        with psycopg.connect(_superuser(), connect_timeout=10) as session:
            session.execute("SET statement_timeout = 0")
            session.execute(_PEOPLE, values)
            (self.first,) = _one(session.execute(_FIRST))
        middle = (have + blocks) // 2
        halves = [
            {**values, "first": self.first, "from": low, "to": high - 1}
            for low, high in ((have, middle), (middle, blocks))
        ]
        with ThreadPoolExecutor() as pool:
            for found in pool.map(_copy, halves):
                self.asked += [
                    Asked(game, name, user, email, models.turns[model])
                    for model, game, name, user, email in found
                ]
        with psycopg.connect(_superuser(), autocommit=True, connect_timeout=10) as session:
            session.execute("SET statement_timeout = 0")
            session.execute("VACUUM (ANALYZE)")  # as it would be after weeks
            session.execute("CHECKPOINT")
        self.people = blocks * BLOCK


def _copy(values: dict[str, Any]) -> list[tuple[int, int, str, int, str]]:
    """Copy the games of these blocks of people; the running ones, as `_ASKED` reads them."""
    with psycopg.connect(_superuser(), connect_timeout=10) as session:
        session.execute("SET statement_timeout = 0")
        # Neither triggers nor foreign keys are checked: the rows are copies of checked ones.
        session.execute("SET session_replication_role = replica")
        session.execute(copies.TABLE)
        session.execute(_COPIES, values)
        for statement in (*copies.STATEMENTS, _CLOCKS, _DIGESTS):
            session.execute(statement.encode(), values)
        return session.execute(_ASKED).fetchall()


def _one(cursor: "psycopg.Cursor[Any]") -> Any:
    row = cursor.fetchone()
    assert row is not None
    return row


def _superuser() -> str:
    """The database of the service, as the role that may leave out triggers."""
    database = settings.DATABASES["default"]
    return psycopg.conninfo.make_conninfo(
        dbname=database["NAME"], host=database["HOST"], user="postgres"
    )


_OWN = ("id", "email", "display_name", "delivery_modes")
_PEOPLE = f"""
    INSERT INTO games_user (email, display_name, delivery_modes, {copies.columns(User, *_OWN)})
    SELECT 'p' || n || '@load.example.org', 'Player ' || n,
        CASE WHEN n %% %(digest)s = 0 THEN '{{"turn": "digest"}}' ELSE '{{}}' END::jsonb,
        {copies.columns(User, *_OWN)}
    FROM generate_series(%(from)s::int * %(people)s, (%(to)s::int + 1) * %(people)s - 1) AS n,
        games_user WHERE id = %(model)s
    ORDER BY n
"""
_FIRST = "SELECT id FROM games_user WHERE email = 'p0@load.example.org'"
_COPIES = """
    INSERT INTO copies SELECT nextval('games_game_id_seq'), model,
        %(first)s + block * %(people)s - %(model)s
    FROM generate_series(%(from)s::int, %(to)s::int) AS block
    JOIN unnest(%(variants)s::int[], %(keys)s::bigint[]) AS chosen (variant, model)
        ON variant = block %% cardinality(ARRAY(SELECT DISTINCT unnest(%(variants)s::int[])))
    ORDER BY block
"""
# The questions were asked at any time since DAYS ago, and reminders that would have been sent by
# now were.
_CLOCKS = """
    UPDATE games_seat SET asked_at = asked_at - gone, due_at = due_at - gone,
        remind_from = remind_from - gone,
        remind_at = CASE WHEN remind_at - gone > now() THEN remind_at - gone
            WHEN due_at - gone - interval '1 day' > now() THEN due_at - gone - interval '1 day' END
    FROM (SELECT id, random() * %(days)s * interval '1 day' AS gone FROM copies OFFSET 0) AS copy
    WHERE game_id = copy.id AND asked_at IS NOT NULL
"""
# The turn emails that wait for the daily digests of people in all time zones.
_DIGESTS = """
    INSERT INTO games_outboxmail (kind, game_id, seat, user_id, to_address, seq, dedupe_key,
        message_id, context, state, attempts, next_try_at, error, created_at)
    SELECT 'turn', game_id, number, user_id, email, asked_seq,
        game_id || ':' || asked_seq || ':' || user_id || ':turn',
        '<' || md5(random()::text) || '@load.example.org>', '{}', 'queued', 0,
        now() + random() * interval '1 day', '', asked_at
    FROM copies JOIN games_seat ON game_id = copies.id JOIN games_user ON user_id = games_user.id
    WHERE asked_seq IS NOT NULL AND delivery_modes ? 'turn'
"""
_ASKED = """
    SELECT model, game_id, public_id, user_id, email
    FROM copies JOIN games_seat ON game_id = copies.id JOIN games_user ON user_id = games_user.id
        JOIN games_game ON games_game.id = game_id
    WHERE asked_seq IS NOT NULL ORDER BY game_id
"""
