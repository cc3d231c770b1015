"""Limits on sign-in codes, which anybody can have sent to any address."""

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from games.models import User

from . import quotas


def code_count(*, address: str, network: str) -> bool:
    """Count a code to this address. Returns whether to send it. QuotaExceeded tells everybody.

    network: the IP address of the client. Codes to addresses that nobody has signed in with have
    limits of their own. Where these are exceeded, the code must be withheld without a word: a
    message would reveal which addresses have an account. The same statements run for all addresses.
    """
    address = address.strip().lower()
    allowed = True
    with quotas.recording():
        quotas.spend(quotas.SIGN_IN_CODES, addresses=[address], network=network)
        known = _is_known(address)
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


def _is_known(address: str) -> bool:
    """Whether somebody has signed in with this address, or moderates under it."""
    verified = EmailAddress.objects.filter(user=OuterRef("pk"), email=address, verified=True)
    named = Q(email=address) & (Q(last_login__isnull=False) | Q(is_staff=True))
    return User.objects.filter(named | Exists(verified)).exists()
