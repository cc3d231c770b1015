"""Many games at once: copies that PostgreSQL makes of a few, with their seats and logs.

The digests of a copied log stay those of its model.
"""

from typing import Any

from games.models import Game, GameEvent, Seat


def columns(model: Any, *out: str) -> str:
    """The columns of a model but these, for a list of SQL."""
    return ", ".join(str(f.column) for f in model._meta.concrete_fields if f.column not in out)


# The caller fills it: a row for each copy, with the key of its model and what is to be added to the
# keys of the people there.
TABLE = "CREATE TEMPORARY TABLE copies (id bigint PRIMARY KEY, model bigint, shift bigint)"
_OWN = ("id", "public_id", "invite_token", "rematch_of_id", "host_id")
STATEMENTS = (
    f"""
    INSERT INTO games_game (id, public_id, invite_token, host_id, {columns(Game, *_OWN)})
    SELECT copies.id, left(translate(md5(random()::text), '0189', 'wxyz'), 12),
        left(md5(random()::text), 24), host_id + shift, {columns(Game, *_OWN)}
    FROM copies JOIN games_game ON games_game.id = model
    """,
    *(
        f"""
        INSERT INTO {model._meta.db_table} (game_id, {person}, {columns(model, *out)})
        SELECT copies.id, {person} + shift, {columns(model, *out)}
        FROM copies JOIN {model._meta.db_table} ON game_id = model
        """
        for model, person, out in (
            (Seat, "user_id", ("id", "game_id", "user_id")),
            (GameEvent, "by_id", ("game_id", "by_id")),
        )
    ),
)
