"""The effects of an action on a table or a person: the service itself acts, in a transaction that
is rolled back."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max

from games.log.entry import Entry
from games.log.game_log import Log
from games.log.loader import read_table
from games.models import Decision, Game, OutboxMail, Seat, User


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
    with _rolled_back():
        before = read_table(game_id, lock=True)[1]
        newest = _newest_mail()
        act()
        return _table(game_id, before.version, newest)


def require_possible(act: Callable[[], object]) -> None:
    """Raise the ServiceError or MoveError with which `act` would be refused now; nothing remains of
    it. For what is asked back before it is done."""
    with _rolled_back():
        act()


@dataclass(frozen=True)
class PersonDryRun:
    """The decision that would be written about a person, as they would be then, the tables that
    would change, and the emails to people outside of these tables."""

    decision: Decision
    person: User
    tables: Sequence[DryRun]
    mails: Sequence[OutboxMail]


def person_dry_run(act: Callable[[], Decision], person: User) -> PersonDryRun:
    """Return what `act`, a call of a service, would decide about this person; nothing remains of
    it. A refusal is the ServiceError that the service raises."""
    with _rolled_back():
        theirs = Game.objects.filter(seats__user=person) | Game.objects.filter(host=person)
        versions = dict(theirs.values_list("pk", "version"))
        hosts = dict(theirs.values_list("pk", "host"))
        newest = _newest_mail()
        decision = act()
        now = Game.objects.filter(pk__in=versions).order_by("pk")
        changed = [
            game.pk
            for game in now
            if (game.version, game.host_id) != (versions[game.pk], hosts[game.pk])
        ]
        queued = OutboxMail.objects.filter(game=None, pk__gt=newest).select_related("user")
        return PersonDryRun(
            decision,
            User.objects.get(pk=person.pk),
            [_table(pk, versions[pk], newest) for pk in changed],
            list(queued),
        )


@contextmanager
def _rolled_back() -> Iterator[None]:
    """A transaction that is rolled back."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def _newest_mail() -> int:
    return OutboxMail.objects.aggregate(pk=Max("pk"))["pk"] or 0


def _table(game_id: int, version: int, newest: int) -> DryRun:
    """The table as it is in this transaction. version, newest: of its log and of the outbox
    before."""
    game, log, seats = read_table(game_id)
    queued = OutboxMail.objects.filter(game=game_id, pk__gt=newest).select_related("user")
    return DryRun(game, log, seats, log.entries[version:], list(queued))
