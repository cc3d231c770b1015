"""Messages at tables, of which the notes on moves become a part."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

# The author of a note is the person who made its move, unless the account is deleted. Everybody has
# read it.
NOTES_BECOME_MESSAGES = """
INSERT INTO games_message (game_id, author_id, seat, seq, text, at, state, readers, unsent)
SELECT note.game_id, event.by_id, note.seat, note.seq, note.text, note.at, '',
    ARRAY(SELECT seat.user_id::bigint FROM games_seat seat
        WHERE seat.game_id = note.game_id AND seat.user_id IS NOT NULL), '{}'
FROM games_tablenote note JOIN games_gameevent event USING (game_id, seq)
JOIN games_user author ON author.id = event.by_id
ORDER BY note.at, note.id;
UPDATE games_seat seat SET talk_read = newest.id
FROM (SELECT game_id, max(id) AS id FROM games_message GROUP BY game_id) newest
WHERE newest.game_id = seat.game_id;
"""
MESSAGES_BECOME_NOTES = """
INSERT INTO games_tablenote (game_id, seq, seat, text, at)
SELECT game_id, seq, min(seat), left(string_agg(text, E'\\n' ORDER BY id), 500), max(at)
FROM games_message WHERE seq IS NOT NULL AND state = '' GROUP BY game_id, seq;
"""


class Migration(migrations.Migration):

    dependencies = [
        ("games", "0008_decisions"),
    ]

    operations = [
        migrations.AddField("game", "talk_open", models.BooleanField(db_default=True, default=True)),
        migrations.AddField(
            "outboxmail",
            "messages",
            django.contrib.postgres.fields.ArrayField(
                models.BigIntegerField(), db_default=[], default=list, size=None
            ),
        ),
        migrations.AddField(
            "seat", "talk_read", models.PositiveBigIntegerField(db_default=0, default=0)
        ),
        migrations.AddField(
            "user",
            "muted",
            django.contrib.postgres.fields.ArrayField(
                models.BigIntegerField(), db_default=[], default=list, editable=False, size=None
            ),
        ),
        migrations.AlterField(
            "inboundmail",
            "note",
            models.CharField(blank=True, default="", max_length=1001, verbose_name="note"),
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seat", models.PositiveSmallIntegerField(verbose_name="seat (from 0)")),
                ("seq", models.PositiveIntegerField(null=True, verbose_name="event")),
                ("text", models.CharField(max_length=1000, verbose_name="text")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created")),
                ("state", models.CharField(blank=True, choices=[("", "readable"), ("deleted", "deleted by its author"), ("removed", "removed by a moderator")], default="", max_length=7, verbose_name="state")),
                ("readers", django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                ("unsent", django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                ("author", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="messages", to=settings.AUTH_USER_MODEL, verbose_name="author")),
                ("game", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="messages", to="games.game", verbose_name="game")),
            ],
            options={
                "verbose_name": "message",
                "verbose_name_plural": "messages",
                "ordering": ("game", "id"),
            },
        ),
        migrations.RunSQL(NOTES_BECOME_MESSAGES, MESSAGES_BECOME_NOTES),
        migrations.DeleteModel("TableNote"),
        migrations.AddIndex(
            "message", models.Index(fields=["game", "id"], name="games_message_of_game")
        ),
        migrations.AddIndex(
            "message",
            models.Index(
                condition=models.Q(("seq__isnull", False), ("state", "")),
                fields=["game", "at"],
                name="games_message_notes",
            ),
        ),
    ]
