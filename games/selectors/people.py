"""People by their addresses."""

from allauth.account.models import EmailAddress

from games.models import User


def person_by_address(address: str) -> User | None:
    """The active user who signs in with this address: one who verified it, else one who entered it.

    Two queries, whether or not there is somebody: the time must not reveal it.
    """
    address = address.strip().lower()
    verified = EmailAddress.objects.filter(email=address, verified=True)  # kept in lower case
    owner = User.objects.filter(is_active=True, pk__in=verified.values("user")).first()
    named = User.objects.with_address(address).filter(is_active=True).first()
    return owner or named
