"""Find the invitations to an address that nobody has answered yet, for the first page."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("games", "0033_practice_games")]

    operations = [
        AddIndexConcurrently(
            "invitation",
            models.Index(
                condition=models.Q(("answer", "")),
                fields=["address"],
                name="games_invitation_open",
            ),
        ),
    ]
