"""Mark practice games. Those that were started before keep their deadlines."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0032_hash_recovery_codes")]

    operations = [
        migrations.AddField(
            model_name="game",
            name="practice",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
