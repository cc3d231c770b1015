"""The append-only log of all games. Only games.log reads and writes it.

Triggers refuse UPDATE, DELETE and TRUNCATE.
"""

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, Q

from .game import Game


class GameEvent(models.Model):
    """Event `seq` (1, 2, 3 …) of a game. The primary key refuses the later of two moves at once.

    payload: the event as JSON, its tag under "kind". schema: the version of its format. digest:
    SHA-256 over the previous digest and this row; see games.log. by: the id of the person who
    caused it, without a constraint, because the log outlives accounts.
    """

    pk = models.CompositePrimaryKey("game_id", "seq")
    game = models.ForeignKey(Game, models.PROTECT, related_name="events", db_index=False)
    seq = models.PositiveIntegerField()
    kind = models.CharField(max_length=40)
    seat = models.PositiveSmallIntegerField(null=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.DO_NOTHING,
        null=True,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    schema = models.PositiveSmallIntegerField()
    payload = models.JSONField()
    at = models.DateTimeField()
    digest = models.BinaryField(max_length=32)

    class Meta:
        constraints = (CheckConstraint(condition=Q(seq__gte=1), name="games_gameevent_from_one"),)

    def __str__(self) -> str:
        return f"{self.seq} {self.kind}"
