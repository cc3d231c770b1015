"""Which addresses are a person's own."""

from __future__ import annotations

from allauth.account.models import EmailAddress

from games.models import User


def belongs_to(user: User, address: str) -> bool:
    """Whether this is an address of the person that was verified by a code sent there.

    The address one signs in with counts where nothing says that it is not verified.
    """
    rows = EmailAddress.objects.filter(user=user, email__iexact=address)
    verified = list(rows.values_list("verified", flat=True))
    if verified:
        return any(verified)
    return bool(address) and address == user.email.lower()
