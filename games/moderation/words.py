"""What the desk calls the tables of the database and their columns.

The models know no words for people: only the desk shows them row by row, so the names are given
here. Migrations do not see them (they compare what a field was made with, not what it is called).
"""

from __future__ import annotations

from typing import Any

from allauth.mfa.models import Authenticator
from django.db.models import Model
from django.utils.translation import gettext_lazy as _

from games.models import Game, InboundMail, Invitation, OutboxMail, TableNote, User

Words = Any  # looked up in the reader's language whenever they are shown

ROWS: dict[type[Model], tuple[Words, Words]] = {
    Game: (_("table"), _("tables")),
    OutboxMail: (_("mail that goes out"), _("mails that go out")),
    InboundMail: (_("mail that came in"), _("mails that came in")),
    User: (_("person"), _("people")),
    Invitation: (_("invitation"), _("invitations")),
    TableNote: (_("note"), _("notes")),
    Authenticator: (_("second factor"), _("second factors")),
}

# Columns that mean the same in every list.
EVERYWHERE: dict[str, Words] = {
    "game": _("table"),
    "user": _("person"),
    "seat": _("seat (from 0)"),
    "seq": _("event"),
    "state": _("state"),
    "status": _("status"),
    "attempts": _("tries"),
    "next_try_at": _("next try"),
    "error": _("error"),
    "message_id": _("Message-ID"),
    "created_at": _("written"),
    "kind": _("kind"),
    "type": _("kind"),
    "last_used_at": _("last used"),
}

COLUMNS: dict[type[Model], dict[str, Words]] = {
    Game: {"name": _("name"), "pace_days": _("days for a move")},
    OutboxMail: {
        "to_address": _("to"),
        "lease_until": _("being sent until"),
        "sent_at": _("sent"),
        "carrier": _("goes with"),
    },
    InboundMail: {
        "door": _("way in"),
        "received_at": _("came in"),
        "copies": _("copies"),
        "cut": _("cut off"),
        "authentic": _("sender"),
        "line": _("line that was read"),
        "note": _("note"),
        "verdict": _("what became of it"),
        "answer": _("answer"),
        "read_at": _("read"),
        "confirmed_at": _("confirmed"),
    },
    User: {
        "email": _("mail address"),
        "display_name": _("name"),
        "language": _("language"),
        "time_zone": _("time zone"),
        "is_staff": _("moderates"),
        "is_superuser": _("may do everything"),
        "is_active": _("may sign in"),
        "date_joined": _("came"),
        "last_login": _("last signed in"),
        "user_permissions": _("further rights"),
    },
    Invitation: {
        "address": _("to"),
        "invited_by": _("by"),
        "answered_at": _("answered"),
        "answer": _("answer"),
    },
    TableNote: {"text": _("words"), "at": _("written")},
    Authenticator: {"created_at": _("connected")},
}


def name() -> None:
    """Give the names to the models, once, when the desk is set up."""
    for model, (one, many) in ROWS.items():
        model._meta.verbose_name, model._meta.verbose_name_plural = one, many
        words = EVERYWHERE | COLUMNS[model]
        for field in (*model._meta.fields, *model._meta.many_to_many):
            if field.name in words:
                field.verbose_name = words[field.name]
