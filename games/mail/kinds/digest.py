"""Emails about several games: the daily digest, and one for all that came within some minutes."""

from django.utils.translation import gettext_lazy

from games.models import DeliveryMode, OutboxMail, User

from .base import get, register
from .batch import BatchMailKind, waiting_turns
from .turn import TURN


class _Digest(BatchMailKind):
    name = "digest"
    label = gettext_lazy("daily digest")
    position = 9
    batches = DeliveryMode.DIGEST

    def rows_for(self, user: User, rows: list[OutboxMail]) -> list[OutboxMail]:
        """Add games that were announced before, unless the user wants no turn emails at all."""
        if user.delivery_mode(TURN.name) == DeliveryMode.OFF:
            return rows
        asked = {row.game_id for row in rows if get(row.kind).asks}
        waiting = waiting_turns(user, mails_off=False)
        return rows + [row for row in waiting if row.game_id not in asked]


DIGEST = register(_Digest())


class _Gathered(BatchMailKind):
    name = "gathered"
    label = gettext_lazy("several games in one email")
    position = 8
    batches = DeliveryMode.BATCHED


GATHERED = register(_Gathered())
