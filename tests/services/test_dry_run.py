"""What a dry run announces is what the action then writes and sends, in both games."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from games import services
from games.models import Decision, Game, OutboxMail, QuotaUse, User, database_clock
from games.services import ServiceError
from tests.factories import fresh, log_of, miss_deadline, person, play_turns, seats_of, table_of
from tests.support.escape_games import escape_table
from tests.support.moderators import ACTS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]

MORE = ("excuse", "rename", "hand_seat to a person", "own_game")
TABLES = {
    "atlantis": lambda *people: table_of(*people, pace_days=3),
    "escape": lambda *people: escape_table(*people),
}


def mail(row: OutboxMail) -> tuple[Any, ...]:
    context = {key: value for key, value in row.context.items() if key != "decision"}  # a number
    return (row.kind, row.to_address, row.user.language if row.user else "", row.seat, context)


def seats(rows: Any) -> list[tuple[Any, ...]]:
    names = ("number", "user_id", "is_bot", "asked_seq", "due_at", "time_left", "overdue")
    return [tuple(getattr(row, name) for name in names) for row in rows]


def prepared(game: Game, act: str, by: User) -> Callable[[], object]:
    """The action as a call, after what makes it possible."""
    play_turns(game, 2)
    if act == "resume":
        services.moderate_pause(game_id=game.pk, ruling=services.Ruling(by, "First"))
    ruling = services.Ruling(by, "A storm", "go_on")
    known: dict[str, Any] = {"game_id": game.pk, "ruling": ruling}
    match act:
        case "excuse":
            known["seat"] = miss_deadline(game)
            return lambda: services.moderate_excuse(**known)
        case "rename":
            return lambda: services.moderate_rename(**known, title="Calm sea")
        case "hand_seat to a person":
            to = person("Carol", language="de")
            return lambda: services.moderate_hand_seat(**known, seat=1, to=to)
        case "own_game":
            services.moderate_hand_seat(**known, seat=1, to=by)
            return lambda: services.moderate_own_game(**known)
    return lambda: ACTS[act](game, by, "A storm")


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("act", [*ACTS, *MORE])
def test_what_is_announced_is_what_is_written_and_sent(
    alice: User, bob: User, mona: User, ada: User, kind: str, act: str
) -> None:
    game = TABLES[kind](alice, bob)
    if act == "own_game":
        User.objects.filter(pk=mona.pk).update(is_staff=False)
    action = prepared(game, act, ada if act == "own_game" else mona)
    number = OutboxMail.objects.latest("pk").pk
    (announced,) = services.dry_run(action, game_id=game.pk).tables
    action()
    log = log_of(game)
    written = log.entries[announced.log.version - len(announced.events) :]
    assert [(e.seq, e.kind, e.seat, e.by, e.event) for e in announced.events] == [
        (e.seq, e.kind, e.seat, e.by, e.event) for e in written
    ]
    assert announced.log.state == log.state
    assert seats(announced.seats) == seats(seats_of(game))
    for name in ("name", "status", "to_act", "host_id", "paused_at"):
        assert getattr(announced.game, name) == getattr(fresh(game), name), name
    sent = OutboxMail.objects.filter(pk__gt=number).order_by("pk")
    assert sorted(map(mail, announced.mails), key=str) == sorted(map(mail, sent), key=str)
    assert announced.events or act == "rename"
    assert announced.mails


@pytest.mark.parametrize("act", [name for name in ACTS if name != "resume"])
def test_nothing_remains_of_a_dry_run(alice: User, bob: User, mona: User, act: str) -> None:
    game = play_turns(table_of(alice, bob, pace_days=3), 2)

    def everything() -> tuple[Any, ...]:
        now = fresh(game)
        return (
            now.version,
            now.status,
            now.to_act,
            seats(seats_of(game)),
            OutboxMail.objects.count(),
            Decision.objects.count(),
            QuotaUse.objects.filter(quota__startswith="moderations").count(),
        )

    before = everything()
    services.dry_run(lambda: ACTS[act](game, mona, "A storm"), game_id=game.pk)
    assert everything() == before


def test_a_dry_run_of_what_is_refused_is_refused(alice: User, bob: User, mona: User) -> None:
    game = table_of(alice, bob)
    with pytest.raises(ServiceError, match="no missed deadline"):
        services.dry_run(
            lambda: services.moderate_excuse(
                game_id=game.pk, seat=0, ruling=services.Ruling(mona, "x")
            ),
            game_id=game.pk,
        )


# -- about people ------------------------------------------------------------------------------

ABOUT_PEOPLE: dict[str, Callable[[User, User], Decision]] = {
    "warn": lambda user, by: services.moderate_warn(
        user=user, ruling=services.Ruling(by, "x", rule="polite")
    ),
    "suspend": lambda user, by: services.moderate_suspend(
        user=user,
        until=database_clock.now() + timedelta(days=7),
        ruling=services.Ruling(by, "x", rule="polite"),
    ),
    "suspend for good": lambda user, by: services.moderate_suspend(
        user=user, until=None, ruling=services.Ruling(by, "x")
    ),
    "lift": lambda user, by: services.moderate_lift(user=user, ruling=services.Ruling(by, "x")),
}


def decided(decision: Decision) -> tuple[Any, ...]:
    names = ("action", "by_id", "person_id", "rule", "until", "reason", "reported", "game_id")
    return tuple(getattr(decision, name) for name in names)


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("act", ABOUT_PEOPLE)
def test_what_is_announced_about_a_person_is_what_is_written_and_sent(
    alice: User, bob: User, carol: User, ada: User, kind: str, act: str
) -> None:
    waits = play_turns(TABLES[kind](alice, bob, carol), 2)
    goes_on = TABLES[kind](alice, bob)
    Game.objects.filter(pk=goes_on.pk).update(timeout_policy=Game.TimeoutPolicy.MOVE)
    gathers = table_of(alice, bob, seats=3, kind=waits.kind, options={})
    games = [waits, goes_on, gathers]
    if act == "lift":
        ABOUT_PEOPLE["suspend"](alice, ada)
    versions = [fresh(game).version for game in games]
    number = OutboxMail.objects.latest("pk").pk
    before = Decision.objects.count()
    announced = services.dry_run(lambda: ABOUT_PEOPLE[act](alice, ada), person=alice)
    assert (Decision.objects.count(), [fresh(game).version for game in games]) == (before, versions)
    assert not OutboxMail.objects.filter(pk__gt=number).exists()
    decision = ABOUT_PEOPLE[act](alice, ada)
    assert decided(announced.decisions[0]) == decided(Decision.objects.get(pk=decision.pk))
    changed = games if act.startswith("suspend") else []
    assert [table.game for table in announced.tables] == changed
    for table, game in zip(announced.tables, changed, strict=True):
        assert [(e.seq, e.kind, e.seat, e.by, e.event) for e in table.events] == [
            (e.seq, e.kind, e.seat, e.by, e.event) for e in log_of(game).entries[versions.pop(0) :]
        ]
        assert table.game.host == fresh(game).host == bob
        assert seats(table.seats) == seats(seats_of(game))
    mails = [*announced.mails, *(row for table in announced.tables for row in table.mails)]
    sent = OutboxMail.objects.filter(pk__gt=number)
    assert sorted(map(mail, mails), key=str) == sorted(map(mail, sent), key=str)
    assert mails
