"""What became of an email with an appeal. The decision about the appeal is an email of its own."""

from typing import Any

from django.conf import settings
from django.utils.translation import gettext_lazy

from games.mail import signed_links
from games.mail.snapshot import Snapshots
from games.models import Decision, OutboxMail

from .base import MailContent, MailKind, register
from .decision import DECISION


class _Appeal(MailKind):
    """context: `problem` says why nothing could be read, `refused` why it does not count."""

    name = "appeal"
    label = gettext_lazy("answer to an appeal")
    reaches_suspended = True

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        assert row.user is not None
        decision = Decision.objects.get(pk=row.context["decision"])
        known = {name: row.context.get(name, "") for name in ("problem", "refused")}
        page = settings.SITE_URL + signed_links.appeal_path(decision, row.user)
        return MailContent({"me": row.user.shown_name, "appeal_url": page, **known})

    def subject(self, context: dict[str, Any]) -> str:
        return DECISION.subject(context)

    def preheader(self, context: dict[str, Any]) -> str:
        """None: hidden text in such a short email is taken for spam."""
        return ""


APPEAL = register(_Appeal())
