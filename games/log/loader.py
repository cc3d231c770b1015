"""One table out of PostgreSQL in one message: the game, its log, its chairs and who sits on them.

Through the ORM, row by row, this was most of the price of a move. Several statements in one
message are still several: each sees what is committed by then, so what is read after a lock is
what the lock protects.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Model

from games.log import event_store
from games.log.event_store import Log
from games.models import Game, Seat, User

_Model = TypeVar("_Model", bound=Model)


@lru_cache(maxsize=3)
def _columns(model: type[Model]) -> tuple[str, list[str], list[tuple[int, Any]]]:
    """(all columns as SQL, the names of their attributes, what converts which of their values)."""
    fields = model._meta.concrete_fields
    table = model._meta.db_table
    return (
        ", ".join(f"{table}.{field.column}" for field in fields),
        [field.attname for field in fields],
        [(n, convert) for n, field in enumerate(fields) for convert in _converters(field)],
    )


def _converters(field: Any) -> Any:
    return field.get_db_converters(connection)


def _made(model: type[_Model], row: Sequence[Any]) -> _Model:
    """The object that the ORM would make of this row."""
    _sql, names, converters = _columns(model)
    values = list(row)
    for place, convert in converters:
        values[place] = convert(values[place], None, connection)
    return model.from_db(connection.alias, names, values)


def read_table(game_id: int, lock: str = "") -> tuple[Game, Log, list[Seat]]:
    """The game, its log, and the chairs in order with the people on them. Game.DoesNotExist.

    lock: "FOR UPDATE" and the like, for services; a row that it skips is not there.
    """
    game_columns, seat_columns, user_columns = (_columns(m)[0] for m in (Game, Seat, User))
    sql = (
        f"SELECT {game_columns} FROM games_game WHERE id = %s {lock};"  # noqa: S608
        f"{event_store.SELECT};"
        f"SELECT {seat_columns}, {user_columns} FROM games_seat"
        " LEFT JOIN games_user ON games_user.id = games_seat.user_id"
        " WHERE games_seat.game_id = %s ORDER BY games_seat.number"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, [game_id] * 3)
        found = cursor.fetchone()
        if found is None:
            raise Game.DoesNotExist(f"there is no game {game_id}, or it is locked")
        cursor.nextset()
        events = cursor.fetchall()
        cursor.nextset()
        chairs = cursor.fetchall()
    game = _made(Game, found)
    return game, event_store.of_rows(game, events), [_chair(game, row) for row in chairs]


def _chair(game: Game, row: Sequence[Any]) -> Seat:
    width = len(_columns(Seat)[1])
    seat = _made(Seat, row[:width])
    seat.user = _made(User, row[width:]) if seat.user_id is not None else None
    return seat


def read_person(pk: int) -> User | None:
    """The person as the row says at this moment; None for who has been deleted."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {_columns(User)[0]} FROM games_user WHERE id = %s", [pk])  # noqa: S608
        row = cursor.fetchone()
    return _made(User, row) if row is not None else None
