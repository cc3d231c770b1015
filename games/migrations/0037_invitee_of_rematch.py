"""Say of an invitation to a rematch whom it invites: its address was not typed by anybody.

Of an invitation that exists, this is the player of the finished game who has its address.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

_INVITEES = """
    UPDATE games_invitation SET invitee_id = games_user.id
    FROM games_game, games_user
    WHERE games_game.id = games_invitation.game_id
        AND games_game.rematch_of_id IS NOT NULL
        AND lower(games_user.email) = lower(games_invitation.address)
        AND (
            EXISTS (
                SELECT FROM games_seat
                WHERE games_seat.game_id = games_game.rematch_of_id
                    AND games_seat.user_id = games_user.id
            )
            OR EXISTS (
                SELECT FROM games_formerseat
                WHERE games_formerseat.game_id = games_game.rematch_of_id
                    AND games_formerseat.user_id = games_user.id
            )
        )
"""


class Migration(migrations.Migration):
    dependencies = [("games", "0036_one_seat_per_place")]

    operations = [
        migrations.AddField(
            "invitation",
            "invitee",
            models.ForeignKey(
                db_index=False,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
                verbose_name="player",
            ),
        ),
        migrations.RunSQL(_INVITEES, migrations.RunSQL.noop),
    ]
