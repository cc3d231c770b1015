"""Rename fields of email rows and preferences in Python; their columns stay. No SQL.

The kinds of email are no longer choices: games.mail.kinds has them.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

RENAMED = (
    ("user", "mail_ways", "delivery_modes", models.JSONField(default=dict, blank=True)),
    ("user", "mail_ways_before", "saved_modes", models.JSONField(default=dict, blank=True)),
    ("user", "mail_waits", "hold_while_online", models.BooleanField(default=False)),
    ("user", "seen_at", "last_seen_at", models.DateTimeField(null=True, blank=True)),
)
BATCHED_INTO = models.ForeignKey(
    "games.outboxmail",
    django.db.models.deletion.CASCADE,
    null=True,
    related_name="merged",
    db_column="carrier_id",
    verbose_name="sent with",
)
MERGED = models.CheckConstraint(
    condition=models.Q(
        models.Q(("state", "carried"), _negated=True),
        ("batched_into__isnull", False),
        _connector="OR",
    ),
    name="games_outbox_carried_by_one",
)


def _renamed(model, old, new, field):
    field.db_column = old
    return [
        migrations.RenameField(model, old, new),
        migrations.AlterField(model, new, field),
    ]


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0007_any_pace"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                *(operation for each in RENAMED for operation in _renamed(*each)),
                migrations.RemoveConstraint("outboxmail", MERGED.name),
                migrations.RenameField("outboxmail", "carrier", "batched_into"),
                migrations.AlterField("outboxmail", "batched_into", BATCHED_INTO),
                migrations.AddConstraint("outboxmail", MERGED),
                migrations.AlterField(
                    "outboxmail", "kind", models.CharField("kind", max_length=20)
                ),
            ]
        )
    ]
