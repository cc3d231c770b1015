"""Data about a game that is kept outside its log, so that it can be deleted."""

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models import UniqueConstraint
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from .game import Game

AT_TABLE = timedelta(minutes=2)  # after the last sign of an open page a player counts as there …
MAX_WAIT = timedelta(minutes=30)  # … and the email of a turn waits for that at most this long
NOTED_EVERY = timedelta(minutes=1)  # less than AT_TABLE minus the interval in which pages ask


class FormerSeat(models.Model):
    """A user has given up or lost a seat of this game; the log says which and when."""

    game = models.ForeignKey(Game, models.CASCADE, related_name="former_seats", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="former_seats")

    class Meta:
        constraints = (UniqueConstraint(fields=["game", "user"], name="games_formerseat_once"),)

    def __str__(self) -> str:
        return f"{self.user} in {self.game}"


class TableNote(models.Model):
    """A player's note on their move. Not in the log, so that it can be deleted.

    seq: the first event of the move.
    """

    game = models.ForeignKey(Game, models.CASCADE, related_name="notes", verbose_name=_("game"))
    seq = models.PositiveIntegerField(_("event"))
    seat = models.PositiveSmallIntegerField(_("seat (from 0)"))
    text = models.CharField(_("text"), max_length=500)
    at = models.DateTimeField(_("created"), default=timezone.now)

    class Meta:
        verbose_name = _("note")
        verbose_name_plural = _("notes")
        ordering = ("game", "seq")
        constraints = (UniqueConstraint(fields=["game", "seq"], name="games_tablenote_once"),)

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
