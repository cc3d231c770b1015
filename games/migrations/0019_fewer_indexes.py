"""Drop indexes that no query uses, and leave room for new versions of rows beside the old ones.

Django makes an index for LIKE 'prefix%' beside that of each unique text. No query asks for
prefixes; the indexes took 293 MB with a million games. The index of seats by game repeats the one
by game and number.
"""

import django.db.models.deletion
from django.db import migrations, models

DROP_LIKE = """
DO $$
DECLARE name text;
BEGIN
    FOR name IN
        SELECT indexname FROM pg_indexes
        WHERE schemaname = current_schema() AND tablename LIKE 'games\\_%%'
            AND indexname LIKE '%%\\_like'
    LOOP
        EXECUTE format('DROP INDEX IF EXISTS %%I', name);
    END LOOP;
END $$
"""
# Rows of these tables change several times; a tenth to a third of each page stays free for that.
FILL = {"games_game": 85, "games_seat": 80, "games_outboxmail": 70}


class Migration(migrations.Migration):
    dependencies = [("games", "0018_feed_keys")]

    operations = [
        migrations.RunSQL(DROP_LIKE.replace("%%", "%"), migrations.RunSQL.noop),
        *(
            migrations.RunSQL(
                f"ALTER TABLE {table} SET (fillfactor = {percent})",
                f"ALTER TABLE {table} RESET (fillfactor)",
            )
            for table, percent in FILL.items()
        ),
        migrations.AlterField(
            model_name="seat",
            name="game",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="seats",
                to="games.game",
            ),
        ),
    ]
