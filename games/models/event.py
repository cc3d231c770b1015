"""The append-only log of all games, and the private orders beside it. Only games.log reads and
writes them.

Triggers refuse UPDATE, DELETE and TRUNCATE.
"""

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, Index, Q

from .game import Game


class _LogRow(models.Model):
    """The fields that events and private orders have in common.

    payload: the event as JSON, its tag under "kind". schema: the version of its format. digest:
    SHA-256 over the previous digest and this row; see games.log. by: the id of the person who
    caused it, without a constraint, because the log outlives accounts.
    """

    kind = models.CharField(max_length=40)
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
        abstract = True


class GameEvent(_LogRow):
    """Event `seq` (1, 2, 3 …) of a game. The primary key refuses the later of two moves at once.

    actor: stands for the person who caused it in digests and records; it leads to nobody.
    """

    pk = models.CompositePrimaryKey("game_id", "seq")
    game = models.ForeignKey(Game, models.PROTECT, related_name="events", db_index=False)
    seq = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField(null=True)
    actor = models.CharField(max_length=16, default="", db_default="")

    class Meta:
        indexes = (
            # The games of those who have no seat there any more.
            Index(
                fields=["by"], condition=Q(kind="table.resigned"), name="games_gameevent_resigned"
            ),
        )
        constraints = (CheckConstraint(condition=Q(seq__gte=1), name="games_gameevent_from_one"),)

    def __str__(self) -> str:
        return f"{self.seq} {self.kind}"


class GameOrder(_LogRow):
    """Private order `number` (1, 2, 3 …) of a game: what a seat leaves in advance, which nobody
    else may notice. It has no number in the log.

    after: the number of the last event when it was left. The other columns are as in GameEvent.
    """

    pk = models.CompositePrimaryKey("game_id", "number")
    game = models.ForeignKey(Game, models.PROTECT, related_name="orders", db_index=False)
    number = models.PositiveIntegerField()
    after = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField()
    actor = models.CharField(max_length=16)

    class Meta:
        constraints = (
            CheckConstraint(condition=Q(number__gte=1), name="games_gameorder_from_one"),
        )

    def __str__(self) -> str:
        return f"{self.number} {self.kind}"
