"""Rename fields of incoming emails in Python; their columns stay. No SQL."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from games.models import InboundMail

RENAMED = (
    (
        "door",
        "channel",
        models.CharField("channel", max_length=7, choices=InboundMail.Channel.choices),
    ),
    ("cut", "is_truncated", models.BooleanField("truncated", default=False)),
    (
        "verdict",
        "outcome",
        models.CharField(
            "outcome", max_length=8, choices=InboundMail.Outcome.choices, blank=True, default=""
        ),
    ),
    (
        "authentic",
        "sender_check",
        models.CharField(
            "sender check",
            max_length=8,
            choices=InboundMail.SenderCheck.choices,
            blank=True,
            default="",
        ),
    ),
)
GAME = models.ForeignKey(
    "games.game",
    django.db.models.deletion.CASCADE,
    null=True,
    related_name="inbound_mails",
    verbose_name="game",
)
USER = models.ForeignKey(
    settings.AUTH_USER_MODEL,
    django.db.models.deletion.SET_NULL,
    null=True,
    related_name="inbound_mails",
    verbose_name="user",
)


def _renamed(old, new, field):
    field.db_column = old
    return [
        migrations.RenameField("inboundmail", old, new),
        migrations.AlterField("inboundmail", new, field),
    ]


class Migration(migrations.Migration):
    dependencies = [("games", "0010_preferences")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                *(operation for each in RENAMED for operation in _renamed(*each)),
                migrations.AlterField("inboundmail", "game", GAME),
                migrations.AlterField("inboundmail", "user", USER),
            ]
        )
    ]
