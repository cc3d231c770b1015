from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("games", "0025_open_seats"),
    ]

    operations = [
        AddIndexConcurrently(
            "seat",
            models.Index(
                condition=models.Q(("open_since__isnull", False)),
                fields=["game"],
                name="games_seat_open",
            ),
        ),
    ]
