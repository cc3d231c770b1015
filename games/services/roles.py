"""The two roles: moderators see to tables, messages and emails, administrators also to people.

A role is a group of Django with the same name. Every `migrate` makes the groups if they are missing
and gives them their permissions, so that new models are included. People with a role are staff: the
admin lets nobody else in, and asks for their second factor.
"""

from typing import Any

from django.contrib.auth.models import Group, Permission
from django.db.models import Q, QuerySet, TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.models import User

from .errors import NotAllowed

CHANGE_ROLES = "change_roles"


class Role(TextChoices):
    """What somebody may do besides playing."""

    PLAYER = "", gettext_lazy("player")
    MODERATOR = "moderator", gettext_lazy("moderator")
    ADMINISTRATOR = "administrator", gettext_lazy("administrator")


OF_MODERATORS = (
    *("view_game", "change_game", "suspend_user", "view_invitation", "view_decision"),
    *("delete_decision", "view_message", "delete_message", "view_report", "change_report"),
    *("view_appeal", "change_appeal", "view_inboundmail", "view_outboxmail"),
    *("change_outboxmail", "view_mailtransport", "change_mailtransport", "view_quotause"),
)


def _granted(role: Role) -> QuerySet[Permission]:
    ours = Permission.objects.filter(content_type__app_label="games")
    return ours if role == Role.ADMINISTRATOR else ours.filter(codename__in=OF_MODERATORS)


def groups_fill(**_signal: Any) -> None:
    """Make the groups and give them their permissions; a receiver of post_migrate."""
    for role in (Role.MODERATOR, Role.ADMINISTRATOR):
        Group.objects.get_or_create(name=role)[0].permissions.set(_granted(role))


def role_of(user: User) -> Role:
    """The role of this person. Superusers are administrators."""
    if not user.is_staff:
        return Role.PLAYER
    names = set(user.groups.values_list("name", flat=True))
    is_administrator = user.is_superuser or Role.ADMINISTRATOR in names
    return Role.ADMINISTRATOR if is_administrator else Role.MODERATOR


def appoint(user: User, role: Role) -> None:
    """Give this person the role, in the caller's transaction. No other rights remain."""
    user.is_staff = role != Role.PLAYER
    user.is_superuser = user.is_superuser and role == Role.ADMINISTRATOR
    user.save(update_fields=["is_staff", "is_superuser"])
    user.groups.set(Group.objects.filter(name=role))
    if role == Role.PLAYER:
        user.user_permissions.clear()


def has_right(user: User, right: str) -> bool:
    """Return whether this is an active member of staff with this permission of the app."""
    return user.is_staff and user.is_active and user.has_perm(f"games.{right}")


def require_right(by: User, right: str) -> None:
    """NotAllowed unless `has_right`."""
    if not (by.is_staff and by.is_active):
        raise NotAllowed(_("Only a moderator can do that."))
    if not has_right(by, right):
        raise NotAllowed(_("Only an administrator can do that."))


def has_more_rights(other: User, by: User) -> bool:
    """Return whether `other` may do anything that `by` may not."""
    if by.is_superuser:
        return False
    if other.is_superuser or (other.is_staff and not by.is_staff):
        return True
    return not _permissions(other) <= _permissions(by)


def require_no_more_rights(other: User, by: User) -> None:
    """NotAllowed if `other` may do anything that `by` may not."""
    if has_more_rights(other, by):
        raise NotAllowed(_("This person has rights that you do not have."))


def _permissions(user: User) -> set[int]:
    """Also those of a closed account, which come back when it is opened."""
    granted = Permission.objects.filter(Q(user=user) | Q(group__user=user))
    return set(granted.values_list("pk", flat=True))
