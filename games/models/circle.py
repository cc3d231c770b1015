"""Circles: people who play with each other again and again, and their members."""

from django.conf import settings
from django.db import models
from django.db.models import Index, UniqueConstraint
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from .game import new_public_id, new_token

MOST_MEMBERS = 30


class Circle(models.Model):
    """A circle of people, of which nobody else learns anything.

    join_token: of the link that lets people join. closed_at: since when nobody can join it or make
    tables for it; its members can still read it.
    """

    public_id = models.CharField(max_length=12, unique=True, default=new_public_id, editable=False)
    name = models.CharField(_("name"), max_length=60)
    founder = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="circles_founded",
        verbose_name=_("founder"),
    )
    join_token = models.CharField(max_length=26, unique=True, default=new_token, editable=False)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    closed_at = models.DateTimeField(_("closed"), null=True)

    class Meta:
        verbose_name = _("circle")
        verbose_name_plural = _("circles")

    def __str__(self) -> str:
        return self.name

    @property
    def is_closed(self) -> bool:
        """Whether nobody can join it or make tables for it any more."""
        return self.closed_at is not None


class Membership(models.Model):
    """A person in a circle, by their own yes. left_at: since when they are not a member any more.
    removed: by the founder, so that only a personal invitation lets them return."""

    # The index of games_membership_once begins with the circle.
    circle = models.ForeignKey(Circle, models.CASCADE, related_name="memberships", db_index=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships", db_index=False
    )
    joined_at = models.DateTimeField(default=timezone.now)
    left_at = models.DateTimeField(null=True)
    removed = models.BooleanField(default=False, db_default=False)

    class Meta:
        indexes = (Index(fields=["user"], name="games_membership_of"),)
        constraints = (UniqueConstraint(fields=["circle", "user"], name="games_membership_once"),)

    def __str__(self) -> str:
        return f"{self.circle}: {self.user}"
