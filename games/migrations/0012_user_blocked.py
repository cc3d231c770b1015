"""Blocks between people."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0011_decision_reported")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="blocked",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(),
                db_default=[],
                default=list,
                editable=False,
                size=None,
            ),
        ),
    ]
