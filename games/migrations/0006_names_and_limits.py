"""New Python names of fields, wider limits of seats and paces, labels from the models.

The columns keep their names; SQL runs for the two constraints only.
"""

import django.db.models.deletion
from django.apps import apps as current_apps
from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation

RENAMED = (
    ("user", "mail_ways", "delivery_modes", models.JSONField(default=dict, blank=True)),
    ("user", "mail_ways_before", "saved_modes", models.JSONField(default=dict, blank=True)),
    ("user", "mail_waits", "hold_while_online", models.BooleanField(default=False)),
    ("user", "seen_at", "last_seen_at", models.DateTimeField(null=True, blank=True)),
    ("inboundmail", "door", "channel", models.CharField(max_length=7)),
    ("inboundmail", "cut", "is_truncated", models.BooleanField(default=False)),
    ("inboundmail", "verdict", "outcome", models.CharField(max_length=8, blank=True, default="")),
    (
        *("inboundmail", "authentic", "sender_check"),
        models.CharField(max_length=8, blank=True, default=""),
    ),
)
BATCHED_INTO = models.ForeignKey(
    "games.outboxmail",
    django.db.models.deletion.CASCADE,
    null=True,
    related_name="merged",
    db_column="carrier_id",
)
MERGED = models.CheckConstraint(
    condition=~models.Q(state="carried") | models.Q(batched_into__isnull=False),
    name="games_outbox_carried_by_one",
)
INBOUND_GAME = models.ForeignKey(
    "games.game", django.db.models.deletion.CASCADE, null=True, related_name="inbound_mails"
)
INBOUND_USER = models.ForeignKey(
    settings.AUTH_USER_MODEL,
    django.db.models.deletion.SET_NULL,
    null=True,
    related_name="inbound_mails",
)
LIMITS = (("games_game_pace", "pace_days", 60), ("games_game_seats", "seat_count", 8))


class UseCurrentLabels(Operation):
    """Take verbose names, help texts and labels of choices from the models as they are today.

    They are texts for people, not schema. An AlterField for each of them would repeat the
    definition of the field whenever a label is reworded.
    """

    reduces_to_sql = False
    LABELS = ("verbose_name", "help_text", "choices", "editable")

    def state_forwards(self, app_label, state):
        for model in (current_apps.get_app_config(app_label)).get_models():
            name = model._meta.model_name
            if (app_label, name) not in state.models:
                continue
            known = state.models[app_label, name]
            for option in ("verbose_name", "verbose_name_plural"):
                if option in model._meta.original_attrs:
                    known.options[option] = model._meta.original_attrs[option]
            for field in model._meta.local_fields:
                if field.name in known.fields:
                    known.fields[field.name] = self._labelled(known.fields[field.name], field)
            state.reload_model(app_label, name, delay=True)

    def _labelled(self, field, current):
        _name, _path, args, kwargs = field.deconstruct()
        labels = current.deconstruct()[3]
        kwargs = {key: value for key, value in kwargs.items() if key not in self.LABELS}
        kwargs |= {key: labels[key] for key in self.LABELS if key in labels}
        return type(field)(*args, **kwargs)

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        pass

    database_backwards = database_forwards

    def describe(self):
        return "Use the labels of the models"


def _renamed(model, old, new, field):
    field.db_column = old
    return [migrations.RenameField(model, old, new), migrations.AlterField(model, new, field)]


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0005_addresses_that_want_no_mail"),
        ("mfa", "0003_authenticator_type_uniq"),
    ]

    operations = [
        *(migrations.RemoveConstraint("game", name) for name, _field, _most in LIMITS),
        *(
            migrations.AddConstraint(
                "game",
                models.CheckConstraint(
                    condition=models.Q((f"{field}__range", (1, most))), name=name
                ),
            )
            for name, field, most in LIMITS
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                *(operation for each in RENAMED for operation in _renamed(*each)),
                migrations.RemoveConstraint("outboxmail", MERGED.name),
                migrations.RenameField("outboxmail", "carrier", "batched_into"),
                migrations.AlterField("outboxmail", "batched_into", BATCHED_INTO),
                migrations.AddConstraint("outboxmail", MERGED),
                migrations.AlterField("outboxmail", "kind", models.CharField(max_length=20)),
                migrations.AlterField("inboundmail", "game", INBOUND_GAME),
                migrations.AlterField("inboundmail", "user", INBOUND_USER),
            ]
        ),
        migrations.CreateModel(
            "SecondFactor",
            fields=[],
            options={"proxy": True},
            bases=("mfa.authenticator",),
        ),
        UseCurrentLabels(),
    ]
