"""Loads a game, its log and its seats with their users in one round trip.

Through the ORM, loading these rows was most of the cost of a move and of a list of games.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Model

from games.models import Game, Seat, User
from games.table_stamps import TALK_STATE

from . import event_store, pipeline
from .game_log import Log
from .pipeline import Statement

_Model = TypeVar("_Model", bound=Model)


@cache
def _columns(model: type[Model], without: str = "") -> tuple[str, list[str], list[tuple[int, Any]]]:
    """Return the columns of a model as SQL, the names of their attributes, and (place, converter)
    for each value that the database does not return as the field has it.

    without: a deferred column.
    """
    fields = [field for field in model._meta.concrete_fields if field.column != without]
    table = model._meta.db_table
    return (
        ", ".join(f"{table}.{field.column}" for field in fields),
        [field.attname for field in fields],
        [(n, convert) for n, field in enumerate(fields) for convert in _converters(field)],
    )


def _converters(field: Any) -> Any:
    return field.get_db_converters(connection)


def _made(model: type[_Model], row: Sequence[Any], without: str = "") -> _Model:
    """Return the object that the ORM would make of this row."""
    _sql, names, converters = _columns(model, without)
    values = list(row)
    for place, convert in converters:
        values[place] = convert(values[place], None, connection)
    return model.from_db(connection.alias, names, values)


# The commit of a row that refers to a game or a user, such as an email, checks that it exists. That
# would wait for a lock FOR UPDATE, whose transaction could wait for the other one at the same time.
# This lock lets it pass: the services change no primary key.
LOCK = "FOR NO KEY UPDATE"


def read_table(game_id: int, *, lock: bool = False) -> tuple[Game, Log, list[Seat]]:
    """The game, its log, and the seats in order with their users. Game.DoesNotExist.

    lock: lock the row of the game until the transaction ends, for services.
    """
    row = f"SELECT {_columns(Game)[0]} FROM games_game WHERE id = %s"  # noqa: S608 (only column names and placeholders)
    games, events, seats, outages = pipeline.execute(
        [
            (f"{row} {LOCK}" if lock else row, [game_id]),
            event_store.select(game_id),
            (_seats() + " WHERE games_seat.game_id = %s ORDER BY games_seat.number", [game_id]),
            (
                (
                    "SELECT id, starts, ends FROM games_outage WHERE id >"
                    " (SELECT outage_id FROM games_game WHERE id = %s) ORDER BY id"
                ),
                [game_id],
            ),
        ]
    )
    if not games:
        raise Game.DoesNotExist(f"there is no game {game_id}")
    game = _made(Game, games[0])
    game.new_outages = [(key, starts, ends) for key, starts, ends in outages]
    return game, event_store.of_rows(game, events), [_seat(game, row) for row in seats]


LEFT_OUT = "seed"  # of the columns of a game: no page shows it


def read_games(keys: Sequence[int]) -> list[Game]:
    """These games (pk) in this order with their seats, as far as they exist; without the seed."""
    sql = f"SELECT {_columns(Game, LEFT_OUT)[0]} FROM games_game WHERE id = ANY(%s)"  # noqa: S608 (column names)
    theirs = _seats() + " WHERE game_id = ANY(%s) ORDER BY number"
    rows, seats = pipeline.execute([(sql, [list(keys)]), (theirs, [list(keys)])])
    games = {game.pk: game for game in (_made(Game, row, LEFT_OUT) for row in rows)}
    _seat_all(games, seats)
    return [games[key] for key in keys if key in games]


def read_place(public_id: str, user_id: int) -> tuple[int, int] | None:
    """(pk of the game, number) of the seat that this user holds in a game; None without one."""
    (rows,) = pipeline.execute([(_PLACE, [public_id, user_id])])
    return rows[0] if rows else None


# The game is found first: a user may play in hundreds. Through the ORM, this query cost a tenth of
# a move.
_PLACE = """
    SELECT game_id, number FROM games_seat
    WHERE game_id = (SELECT id FROM games_game WHERE public_id = %s) AND user_id = %s
"""


def read_game(public_id: str, user_id: int | None) -> Game | None:
    """The game with its seats, without the seed, and with marks for open pages: noted_at, when its
    last note was written, talk_state, and seen_at, when this user last had its page open."""
    columns = _columns(Game, LEFT_OUT)[0]
    notes = (
        "SELECT max(at) FROM games_message WHERE game_id = games_game.id"
        " AND seq IS NOT NULL AND state = ''"
    )
    visit = "SELECT at FROM games_tablepresence WHERE game_id = games_game.id AND user_id = %s"
    game_sql = (
        f"SELECT ({notes}), {TALK_STATE}, ({visit}), {columns} FROM games_game"  # noqa: S608 (column names)
        " WHERE public_id = %s"
    )
    own = " WHERE game_id = (SELECT id FROM games_game WHERE public_id = %s) ORDER BY number"
    rows, seats = pipeline.execute(
        [(game_sql, [user_id, public_id]), (_seats() + own, [public_id])]
    )
    if not rows:
        return None
    noted_at, talk_state, seen_at, *row = rows[0]
    game = _made(Game, row, LEFT_OUT)
    game.noted_at, game.talk_state, game.seen_at = noted_at, talk_state, seen_at
    _seat_all({game.pk: game}, seats)
    return game


def _seats() -> str:
    seat_columns, user_columns = (_columns(model)[0] for model in (Seat, User))
    return (
        f"SELECT {seat_columns}, {user_columns} FROM games_seat"  # noqa: S608 (column names)
        " LEFT JOIN games_user ON games_user.id = games_seat.user_id"
    )


def _seat_all(games: Mapping[int, Game], rows: Sequence[Sequence[Any]]) -> None:
    place = _columns(Seat)[1].index("game_id")
    found: dict[int, list[Seat]] = {key: [] for key in games}
    for row in rows:
        if (game := games.get(row[place])) is not None:
            found[game.pk].append(_seat(game, row))
    for key, seats in found.items():
        games[key].seat_list = seats


def _seat(game: Game, row: Sequence[Any]) -> Seat:
    width = len(_columns(Seat)[1])
    seat = _made(Seat, row[:width])
    seat.game = game
    seat.user = _made(User, row[width:]) if seat.user_id is not None else None
    return seat


def lock_person(pk: int) -> Statement:
    """Locks the row of a user, for `person_from`, in the message that counts a use of a quota."""
    return f"SELECT {_columns(User)[0]} FROM games_user WHERE id = %s {LOCK}", [pk]  # noqa: S608 (column names)


def person_from(rows: Sequence[Sequence[Any]]) -> User:
    """The user in the row that `lock_person` gives."""
    (row,) = rows
    return _made(User, row)
