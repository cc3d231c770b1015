"""The log: what happened, one row per fact, in order, for ever.

Only event_log reads and writes these rows. The database itself refuses UPDATE, DELETE and
TRUNCATE here, whoever asks.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models

from .game import Game


class GameEvent(models.Model):
    """Event `seq` (1, 2, 3 …) of a game. The primary key is what stops two moves at once.

    payload: what engine.codec.encode or table.encode wrote, its tag under "kind". digest: SHA-256 over
    the digest before it and this row's words (see event_log). by: the person who did it, where a
    person did; kept as a bare number, since the log outlives people.
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
        constraints = (
            models.CheckConstraint(condition=models.Q(seq__gte=1), name="games_gameevent_from_one"),
        )

    def __str__(self) -> str:
        return f"{self.seq} {self.kind}"
