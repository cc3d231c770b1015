"""Emails about an account: codes and links for its owner, notices of what was changed, and the
confirmation that emails are off."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.mail import signed_links
from games.mail.turn_text import moment
from games.models import CredentialChange, OutboxMail, Seat, address_mask
from games.translate import with_colon

from .base import SEND, MailContent, SendDecision, ShortMailKind, Snapshots, label, register
from .batch import reader_of
from .seat_mail import GameMail

Change = CredentialChange.Kind

CHANGE_SENTENCES: Mapping[str, Promise] = {
    Change.ADDRESS_ADDED: gettext_lazy("The address %(address)s was added to your account."),
    Change.ADDRESS_REMOVED: gettext_lazy("The address %(address)s was removed from your account."),
    Change.PRIMARY: gettext_lazy("Emails about your games now go to the address %(address)s."),
    Change.FACTOR_ADDED: gettext_lazy("An authenticator app was connected to your account."),
    Change.FACTOR_REMOVED: gettext_lazy("The second factor of your account was removed."),
    Change.RECOVERY_CODES: gettext_lazy(
        "New recovery codes were generated for your account. The old ones no longer work."
    ),
    Change.FEED_CREATED: gettext_lazy(
        "A secret address for a feed of your turns was created. An earlier one no longer works."
    ),
    Change.FEED_REVOKED: gettext_lazy("The secret address for a feed of your turns was deleted."),
    Change.SIGNED_OUT: gettext_lazy("Devices were signed out of your account."),
    Change.CLOSING: gettext_lazy("Your account will be deleted on %(when)s."),
    Change.KEPT: gettext_lazy("The deletion of your account was cancelled."),
    Change.FROZEN: gettext_lazy(
        "Someone used the link “This was not me”. All devices were signed out, and the addresses "
        "and the second factor of your account cannot be changed until you restore it."
    ),
    Change.RESTORED: gettext_lazy(
        "Your account was restored. Addresses and second factors that were added in the week before "
        "it was frozen were removed."
    ),
}


class _Account(ShortMailKind):
    """Codes and links for signing in and for changes of an address.

    See games.web.allauth_adapter.
    """

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


def _is_other_code(context: dict[str, Any]) -> bool:
    """Whether the code signs nobody in: it confirms a change or restores a frozen account."""
    return context.get("purpose") in ("proof", "restore")


ACCOUNT = register(_Account())


def change_sentence(change: CredentialChange) -> str:
    """The change in words, in the active language and time zone. Addresses are abridged: the email
    goes to removed addresses, too."""
    values = {"address": address_mask(change.address), "when": moment(change.user.closes_at)}
    return str(CHANGE_SENTENCES[change.kind]) % values


class _Security(ShortMailKind):
    """A change of what protects an account, reported to all its addresses."""

    name = "security"
    label = gettext_lazy("security notice")
    reaches_suspended = True
    head_start = timedelta(days=1)
    follows_user = False
    ignores_suppression = True

    def check(self, row: OutboxMail) -> SendDecision:
        if CredentialChange.objects.filter(pk=row.context["change"]).exists():
            return SEND
        return SendDecision("the account is gone")

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        change = CredentialChange.objects.select_related("user").get(pk=row.context["change"])
        path = signed_links.not_me_path(change.pk)
        return MailContent(
            {
                "me": change.user.shown_name,
                "said": change_sentence(change),
                "at": moment(change.at),
                "is_frozen": change.kind == Change.FROZEN,
                "button_url": settings.SITE_URL + path,
            }
        )

    def subject(self, context: dict[str, Any]) -> str:
        return _("A change to your account at %(site)s") % {"site": settings.SITE_NAME}


SECURITY = register(_Security())


class _Unsubscribed(ShortMailKind):
    """Tells a player who unsubscribed by the link of an email what is off, what continues and how
    to undo it.

    The context of a row without a game has the kind that was switched off.
    """

    name = "unsubscribed"
    label = gettext_lazy("confirmation that emails are off")
    reaches_suspended = True
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


UNSUBSCRIBED = register(_Unsubscribed())
