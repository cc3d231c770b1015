"""The rows of one table in as few messages to PostgreSQL as can be: one to read, one to write.

A move that asked row by row, through the ORM, took three times as long as a view that commits one
row. Several statements in one message are still several: each sees what is committed by then, so
what is read after the lock is what the lock protects.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Model

from games import event_log
from games.event_log import Log
from games.models import Game, Seat, User

Statement = event_log.Statement
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


def lock(game_id: int, *, skip_locked: bool = False) -> tuple[Game, Log, list[Seat]]:
    """The game, locked until the transaction ends, its log, and the chairs in order with the
    people on them. Game.DoesNotExist, also where another has the lock and `skip_locked`."""
    game_columns, seat_columns, user_columns = (_columns(m)[0] for m in (Game, Seat, User))
    sql = (
        f"SELECT {game_columns} FROM games_game WHERE id = %s FOR UPDATE"  # noqa: S608
        f"{' SKIP LOCKED' if skip_locked else ''};"
        f"{event_log.SELECT};"
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
    return game, event_log.of_rows(game, events), [_chair(game, row) for row in chairs]


def _chair(game: Game, row: Sequence[Any]) -> Seat:
    width = len(_columns(Seat)[1])
    seat = _made(Seat, row[:width])
    seat.user = _made(User, row[width:]) if seat.user_id is not None else None
    return seat


def game_changes(game: Game) -> Statement:
    """Writes what of the Game row follows from the log."""
    text = (
        "UPDATE games_game SET status = %s, version = %s, to_act = %s::smallint[],"
        " scores = %s::integer[], winners = %s::smallint[], started_at = %s, paused_at = %s,"
        " ended_at = %s, last_event_at = %s WHERE id = %s"
    )
    values: list[Any] = [str(game.status), game.version, game.to_act, game.scores, game.winners]
    values += [game.started_at, game.paused_at, game.ended_at, game.last_event_at, game.pk]
    return text, values


def seat_changes(seats: Iterable[Seat]) -> list[Statement]:
    """Writes the questions of these seats."""
    text = (
        "UPDATE games_seat SET asked_seq = %s, asked_at = %s, due_at = %s, time_left = %s,"
        " remind_at = %s, overdue = %s WHERE id = %s"
    )
    return [
        (text, [s.asked_seq, s.asked_at, s.due_at, s.time_left, s.remind_at, s.overdue, s.pk])
        for s in seats
    ]
