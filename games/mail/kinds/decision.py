"""The statement of reasons: what a moderator decided about the reader, why, and by which rule."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import selectors
from games.mail import reply_addresses, signed_links
from games.mail.snapshot import Snapshots
from games.mail.turn_text import moment
from games.models import APPEAL_PERIOD, RESTRICTING, Action, Decision, OutboxMail

from .base import SEND, MailContent, MailKind, SendDecision, register

# Those that restrict somebody, or end that. Of a seat that is lost, the email to the table says so.
SENTENCES: Mapping[str, Promise] = {
    Action.SUSPEND: gettext_lazy("A moderator has suspended you: you cannot sign in or move."),
    Action.UPHOLD: gettext_lazy("A moderator has read your appeal. The decision stays."),
    Action.GRANT: gettext_lazy("A moderator has read your appeal and lifted the decision."),
    Action.LIFT: gettext_lazy("Your suspension has ended: you can sign in again."),
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
        reply_to = None
        if decision.can_be_appealed:
            reply_to = reply_addresses.appeal_address(decision.pk)
        return MailContent(
            {
                "me": decision.person.shown_name,
                **facts(decision),
                **appealing(decision),
                "reply_to": reply_to,
                "conduct_url": settings.SITE_URL + reverse("conduct"),
            },
            reply_to=reply_to,
        )

    def subject(self, context: dict[str, Any]) -> str:
        return _("A moderator’s decision at %(site)s") % {"site": settings.SITE_NAME}

    def preheader(self, context: dict[str, Any]) -> str:
        """None: hidden text in such a short email is taken for spam."""
        return ""


def facts(decision: Decision) -> dict[str, str]:
    """What was decided, about what, when and until when, why, by which rule, and how it was
    noticed. decision: its person has an account."""
    assert decision.person is not None
    sentence = SENTENCES.get(decision.action, gettext_lazy("A moderator has reassigned your seat."))
    return {
        "said": str(sentence) % {"when": moment(decision.person.closes_at) or "–"},
        "appealed": _appealed(decision),
        "table": decision.game.name if decision.game is not None else "",
        "at": str(moment(decision.at)),
        "until": _end(decision),
        "reason": decision.reason,
        "rule": decision.rule_label,
        "reported": _how_noticed(decision),
    }


def appealing(decision: Decision) -> dict[str, str]:
    """Until when and on which page its person can appeal; {} for a decision without appeal."""
    if not decision.can_be_appealed or decision.person is None:
        return {}
    return {
        "appeal_until": selectors.day(timezone.localtime(decision.at + APPEAL_PERIOD).date()),
        "appeal_url": settings.SITE_URL + signed_links.appeal_path(decision, decision.person),
    }


def _appealed(decision: Decision) -> str:
    """The decision against which the appeal was that this one answers."""
    if decision.action not in (Action.UPHOLD, Action.GRANT):
        return ""
    other = Decision.objects.get(pk=decision.message.rpartition(" ")[2])
    return f"{other.action_label}, {moment(other.at)}"


def _end(decision: Decision) -> str:
    """Until when it restricts; "" where that has no end."""
    if decision.action == Action.SUSPEND and decision.until is None:
        return _("for good")
    return str(moment(decision.until))


def _how_noticed(decision: Decision) -> str:
    """Whether somebody reported it; never who."""
    if decision.action not in RESTRICTING:
        return ""
    if decision.reported:
        return _("Someone had reported this.")
    return _("Nobody had reported this; the moderator noticed it.")


DECISION = register(_Decision())
