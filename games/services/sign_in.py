"""Limits on sign-in codes, which anybody can have sent to any address, and the removal of what they
and sessions leave behind."""

from contextlib import suppress
from datetime import timedelta

from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from games.models import User

from . import quotas
from .quota_subjects import Scope

UNUSED = timedelta(days=7)  # then an account that nobody has signed in to is deleted
MOST = 500  # accounts, or sessions, in one go


def code_count(*, address: str, network: str, own: bool = False) -> bool:
    """Count a code to this address. Returns whether to send it. QuotaExceeded is shown to
    everybody.

    network: the IP address of the client. own: the browser has signed in with the address before,
    or proved in another way that it belongs to its user; such a code comes out of a share of its
    own, as long as that lasts. Codes to addresses that nobody has signed in with have limits of
    their own. Where these are exceeded, the code must be withheld without a word: a message would
    reveal which addresses have an account. The same statements run for all addresses.
    """
    address = address.strip().lower()
    if own:
        with suppress(quotas.QuotaExceeded):  # then as from any other browser
            quotas.spend(quotas.OWN_CODES, addresses=[address])
            return True
    allowed = True
    with quotas.atomic():
        _count(address, network)
        known = _is_known(address) or own
        stranger = transaction.savepoint()
        try:
            quotas.spend(quotas.SIGN_UPS, network=network)
        except quotas.QuotaExceeded:
            allowed = known
        if known:
            transaction.savepoint_rollback(stranger)
        else:
            transaction.savepoint_commit(stranger)
    return allowed


def _count(address: str, network: str) -> None:
    """Count a code in the share of this network. Only its first code of an hour counts among the
    networks that ask for this address in an hour, and only its first one of a day among those of
    the day."""
    quotas.spend(quotas.SIGN_IN_CODES, addresses=[address], network=network)
    first = quotas.first_uses(quotas.SIGN_IN_CODES, Scope.SOURCE, address=address, network=network)
    try:
        for per in first:
            quotas.spend(quotas.CODE_NETWORKS[per], addresses=[address])
    except quotas.QuotaExceeded as refused:
        hint = _("A browser that has signed in with this address before still gets a code.")
        refused.text = f"{refused.text} {hint}"
        raise


def _is_known(address: str) -> bool:
    """Return whether somebody has signed in with this address, or moderates under it."""
    verified = EmailAddress.objects.filter(user=OuterRef("pk"), email=address, verified=True)
    named = Q(email=address) & (Q(last_login__isnull=False) | Q(is_staff=True))
    return User.objects.filter(named | Exists(verified)).exists()


def sign_ups_purge() -> int:
    """Delete accounts that a code was requested for but that nobody ever signed in to; how many."""
    verified = EmailAddress.objects.filter(user=OuterRef("pk"), verified=True)
    unused = User.objects.filter(
        ~Exists(verified),
        date_joined__lt=Now() - UNUSED,
        last_login__isnull=True,
        is_staff=False,
        is_superuser=False,
        seats__isnull=True,
        hosted__isnull=True,
    )
    keys = list(unused.values_list("pk", flat=True)[:MOST])
    User.objects.filter(pk__in=keys, last_login__isnull=True).delete()
    return len(keys)


def sessions_purge() -> int:
    """Delete some sessions that have ended by themselves, also from the lists of devices; how
    many."""
    ended = Session.objects.filter(expire_date__lt=Now()).values_list("pk", flat=True)
    keys = list(ended[:MOST])
    UserSession.objects.filter(session_key__in=keys).delete()
    return Session.objects.filter(pk__in=keys).delete()[0]
