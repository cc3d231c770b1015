"""Names that moderators read for models and fields. Changes the state only, no SQL."""

from django.db import migrations
from django.db.migrations.operations.base import Operation

MODELS = {
    "game": ("table", "tables"),
    "invitation": ("invitation", "invitations"),
    "tablenote": ("note", "notes"),
    "outboxmail": ("mail that goes out", "mails that go out"),
    "inboundmail": ("mail that came in", "mails that came in"),
    "user": ("person", "people"),
}

# AlterModelOptions replaces all options.
OPTIONS = {"tablenote": {"ordering": ("game", "seq")}}

FIELDS = {
    "game": {
        "name": "name",
        "pace_days": "days for a move",
        "status": "status",
    },
    "invitation": {
        "game": "table",
        "address": "to",
        "invited_by": "by",
        "created_at": "written",
        "answered_at": "answered",
        "answer": "answer",
    },
    "tablenote": {
        "game": "table",
        "seq": "event",
        "seat": "seat (from 0)",
        "text": "words",
        "at": "written",
    },
    "outboxmail": {
        "kind": "kind",
        "game": "table",
        "seat": "seat (from 0)",
        "user": "person",
        "to_address": "to",
        "seq": "event",
        "message_id": "Message-ID",
        "state": "state",
        "attempts": "tries",
        "next_try_at": "next try",
        "lease_until": "being sent until",
        "error": "error",
        "created_at": "written",
        "sent_at": "sent",
        "carrier": "goes with",
    },
    "inboundmail": {
        "door": "way in",
        "copies": "copies",
        "cut": "cut off",
        "received_at": "came in",
        "state": "state",
        "attempts": "tries",
        "next_try_at": "next try",
        "error": "error",
        "game": "table",
        "seat": "seat (from 0)",
        "seq": "event",
        "user": "person",
        "authentic": "sender",
        "line": "line that was read",
        "note": "note",
        "message_id": "Message-ID",
        "verdict": "what became of it",
        "answer": "answer",
        "read_at": "read",
        "confirmed_at": "confirmed",
    },
    "user": {
        "email": "mail address",
        "display_name": "name",
        "time_zone": "time zone",
        "language": "language",
        "is_staff": "moderates",
        "is_active": "may sign in",
        "date_joined": "came",
        "is_superuser": "may do everything",
        "last_login": "last signed in",
    },
}


class SetVerboseNames(Operation):
    """Rebuild the fields of the state with their new verbose_name and without help_text.

    In place of one AlterField per field, which would repeat every definition.
    """

    reduces_to_sql = False

    def state_forwards(self, app_label, state):
        for model, names in FIELDS.items():
            fields = state.models[app_label, model].fields
            for name, verbose_name in names.items():
                _name, _path, args, kwargs = fields[name].deconstruct()
                kwargs.pop("help_text", None)
                fields[name] = type(fields[name])(*args, **{**kwargs, "verbose_name": verbose_name})
            state.reload_model(app_label, model, delay=True)

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        pass

    def database_backwards(self, app_label, schema_editor, from_state, to_state):
        pass

    def describe(self):
        return "Set verbose names"


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0005_addresses_that_want_no_mail"),
        ("mfa", "0003_authenticator_type_uniq"),
    ]

    operations = [
        *(
            migrations.AlterModelOptions(
                model,
                {**OPTIONS.get(model, {}), "verbose_name": name, "verbose_name_plural": plural},
            )
            for model, (name, plural) in MODELS.items()
        ),
        SetVerboseNames(),
        migrations.CreateModel(
            "SecondFactor",
            fields=[],
            options={
                "verbose_name": "second factor",
                "verbose_name_plural": "second factors",
                "proxy": True,
            },
            bases=("mfa.authenticator",),
        ),
    ]
