# The index of `manage.py verify --new`, made while the service runs.

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("games", "0014_log_checkpoints")]

    operations = [
        AddIndexConcurrently(
            model_name="game",
            index=models.Index(
                condition=models.Q(("ended_at__isnull", False)),
                fields=["ended_at", "id"],
                name="games_game_ended",
            ),
        ),
    ]
