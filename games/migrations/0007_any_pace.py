"""The paces that hosts can choose are a list in the code; the database only limits them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0006_verbose_names")]

    operations = [
        migrations.RemoveConstraint("game", "games_game_pace"),
        migrations.AddConstraint(
            "game",
            models.CheckConstraint(
                condition=models.Q(pace_days__range=(1, 60)), name="games_game_pace"
            ),
        ),
    ]
