"""Circles: their members, and who may read what of them."""

from allauth.account.models import EmailAddress
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from games.models import Circle, Invitation, Membership, User

from .access import NotFound, Reader


def members(circle: Circle) -> QuerySet[Membership]:
    """The present members of a circle, with their users."""
    return circle.memberships.filter(left_at=None).select_related("user")


def circle_for(user: Reader, public_id: str) -> Circle:
    """The circle, for one of its members; NotFound for everybody else, as if there were none."""
    if user.is_authenticated:
        own = Circle.objects.filter(memberships__user=user, memberships__left_at=None)
        if (
            circle := own.select_related("founder").filter(public_id=public_id).first()
        ) is not None:
            return circle
    raise NotFound(_("There is no such circle, or you are not a member of it."))


def circles_of(user: User, *, is_open: bool = False) -> QuerySet[Circle]:
    """The circles of a person by name. is_open: only those that are not closed."""
    own = Circle.objects.filter(memberships__user=user, memberships__left_at=None)
    return (own.filter(closed_at=None) if is_open else own).order_by("name", "pk")


def circle_invitation_for(token: str) -> tuple[Circle, Invitation | None]:
    """The circle of a link, by its own token or by a personal invitation; NotFound."""
    circles = Circle.objects.select_related("founder")
    circle = circles.filter(join_token=token).first()
    if circle is not None:
        return circle, None
    to_circles = Invitation.objects.filter(circle__isnull=False)
    personal = (
        to_circles.select_related("circle__founder", "invited_by").filter(token=token).first()
    )
    if personal is None or personal.circle is None:
        raise NotFound(_("This invitation is not valid."))
    return personal.circle, personal


def circle_invitations_to(user: User) -> QuerySet[Invitation]:
    """The open invitations to circles to this person's verified addresses, the newest first."""
    own = EmailAddress.objects.filter(user=user, verified=True).values("email")
    found = Invitation.objects.filter(
        address__in=own, answer=Invitation.Answer.NONE, circle__closed_at=None
    )
    found = found.exclude(circle=None).exclude(invited_by__in=user.blocked)
    mine = Membership.objects.filter(user=user, left_at=None).values("circle")
    found = found.exclude(circle__in=mine)
    return found.select_related("circle", "invited_by").order_by("-created_at", "-pk")
