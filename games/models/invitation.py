"""Invitations to a table or to a circle."""

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, Index, Q, UniqueConstraint
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from .circle import Circle
from .game import Game, new_token
from .mail_preferences import address_mask

MAX_MESSAGE = 200  # characters


class Invitation(models.Model):
    """A seat, or a place in a circle, offered to an email address.

    invitee: the player whom a rematch invites, whose address the inviter need not know. message: a
    line of the inviter. language: of the email, where the address has no account. asked: how often
    the address was invited to this table.
    """

    class Answer(models.TextChoices):
        NONE = "", _("no answer yet")
        ACCEPTED = "accepted", _("accepted")
        DECLINED = "declined", _("declined")

    game = models.ForeignKey(
        Game, models.CASCADE, related_name="invitations", null=True, verbose_name=_("game")
    )
    # The index of games_invitation_circle begins with the circle.
    circle = models.ForeignKey(
        Circle,
        models.CASCADE,
        related_name="invitations",
        null=True,
        db_index=False,
        verbose_name=_("circle"),
    )
    address = models.EmailField(_("to"))
    token = models.CharField(max_length=26, unique=True, default=new_token, editable=False)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="invitations_sent",
        verbose_name=_("by"),
    )
    invitee = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        null=True,
        db_index=False,  # read when an account is deleted, and never else
        related_name="+",
        editable=False,
        verbose_name=_("player"),
    )
    message = models.CharField(
        _("message"), max_length=MAX_MESSAGE, blank=True, default="", db_default=""
    )
    language = models.CharField(_("language"), max_length=10, blank=True, default="", db_default="")
    asked = models.PositiveSmallIntegerField(_("times invited"), default=1, db_default=1)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    answered_at = models.DateTimeField(_("answered"), null=True)
    answer = models.CharField(
        _("response"), max_length=8, choices=Answer.choices, blank=True, default=""
    )

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        indexes = (
            Index(fields=["invited_by", "-created_at"], name="games_invitation_rate"),
            Index(fields=["address"], condition=Q(answer=""), name="games_invitation_open"),
        )
        constraints = (
            UniqueConstraint(fields=["game", "address"], name="games_invitation_once"),
            UniqueConstraint(fields=["circle", "address"], name="games_invitation_circle"),
            CheckConstraint(
                condition=Q(game__isnull=False, circle__isnull=True)
                | Q(game__isnull=True, circle__isnull=False),
                name="games_invitation_to_one",
            ),
        )

    def __str__(self) -> str:
        return self.masked_address

    @property
    def table(self) -> Game:
        """The table to which it invites. ValueError for one to a circle."""
        if self.game is None:
            raise ValueError("this is an invitation to a circle")
        return self.game

    @property
    def masked_address(self) -> str:
        """The address as moderators see it."""
        return address_mask(self.address)

    @property
    def recipient(self) -> str:
        """The invited person as the inviter knows them: the address, or the name of a player."""
        return self.invitee.name if self.invitee is not None else self.address
