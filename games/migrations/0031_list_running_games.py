"""List running games by their start: then a move changes no column of an index of games_game."""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("games", "0030_longer_tokens")]

    operations = [
        AddIndexConcurrently(
            "game",
            models.Index(
                condition=models.Q(("is_open", True), ("status", "running")),
                fields=["-started_at"],
                name="games_game_running",
            ),
        ),
        RemoveIndexConcurrently("game", "games_game_by_status"),
    ]
