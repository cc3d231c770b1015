"""Games for a single player; the number of seats becomes 1 to 8, limited further by each game."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0008_mail_names")]

    operations = [
        migrations.RemoveConstraint(model_name="game", name="games_game_seats"),
        migrations.AddConstraint(
            model_name="game",
            constraint=models.CheckConstraint(
                condition=models.Q(("seat_count__range", (1, 8))), name="games_game_seats"
            ),
        ),
    ]
