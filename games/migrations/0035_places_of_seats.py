"""Give the seats of games that have started the places of their numbers.

Bots were named by the numbers of their seats, and are now named by their places: so those at tables
that have started keep their names. Their places mean nothing else.
"""

from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

GAMES = 500  # that one transaction locks

# As services do, the row of a game is locked before its seats.
_NUMBER = """
    WITH started AS (
        SELECT id FROM games_game game
        WHERE id > %s AND started_at IS NOT NULL AND EXISTS (
            SELECT FROM games_seat seat WHERE seat.game_id = game.id AND place <> number
        )
        ORDER BY id LIMIT %s FOR NO KEY UPDATE
    )
    UPDATE games_seat SET place = number FROM started
    WHERE game_id = started.id AND place <> number
    RETURNING game_id
"""


def number_places(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Write the places, a few games at a time."""
    last = 0
    while True:
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(_NUMBER, [last, GAMES])
            games = [game for (game,) in cursor.fetchall()]
        if not games:
            return
        last = max(games)


class Migration(migrations.Migration):
    atomic = False  # each statement is a transaction of its own

    dependencies = [("games", "0034_open_invitations")]

    operations = [migrations.RunPython(number_places, migrations.RunPython.noop)]
