"""News of a report for the person who made it: that it has arrived, and how it ended."""

from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.mail.snapshot import Snapshots
from games.mail.turn_text import moment
from games.models import OutboxMail, Report

from .base import SEND, MailContent, MailKind, SendDecision, register


class _Report(MailKind):
    """Once it is closed, only the sentence of the outcome: nothing that a moderator wrote."""

    name = "report"
    label = gettext_lazy("news of a report")

    def check(self, row: OutboxMail) -> SendDecision:
        if not Report.objects.filter(pk=row.context["report"]).exists():
            return SendDecision("the report was deleted")
        return SEND

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        found = Report.objects.select_related("reporter", "person", "game")
        report = found.get(pk=row.context["report"])
        outcome = Report.Outcome(row.context["outcome"])
        received = _("Your report has reached the moderators. You get an email when it is closed.")
        return MailContent(
            {
                "me": report.reporter.shown_name,
                "said": str(outcome.label) if outcome else received,
                "about": report.subject,
                "at": moment(report.at),
                "text": report.text,
                "conduct_url": settings.SITE_URL + reverse("conduct"),
            }
        )

    def subject(self, context: dict[str, Any]) -> str:
        return _("Your report at %(site)s") % {"site": settings.SITE_NAME}

    def preheader(self, context: dict[str, Any]) -> str:
        """None: hidden text in such a short email is taken for spam."""
        return ""


REPORT = register(_Report())
