"""A change of what protects an account, reported to all its addresses."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.mail import signed_links
from games.mail.snapshot import Snapshots
from games.mail.turn_text import moment
from games.models import CredentialChange, OutboxMail, address_mask

from .base import SEND, MailContent, MailKind, SendDecision, register

Kind = CredentialChange.Kind

SENTENCES: Mapping[str, Promise] = {
    Kind.ADDRESS_ADDED: gettext_lazy("The address %(address)s was added to your account."),
    Kind.ADDRESS_REMOVED: gettext_lazy("The address %(address)s was removed from your account."),
    Kind.PRIMARY: gettext_lazy("Emails about your games now go to the address %(address)s."),
    Kind.FACTOR_ADDED: gettext_lazy("An authenticator app was connected to your account."),
    Kind.FACTOR_REMOVED: gettext_lazy("The second factor of your account was removed."),
    Kind.RECOVERY_CODES: gettext_lazy(
        "New recovery codes were generated for your account. The old ones no longer work."
    ),
    Kind.FEED_CREATED: gettext_lazy(
        "A secret address for a feed of your turns was created. An earlier one no longer works."
    ),
    Kind.FEED_REVOKED: gettext_lazy("The secret address for a feed of your turns was deleted."),
    Kind.SIGNED_OUT: gettext_lazy("Devices were signed out of your account."),
    Kind.CLOSING: gettext_lazy("Your account will be deleted on %(when)s."),
    Kind.KEPT: gettext_lazy("The deletion of your account was cancelled."),
    Kind.FROZEN: gettext_lazy(
        "Someone used the link “This was not me”. All devices were signed out, and the addresses "
        "and the second factor of your account cannot be changed until you restore it."
    ),
    Kind.RESTORED: gettext_lazy(
        "Your account was restored. Addresses and second factors that were added in the week before "
        "it was frozen were removed."
    ),
}


def sentence(change: CredentialChange) -> str:
    """The change in words, in the active language and time zone. Addresses are abridged: the email
    goes to removed addresses, too."""
    values = {"address": address_mask(change.address), "when": moment(change.user.closes_at)}
    return str(SENTENCES[change.kind]) % values


class _Security(MailKind):
    name = "security"
    label = gettext_lazy("security notice")
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
                "said": sentence(change),
                "at": moment(change.at),
                "is_frozen": change.kind == Kind.FROZEN,
                "button_url": settings.SITE_URL + path,
            }
        )

    def subject(self, context: dict[str, Any]) -> str:
        return _("A change to your account at %(site)s") % {"site": settings.SITE_NAME}

    def preheader(self, context: dict[str, Any]) -> str:
        """None: hidden text in such a short email is taken for spam."""
        return ""


SECURITY = register(_Security())
