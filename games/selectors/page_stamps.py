"""Stamps by which open pages learn that they are out of date: see games.table_stamps."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from django.db import connection

from games.models import Game, User
from games.table_stamps import GONE, LOBBY, MOST_TOPICS, SELECT_LOBBY, SELECT_STATES, TALK, stamp

from .access import Reader
from .game_lists import GameRow, invitations_to
from .talk import may_read_talk

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def table_topics(game: Game, user: Reader) -> tuple[str, ...]:
    """The topics of the page of this table."""
    talk = (TALK + game.public_id,) if may_read_talk(game, user) else ()
    return (game.public_id, *talk)


def table_stamp(game: Game, user: Reader) -> str:
    """The stamp of the page of a table that came from `game_for`."""
    noted = game.noted_at
    at = 0 if noted is None else (noted - _EPOCH) // timedelta(milliseconds=1)
    talk = (game.talk_state,) if may_read_talk(game, user) else ()
    return stamp([f"{game.version}.{at}", *talk])


def home_topics(user: Reader) -> tuple[str, ...]:
    """Return the topics of this person's home page: the open tables, the tables that they are
    invited to, and their newest games."""
    if not isinstance(user, User):
        return (LOBBY,)
    alive = (Game.Status.GATHERING, Game.Status.RUNNING, Game.Status.PAUSED)
    mine = Game.objects.filter(seats__user=user, status__in=alive).order_by("-last_event_at", "-pk")
    invited = [invitation.table.public_id for invitation in invitations_to(user)]
    newest = [*invited, *mine.values_list("public_id", flat=True)[: MOST_TOPICS - 1]]
    return (LOBBY, *sorted(newest[: MOST_TOPICS - 1]))


def tables_topics(rows: Sequence[GameRow]) -> tuple[str, ...]:
    """The topics of a list of public tables: the open tables, and the listed ones."""
    return (LOBBY, *sorted(row.game.public_id for row in rows)[: MOST_TOPICS - 1])


def stamp_of(topics: tuple[str, ...]) -> str:
    """The present stamp of these topics."""
    with connection.cursor() as cursor:
        cursor.execute(SELECT_STATES, [list(topics)])
        states = dict(cursor.fetchall())
        if LOBBY in topics:
            cursor.execute(SELECT_LOBBY)
            states[LOBBY] = cursor.fetchone()[0]
    return stamp([states.get(topic, GONE) for topic in topics])
