"""Which table a player has open."""

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models import UniqueConstraint

from .game import Game

AT_TABLE = timedelta(minutes=2)  # after the last sign of an open page a player counts as there …
MAX_WAIT = timedelta(minutes=30)  # … and the email of a turn waits for that at most this long
NOTED_EVERY = timedelta(minutes=1)  # less than AT_TABLE minus the interval in which pages ask


class TablePresence(models.Model):
    """When a player last had the page of a table in front of them; kept only where it is needed.

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
