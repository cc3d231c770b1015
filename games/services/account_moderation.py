"""Moderation of accounts: end sessions, delete, remove a lost second factor, correct. See also
`suspensions`.

Each action writes a decision with a reason. Nobody acts on a person with more rights.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from allauth.mfa.models import Authenticator

from games.models import Action, CredentialChange, User

from . import decisions, quotas
from .addresses import address_unblock
from .clean_text import clean_reason
from .credentials import account_close, change_report, sessions_end
from .quotas import atomic
from .roles import CHANGE_ROLES, Role, appoint, require_no_more_rights, require_right


@contextmanager
def _deciding(
    action: Action,
    user: User,
    by: User,
    reason: str,
    right: str = "change_user",
    *,
    before: str = "",
) -> Iterator[None]:
    """A transaction in which this decision about a person is written and counted. right: what it
    needs. before: the name that it replaces."""
    require_right(by, right)
    require_no_more_rights(user, by)
    reason = clean_reason(reason)
    with atomic():
        quotas.spend(quotas.MODERATIONS, person=by)
        decisions.record(action, by=by, reason=reason, person=user, before=before)
        yield


def moderate_sessions(*, user: User, by: User, reason: str) -> None:
    """End all sessions of a user, who gets an email about it."""
    with _deciding(Action.SIGN_OUT, user, by, reason):
        sessions_end(user=user)
        change_report(user=user, kind=CredentialChange.Kind.SIGNED_OUT)


def moderate_close(*, user: User, by: User, reason: str) -> None:
    """Delete an account in a week, as if its user had asked for it."""
    with _deciding(Action.CLOSE, user, by, reason, "delete_user"):
        account_close(user=user)


def moderate_factor(*, factor: Authenticator, by: User, reason: str) -> None:
    """Remove a second factor that its user has lost."""
    with _deciding(Action.REMOVE_FACTOR, factor.user, by, reason, "delete_secondfactor"):
        factor.delete()


def moderate_emails(*, user: User, by: User, reason: str) -> None:
    """Send emails again to an address that bounced."""
    with _deciding(Action.RESUME_EMAILS, user, by, reason):
        address_unblock(user=user)


def moderate_person(*, user: User, by: User, reason: str) -> None:
    """Save the corrected name, language and time zone of a person."""
    before = User.objects.values_list("display_name", flat=True).get(pk=user.pk)
    with _deciding(Action.EDIT_PERSON, user, by, reason, before=before):
        user.save(update_fields=["display_name", "language", "time_zone"])


def moderate_role(*, user: User, by: User, reason: str, role: Role) -> None:
    """Give a person a role, or none; for administrators. They sign in again."""
    with _deciding(Action.ROLES, user, by, reason, CHANGE_ROLES):
        appoint(user, role)
        sessions_end(user=user)


def moderate_permissions(*, user: User, by: User, reason: str) -> None:
    """Record that the extra permissions of a person are changed; the caller saves them."""
    with _deciding(Action.ROLES, user, by, reason, CHANGE_ROLES):
        sessions_end(user=user)
