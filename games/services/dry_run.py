"""The effects of an action: the service itself acts, in a transaction that is rolled back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

from django.db import transaction
from django.db.models import Max, Model

from games.log.entry import Entry
from games.log.game_log import Log
from games.log.loader import read_table
from games.models import Decision, Game, OutboxMail, Seat, User


@dataclass(frozen=True)
class TableRun:
    """A table as it would be, the new events, and the emails about it that would be queued."""

    game: Game
    log: Log
    seats: Sequence[Seat]
    events: Sequence[Entry]
    mails: Sequence[OutboxMail]


def require_possible(act: Callable[[], object]) -> None:
    """Raise the ServiceError or MoveError with which `act` would be refused now; nothing remains of
    it. For what is asked back before it is done."""
    with transaction.atomic():
        act()
        transaction.set_rollback(True)


@dataclass(frozen=True)
class DryRun:
    """The tables that would change, the decisions that would be written, with their words, and the
    emails that are about no table."""

    tables: Sequence[TableRun]
    decisions: Sequence[Decision]
    mails: Sequence[OutboxMail]

    @property
    def all_mails(self) -> list[OutboxMail]:
        """The emails about no table, then those about each table."""
        return [*self.mails, *chain.from_iterable(table.mails for table in self.tables)]


def dry_run(
    act: Callable[[], object], *, game_id: int | None = None, person: User | None = None
) -> DryRun:
    """Return what `act`, a call of a service, would do to this table, or to this person and their
    tables; nothing remains of it. A refusal is the ServiceError that the service raises."""
    with transaction.atomic():
        theirs = Game.objects.none()
        if game_id is not None:
            theirs = Game.objects.filter(pk=game_id)
            read_table(game_id, lock=True)
        if person is not None:
            theirs |= Game.objects.filter(seats__user=person) | Game.objects.filter(host=person)
        before = {pk: state for pk, *state in theirs.values_list("pk", "version", "host")}
        mail, decision = _newest(OutboxMail), _newest(Decision)
        act()
        now = Game.objects.filter(pk__in=before).order_by("pk").values_list("pk", "version", "host")
        changed = [pk for pk, *state in now if pk == game_id or state != before[pk]]
        decided = Decision.objects.filter(pk__gt=decision).select_related("game", "person", "words")
        queued = OutboxMail.objects.filter(pk__gt=mail).select_related("user")
        found = DryRun(
            [_table(pk, before[pk][0], mail) for pk in changed],
            list(decided.order_by("pk")),
            list(queued.exclude(game__in=changed).order_by("pk")),
        )
        transaction.set_rollback(True)
    return found


def _newest(model: type[Model]) -> int:
    return model._default_manager.aggregate(pk=Max("pk"))["pk"] or 0


def _table(game_id: int, version: int, newest: int) -> TableRun:
    """The table as it is in this transaction. version, newest: of its log and of the outbox
    before."""
    game, log, seats = read_table(game_id)
    queued = OutboxMail.objects.filter(game=game_id, pk__gt=newest).select_related("user")
    return TableRun(game, log, seats, log.entries[version:], list(queued.order_by("pk")))
