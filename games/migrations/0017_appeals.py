"""Appeals against decisions."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("games", "0016_reports")]

    operations = [
        migrations.CreateModel(
            name="Appeal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="time"
                    ),
                ),
                ("text", models.TextField(blank=True, verbose_name="text")),
                ("message_id", models.CharField(blank=True, max_length=255)),
                ("for_administrators", models.BooleanField(verbose_name="for administrators")),
                (
                    "answer",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="answers",
                        to="games.decision",
                        verbose_name="answer",
                    ),
                ),
                (
                    "decision",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="appeal",
                        to="games.decision",
                        verbose_name="decision",
                    ),
                ),
            ],
            options={
                "verbose_name": "appeal",
                "verbose_name_plural": "appeals",
                "ordering": ("at",),
                "indexes": [
                    models.Index(
                        condition=Q(answer__isnull=True), fields=["at"], name="games_appeal_open"
                    ),
                    models.Index(
                        condition=Q(text="", _negated=True), fields=["at"], name="games_appeal_text"
                    ),
                ],
            },
        ),
    ]
