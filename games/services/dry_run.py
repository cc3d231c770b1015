"""The effects of an action at a table: the service itself acts, in a transaction that is rolled
back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max

from games.log.entry import Entry
from games.log.game_log import Log
from games.log.loader import read_table
from games.models import Game, OutboxMail, Seat


@dataclass(frozen=True)
class DryRun:
    """The table as it would be, the new events, and the emails that would be queued."""

    game: Game
    log: Log
    seats: Sequence[Seat]
    events: Sequence[Entry]
    mails: Sequence[OutboxMail]


def dry_run(game_id: int, act: Callable[[], object]) -> DryRun:
    """Return what `act`, a call of a service, would do to this table; nothing remains of it. A
    refusal is the ServiceError that the service raises."""
    with transaction.atomic():
        _game, before, _seats = read_table(game_id, lock=True)
        newest = OutboxMail.objects.filter(game=game_id).aggregate(pk=Max("pk"))["pk"] or 0
        act()
        game, log, seats = read_table(game_id)
        queued = OutboxMail.objects.filter(game=game_id, pk__gt=newest).select_related("user")
        found = DryRun(game, log, seats, log.entries[len(before.entries) :], list(queued))
        transaction.set_rollback(True)
    return found
