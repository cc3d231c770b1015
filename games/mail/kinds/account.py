"""Codes and links for signing in and for changes of an address; see games.web.allauth_adapter."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.mail.snapshot import Snapshots
from games.models import OutboxMail
from games.translate import with_colon

from .base import SEND, MailContent, MailKind, SendDecision, register


class _Account(MailKind):
    name = "account"
    label = gettext_lazy("account")
    head_start = timedelta(days=1)
    follows_user = False
    ignores_suppression = True
    reaches_suspended = True
    one_time = True

    def check(self, row: OutboxMail) -> SendDecision:
        if row.context.get("withheld"):
            return SendDecision("too many codes to addresses without an account")
        until = row.context.get("good_until")
        if until is not None and datetime.fromisoformat(until) < timezone.now():
            return SendDecision("the code is no longer good")
        return SEND

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        label = _("Your code") if _is_other_code(row.context) else _("Your sign-in code")
        return MailContent({**row.context, "code_label": with_colon(label)})

    def subject(self, context: dict[str, Any]) -> str:
        if "code" not in context:
            return str(context["subject"])
        words = {"code": context["code"], "site": settings.SITE_NAME}
        if _is_other_code(context):
            return _("%(code)s is your code for %(site)s") % words
        return _("%(code)s is your sign-in code for %(site)s") % words

    def preheader(self, context: dict[str, Any]) -> str:
        """None: hidden text in such a short email is taken for spam, and the subject says all."""
        return ""


def _is_other_code(context: dict[str, Any]) -> bool:
    """Whether the code signs nobody in: it confirms a change or restores a frozen account."""
    return context.get("purpose") in ("proof", "restore")


ACCOUNT = register(_Account())
