"""Refuse a second seat on a place of a table.

No service has written two, so the repair should find nothing. The index is made without blocking
writes, and becomes the constraint at once.
"""

from django.db import migrations, models

# A migration that was stopped leaves an index that is not valid. A table with two seats on a place
# gets the places of its numbers, which are unique.
_REPAIR = """
    UPDATE games_seat SET place = number
    WHERE place <> number AND game_id IN (
        SELECT game_id FROM games_seat GROUP BY game_id HAVING count(*) > count(DISTINCT place)
    )
"""
_INDEX = """
    CREATE UNIQUE INDEX CONCURRENTLY games_seat_place_once ON games_seat (game_id, place)
"""
_CONSTRAINT = """
    ALTER TABLE games_seat
    ADD CONSTRAINT games_seat_place_once UNIQUE USING INDEX games_seat_place_once
"""


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("games", "0035_places_of_seats")]

    operations = [
        migrations.RunSQL(_REPAIR, migrations.RunSQL.noop),
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    "DROP INDEX CONCURRENTLY IF EXISTS games_seat_place_once",
                    "ALTER TABLE games_seat DROP CONSTRAINT games_seat_place_once",
                ),
                migrations.RunSQL(_INDEX, migrations.RunSQL.noop),
                migrations.RunSQL(_CONSTRAINT, migrations.RunSQL.noop),
            ],
            state_operations=[
                migrations.AddConstraint(
                    "seat",
                    models.UniqueConstraint(fields=("game", "place"), name="games_seat_place_once"),
                ),
            ],
        ),
    ]
