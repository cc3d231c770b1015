"""What moderators do to accounts: end sessions, delete, remove a lost second factor."""

from allauth.mfa.models import Authenticator

from games.models import CredentialChange, User

from . import quotas
from .credentials import account_close, change_report, sessions_end
from .moderators import require_staff
from .quotas import atomic


def moderate_sessions(*, user: User, by: User) -> None:
    """End all sessions of a user, who gets an email about it."""
    require_staff(by)
    with atomic():
        quotas.spend(quotas.MODERATIONS, person=by)
        sessions_end(user=user)
        change_report(user=user, kind=CredentialChange.Kind.SIGNED_OUT)


def moderate_close(*, user: User, by: User) -> None:
    """Delete an account in a week, as if its user had asked for it."""
    require_staff(by)
    with atomic():
        quotas.spend(quotas.MODERATIONS, person=by)
        account_close(user=user)


def moderate_factor(*, factor: Authenticator, by: User) -> None:
    """Remove a second factor that its user has lost."""
    require_staff(by)
    with atomic():
        quotas.spend(quotas.MODERATIONS, person=by)
        factor.delete()
