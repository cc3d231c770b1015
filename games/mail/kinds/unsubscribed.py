"""To a player who unsubscribed by the link of an email: what is off, what goes on, how to undo
it."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.mail import signed_links
from games.mail.snapshot import Snapshots
from games.models import OutboxMail, Seat

from .base import SEND, MailContent, MailKind, SendDecision, label, register
from .batch import reader_of
from .seat_mail import GameMail


class _Unsubscribed(MailKind):
    """The context of a row without a game has the kind that was switched off."""

    name = "unsubscribed"
    label = gettext_lazy("confirmation that emails are off")
    head_start = timedelta(hours=12)

    def check(self, row: OutboxMail) -> SendDecision:
        if row.game_id is not None:
            seats = Seat.objects.filter(game=row.game_id, user=row.user_id, mails_off=True)
            is_off = seats.exists()
        else:
            is_off = row.context["switched"] in reader_of(row).saved_modes
        return SEND if is_off else SendDecision("these emails are on again")

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        user = reader_of(row)
        if row.game is None:
            switched = row.context["switched"]
            path = signed_links.kind_off_path(switched, user)
            context: dict[str, Any] = {"me": user.shown_name, "switched": label(switched)}
        else:
            path = signed_links.off_path(row.game.public_id, user)
            policy = row.game.get_timeout_policy_display()
            context = GameMail(row, snapshots).context(policy=policy)
        return MailContent({**context, "button_url": settings.SITE_URL + path})

    def subject(self, context: dict[str, Any]) -> str:
        if "game" in context:
            return super().subject(context)
        return _("Emails turned off at %(site)s") % {"site": settings.SITE_NAME}

    def preheader(self, context: dict[str, Any]) -> str:
        """None: hidden text in such a short email is taken for spam."""
        return ""


UNSUBSCRIBED = register(_Unsubscribed())
