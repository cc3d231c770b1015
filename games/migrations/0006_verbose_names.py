"""Names of models, fields and choices that people read. Changes the state only, no SQL."""

from django.db import migrations
from django.db.migrations.operations.base import Operation

MODELS = {
    "game": ("game", "games"),
    "invitation": ("invitation", "invitations"),
    "tablenote": ("note", "notes"),
    "outboxmail": ("outgoing email", "outgoing emails"),
    "inboundmail": ("incoming email", "incoming emails"),
    "user": ("user", "users"),
}

# AlterModelOptions replaces all options.
OPTIONS = {"tablenote": {"ordering": ("game", "seq")}}

FIELDS = {
    "game": {
        "name": "name",
        "pace_days": "days per move",
        "status": "status",
    },
    "invitation": {
        "game": "game",
        "address": "to",
        "invited_by": "by",
        "created_at": "created",
        "answered_at": "answered",
        "answer": "response",
    },
    "tablenote": {
        "game": "game",
        "seq": "event",
        "seat": "seat (from 0)",
        "text": "text",
        "at": "created",
    },
    "outboxmail": {
        "kind": "kind",
        "game": "game",
        "seat": "seat (from 0)",
        "user": "user",
        "to_address": "to",
        "seq": "event",
        "message_id": "Message-ID",
        "state": "state",
        "attempts": "attempts",
        "next_try_at": "next attempt",
        "lease_until": "lease ends",
        "error": "error",
        "created_at": "created",
        "sent_at": "sent",
        "carrier": "sent with",
    },
    "inboundmail": {
        "door": "channel",
        "copies": "duplicates",
        "cut": "truncated",
        "received_at": "received",
        "state": "state",
        "attempts": "attempts",
        "next_try_at": "next attempt",
        "error": "error",
        "game": "game",
        "seat": "seat (from 0)",
        "seq": "event",
        "user": "user",
        "authentic": "sender check",
        "line": "line read",
        "note": "note",
        "message_id": "Message-ID",
        "verdict": "outcome",
        "answer": "reply",
        "read_at": "processed",
        "confirmed_at": "confirmed",
    },
    "user": {
        "email": "email address",
        "display_name": "name",
        "time_zone": "time zone",
        "language": "language",
        "is_staff": "moderator",
        "is_active": "active",
        "date_joined": "joined",
        "is_superuser": "superuser",
        "last_login": "last sign-in",
    },
}


# Labels of choices as earlier migrations have them, and as they read now.
LABELS = {
    "SMTP, from anywhere": "SMTP, any sender",
    "SMTP, from the trusted mail server": "SMTP, trusted mail server",
    "a bounce or no sender": "bounce or no sender",
    "a moderator acted": "moderator action",
    "a move that had been made": "move already made",
    "a move was made": "move made",
    "against the rules, or not now": "illegal move, or not possible now",
    "an automatic reply": "automatic reply",
    "an old turn": "outdated turn",
    "an order was carried out": "command carried out",
    "answer to a reply": "answer to your reply",
    "asked to confirm by a link": "asked to confirm by link",
    "asked whether to resign": "asked to confirm resignation",
    "called off": "cancelled",
    "cannot be delivered": "bounce",
    "cannot be taken apart": "malformed message",
    "complaint": "spam complaint",
    "deadline passed": "deadline missed",
    "delayed": "temporary failure",
    "dropped: no longer true": "dropped: no longer relevant",
    "from somebody else": "sent by someone else",
    "given up": "failed",
    "goes with another mail": "sent with another email",
    "looking for players": "waiting for players",
    "mails arrive": "emails delivered",
    "mails do not arrive": "emails bounce",
    "no address of ours": "not one of our addresses",
    "nobody on that seat": "seat has no player",
    "nobody vouches": "not authenticated",
    "not an address of this seat": "not an address of this player",
    "not from whom it says": "authentication failed",
    "not one sender": "more than one sender",
    "not read yet": "not processed yet",
    "our own mail": "our own email",
    "over the limit, in silence": "over the limit, dropped silently",
    "read": "processed",
    "running": "in progress",
    "several games in one mail": "several games in one email",
    "something was shown": "information sent",
    "the house bot takes the seat": "a bot takes the seat",
    "this machine": "this server",
    "to be read": "waiting",
    "too many mails": "too many emails",
    "vouched for": "authenticated",
    "webhook of the mail provider": "email provider webhook",
}


class SetVerboseNames(Operation):
    """Rebuild fields of the state: new verbose_name without help_text, new labels of choices.

    In place of one AlterField per field, which would repeat every definition.
    """

    reduces_to_sql = False

    def state_forwards(self, app_label, state):
        for app, model in list(state.models):
            if app != app_label:
                continue
            fields = state.models[app, model].fields
            names = FIELDS.get(model, {})
            for name, field in fields.items():
                if name not in names and not field.choices:
                    continue
                _name, _path, args, kwargs = field.deconstruct()
                if name in names:
                    kwargs.pop("help_text", None)
                    kwargs["verbose_name"] = names[name]
                if field.choices:
                    kwargs["choices"] = [(key, LABELS.get(to, to)) for key, to in field.choices]
                fields[name] = type(field)(*args, **kwargs)
            state.reload_model(app, model, delay=True)

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
                "verbose_name": "two-factor device",
                "verbose_name_plural": "two-factor devices",
                "proxy": True,
            },
            bases=("mfa.authenticator",),
        ),
    ]
