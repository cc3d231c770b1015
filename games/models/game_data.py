"""Data about a game that is kept outside its log, so that it can be deleted."""

from datetime import timedelta

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Index, Q, UniqueConstraint
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from .game import Game

AT_TABLE = timedelta(minutes=2)  # after the last sign of an open page a player counts as there …
MAX_WAIT = timedelta(minutes=30)  # … and the email of a turn waits for that at most this long
MAX_TALK = 1000  # characters
NOTED_EVERY = timedelta(minutes=1)  # less than AT_TABLE minus the interval in which pages ask


class FormerSeat(models.Model):
    """A user has given up or lost a seat of this game; the log says which and when."""

    game = models.ForeignKey(Game, models.CASCADE, related_name="former_seats", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="former_seats")

    class Meta:
        constraints = (UniqueConstraint(fields=["game", "user"], name="games_formerseat_once"),)

    def __str__(self) -> str:
        return f"{self.user} in {self.game}"


class Message(models.Model):
    """What a player wrote to the others at the table. Not in the log, so that it can be deleted.

    seq: the first event of the move that it belongs to, as a note that everybody may read who may
    see the table; None for talk. readers: the users (pk) who held a seat when it was written.
    unsent: those of them who are still to be sent it by email. A deleted message has lost its text;
    a removed one is still readable for moderators.
    """

    class State(models.TextChoices):
        SHOWN = "", _("readable")
        DELETED = "deleted", _("deleted by its author")
        REMOVED = "removed", _("removed by a moderator")

    # The index games_message_of_game begins with the game.
    game = models.ForeignKey(
        Game, models.CASCADE, related_name="messages", db_index=False, verbose_name=_("game")
    )
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="messages",
        verbose_name=_("author"),
    )
    seat = models.PositiveSmallIntegerField(_("seat (from 0)"))
    seq = models.PositiveIntegerField(_("event"), null=True)
    text = models.CharField(_("text"), max_length=MAX_TALK)
    at = models.DateTimeField(_("created"), default=timezone.now)
    state = models.CharField(
        _("state"), max_length=7, choices=State.choices, blank=True, default=State.SHOWN
    )
    readers = ArrayField(models.BigIntegerField(), default=list)
    unsent = ArrayField(models.BigIntegerField(), default=list)

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        ordering = ("game", "id")
        indexes = (
            Index(fields=["game", "id"], name="games_message_of_game"),
            Index(
                fields=["game", "at"],
                condition=Q(seq__isnull=False, state=""),
                name="games_message_notes",
            ),
        )

    def __str__(self) -> str:
        return self.text


class TablePresence(models.Model):
    """The time at which a player last looked at the page of a table; kept only while needed.

    Nobody is shown it: it only decides when the player's own turn email is sent.
    """

    # The index of games_tablepresence_once begins with the game.
    game = models.ForeignKey(Game, models.CASCADE, related_name="presences", db_index=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="table_presences"
    )
    at = models.DateTimeField()

    class Meta:
        constraints = (UniqueConstraint(fields=["game", "user"], name="games_tablepresence_once"),)

    def __str__(self) -> str:
        return f"{self.user_id} at {self.game_id}"
