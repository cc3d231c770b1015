"""What a dry run announces is what the action then writes and sends, in both games."""

from collections.abc import Callable
from typing import Any

import pytest

from games import services
from games.models import Decision, Game, OutboxMail, QuotaUse, User
from games.services import ServiceError
from tests.factories import fresh, log_of, miss_deadline, play_turns, seats_of, table_of
from tests.support.escape_games import escape_table
from tests.support.moderators import ACTS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]

TABLES = {
    "atlantis": lambda *people: table_of(*people, pace_days=3),
    "escape": lambda *people: escape_table(*people),
}


def mail(row: OutboxMail) -> tuple[Any, ...]:
    return (row.kind, row.to_address, row.user.language if row.user else "", row.seat, row.context)


def seats(rows: Any) -> list[tuple[Any, ...]]:
    names = ("number", "user_id", "is_bot", "asked_seq", "due_at", "time_left", "overdue")
    return [tuple(getattr(row, name) for name in names) for row in rows]


def prepared(game: Game, act: str, by: User) -> Callable[[], object]:
    """The action as a call, after what makes it possible."""
    play_turns(game, 2)
    if act == "resume":
        services.moderate_pause(game_id=game.pk, by=by, reason="First")
    if act == "excuse":
        late = miss_deadline(game)
        return lambda: services.moderate_excuse(game_id=game.pk, by=by, reason="A storm", seat=late)
    return lambda: ACTS[act](game, by, "A storm")


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("act", [*ACTS, "excuse"])
def test_what_is_announced_is_what_is_written_and_sent(
    alice: User, bob: User, mona: User, kind: str, act: str
) -> None:
    game = TABLES[kind](alice, bob)
    action = prepared(game, act, mona)
    number = OutboxMail.objects.latest("pk").pk
    announced = services.dry_run(game.pk, action)
    action()
    log = log_of(game)
    written = log.entries[-len(announced.events) :]
    assert [(e.seq, e.kind, e.seat, e.by, e.event) for e in announced.events] == [
        (e.seq, e.kind, e.seat, e.by, e.event) for e in written
    ]
    assert announced.log.state == log.state
    assert seats(announced.seats) == seats(seats_of(game))
    for name in ("status", "to_act", "host_id", "paused_at"):
        assert getattr(announced.game, name) == getattr(fresh(game), name), name
    sent = OutboxMail.objects.filter(pk__gt=number).order_by("pk")
    assert sorted(map(mail, announced.mails), key=str) == sorted(map(mail, sent), key=str)
    assert announced.events
    assert announced.mails


@pytest.mark.parametrize("act", [name for name in ACTS if name != "resume"])
def test_nothing_remains_of_a_dry_run(alice: User, bob: User, mona: User, act: str) -> None:
    game = play_turns(table_of(alice, bob, pace_days=3), 2)

    def everything() -> tuple[Any, ...]:
        now = fresh(game)
        return (
            *(now.version, now.status, now.to_act, seats(seats_of(game))),
            *(OutboxMail.objects.count(), Decision.objects.count()),
            QuotaUse.objects.filter(quota__startswith="moderations").count(),
        )

    before = everything()
    services.dry_run(game.pk, lambda: ACTS[act](game, mona, "A storm"))
    assert everything() == before


def test_a_dry_run_of_what_is_refused_is_refused(alice: User, bob: User, mona: User) -> None:
    game = table_of(alice, bob)
    with pytest.raises(ServiceError, match="no missed deadline"):
        services.dry_run(
            game.pk,
            lambda: services.moderate_excuse(game_id=game.pk, by=mona, reason="x", seat=0),
        )
