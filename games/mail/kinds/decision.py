"""The statement of reasons: what a moderator decided about the reader, why, and by which rule."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.mail.snapshot import Snapshots
from games.mail.turn_text import moment
from games.models import Action, Decision, OutboxMail

from .base import SEND, MailContent, MailKind, SendDecision, register

# Those that restrict somebody, or end that. Of a seat that is lost, the email to the table says so.
SENTENCES: Mapping[str, Promise] = {
    Action.SUSPEND: gettext_lazy("Your account is suspended: you cannot sign in or move."),
    Action.LIFT: gettext_lazy("Your account is no longer suspended: you can sign in again."),
    Action.WARN: gettext_lazy("A moderator warns you: do not do this again."),
    Action.RENAME: gettext_lazy("A moderator has changed the name of a table that you host."),
    Action.EDIT_PERSON: gettext_lazy(
        "A moderator has changed the name, language or time zone of your account."
    ),
    Action.REMOVE_MESSAGE: gettext_lazy("A moderator has removed a message that you wrote."),
    Action.CLOSE: gettext_lazy(
        "A moderator is closing your account: it will be deleted on %(when)s. Until then, you can sign "
        "in and cancel that."
    ),
}


class _Decision(MailKind):
    name = "decision"
    label = gettext_lazy("decision of a moderator")
    reaches_suspended = True

    def check(self, row: OutboxMail) -> SendDecision:
        decision = Decision.objects.select_related("person").get(pk=row.context["decision"])
        if decision.person is None:
            return SendDecision("the account is gone")
        if decision.action == Action.CLOSE and decision.person.closes_at is None:
            return SendDecision("the deletion was cancelled")
        return SEND

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        found = Decision.objects.select_related("game", "person", "words")
        decision = found.get(pk=row.context["decision"])
        assert decision.person is not None
        values = {"when": moment(decision.person.closes_at)}
        return MailContent(
            {
                "me": decision.person.shown_name,
                "said": str(SENTENCES[decision.action]) % values,
                "at": moment(decision.at),
                "until": _end(decision),
                "table": decision.game.name if decision.game is not None else "",
                "reason": decision.reason,
                "rule": decision.rule_label,
                "reported": _how_noticed(decision),
                "conduct_url": settings.SITE_URL + reverse("conduct"),
            }
        )

    def subject(self, context: dict[str, Any]) -> str:
        return _("A moderator’s decision at %(site)s") % {"site": settings.SITE_NAME}

    def preheader(self, context: dict[str, Any]) -> str:
        """None: hidden text in such a short email is taken for spam."""
        return ""


def _end(decision: Decision) -> str:
    """Until when it restricts; "" where that has no end."""
    if decision.action == Action.SUSPEND and decision.until is None:
        return _("for good")
    return str(moment(decision.until))


def _how_noticed(decision: Decision) -> str:
    """Whether somebody reported it; never who."""
    if decision.action == Action.LIFT:
        return ""
    if decision.reported:
        return _("Someone had reported this.")
    return _("Nobody had reported this; the moderator noticed it.")


DECISION = register(_Decision())
