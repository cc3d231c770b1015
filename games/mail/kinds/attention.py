"""What needs a moderator: how many rows of each kind are open, once a day, and how many reports,
when one comes. Figures and links, no names: an email may be forwarded."""

from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.models import DeliveryMode, OutboxMail, User

from .base import SEND, MailContent, SendDecision, ShortMailKind, Snapshots, Text, register
from .batch import reader_of


class _Attention(ShortMailKind):
    """The context of a row has "open": for each kind its label, how many there are, and the path of
    their list."""

    name = "attention"
    label = gettext_lazy("what needs a moderator")
    category = gettext_lazy("What needs a moderator’s attention")
    position = 20
    modes = (DeliveryMode.IMMEDIATE, DeliveryMode.OFF)
    for_staff = True

    def mode_label(self, mode: DeliveryMode) -> Text:
        if mode == DeliveryMode.IMMEDIATE:
            return gettext_lazy(
                "when a report comes in, and once a day if there is something to do"
            )
        return mode.label

    def check(self, row: OutboxMail) -> SendDecision:
        readers = User.objects.active().filter(pk=row.user_id or 0, is_staff=True)
        return SEND if readers.exists() else SendDecision("the reader is no moderator any more")

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        found = [
            {"label": label, "count": count, "url": settings.SITE_URL + path}
            for label, count, path in row.context["open"]
        ]
        url = settings.SITE_URL + reverse("admin:index")
        me = reader_of(row).shown_name
        return MailContent({"me": me, "open": found, "button_url": url})

    def subject(self, context: dict[str, Any]) -> str:
        return _("What needs a moderator at %(site)s") % {"site": settings.SITE_NAME}


ATTENTION = register(_Attention())
