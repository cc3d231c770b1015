"""Circles: people who play with each other again and again, and their members."""

import base64
from urllib.parse import urlsplit

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.db import models
from django.db.models import Index, Q, UniqueConstraint
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from .game import new_public_id, new_token
from .mail_preferences import keyed_digest

MOST_MEMBERS = 30


class Circle(models.Model):
    """A circle of people, of which nobody else learns anything.

    join_token: of the link that lets people join. closed_at: since when nobody can join it or make
    tables for it; its members can still read it. channel: the address to which its news is posted,
    a secret that is encrypted; "" for none. channel_turns: also whose turn it is.
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
    channel = models.TextField(blank=True, default="", db_default="", editable=False)
    channel_turns = models.BooleanField(default=False, db_default=False, editable=False)

    class Meta:
        verbose_name = _("circle")
        verbose_name_plural = _("circles")

    def __str__(self) -> str:
        return self.name

    @property
    def is_closed(self) -> bool:
        """Whether nobody can join it or make tables for it any more."""
        return self.closed_at is not None

    @property
    def channel_address(self) -> str:
        """The address of the channel; "" for none, and after DATA_KEY has changed."""
        try:
            return _cipher().decrypt(self.channel).decode() if self.channel else ""
        except InvalidToken:
            return ""

    @channel_address.setter
    def channel_address(self, address: str) -> None:
        self.channel = _cipher().encrypt(address.encode()).decode() if address else ""

    @property
    def channel_shown(self) -> str:
        """The host of the channel and the last four characters of its address; "" for none."""
        address = self.channel_address
        return f"{urlsplit(address).hostname} …{address[-4:]}" if address else ""


def _cipher() -> Fernet:
    return Fernet(base64.urlsafe_b64encode(keyed_digest("games.models.circle", "channel")))


class Uncounted(models.Model):
    """A finished game that does not count in the standings of its circle. reason: of the founder,
    for the members to read."""

    game = models.OneToOneField("games.Game", models.CASCADE, related_name="uncounted")
    reason = models.CharField(max_length=200)
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"game {self.game_id}"


class ChannelPost(models.Model):
    """News of a circle for its channel: a table is open, a game has ended, or somebody is to move
    since event `seq`. tried_at: when it was posted last, with others at the same moment in one
    message."""

    circle = models.ForeignKey(Circle, models.CASCADE, related_name="posts")
    game = models.ForeignKey("games.Game", models.CASCADE, related_name="+", db_index=False)
    about = models.CharField(max_length=4)
    seq = models.PositiveIntegerField()
    created_at = models.DateTimeField()
    next_try_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    tried_at = models.DateTimeField(null=True)
    sent = models.BooleanField(default=False)

    class Meta:
        indexes = (
            Index(fields=["next_try_at"], condition=Q(sent=False), name="games_channelpost_due"),
        )
        constraints = (
            UniqueConstraint(fields=["game", "about", "seq"], name="games_channelpost_once"),
        )

    def __str__(self) -> str:
        return f"{self.about} {self.game_id}"


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
