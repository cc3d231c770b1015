"""What becomes of a plan: it plays in the moment in which its seat would be asked, or it lapses."""

from datetime import timedelta

import pytest
from django.db import transaction

from games import services
from games.log import stored_rows, table_events
from games.management.commands.verify import verify_game
from games.models import Game, OutboxMail, User, database_clock
from games.rules.atlantis import model
from games.rules.errors import MoveError
from games.services import GameMoved
from games.services.locked_game import LockedGame
from tests.factories import (
    fresh,
    log_of,
    miss_deadline,
    play_one,
    play_turns,
    table_of,
)
from tests.rules.atlantis.games import ATLANTIS
from tests.support.atlantis_plans import dear, plan_of, send

pytestmark = pytest.mark.django_db


def in_force(game: Game, seat: int) -> bool:
    log = log_of(game)
    return bool(log.engine.rules.standing_orders(log.state, seat))


def planned(game: Game) -> list[int]:
    """The seats whose moves were planned, in order."""
    return [
        entry.event.seat
        for entry in log_of(game).effective
        if isinstance(entry.event, model.Moved) and entry.event.planned
    ]


def whole(game: Game) -> bool:
    """The log is as the rules say, and its digests are right."""
    return stored_rows.audit(fresh(game))[1] == [] and verify_game(game.pk)[2] == []


@pytest.fixture
def game(alice: User, bob: User, carol: User) -> Game:
    """Everybody has moved once; it is Alice's turn."""
    return play_turns(table_of(alice, bob, carol), 3)


def test_it_plays_in_the_transaction_that_would_ask_the_seat(
    game: Game, alice: User, bob: User
) -> None:
    left = send(game, bob, plan_of(game, bob))
    assert (left.asked, left.order) == (False, 1)
    assert fresh(game).version == left.version, "nobody sees a number"
    played = play_one(game)
    assert planned(game) == [1]
    assert fresh(game).to_act == [2]
    assert len(played.events) == 2 and played.first == left.version + 1, "those of her own move"
    assert not in_force(game, 1)
    moves = [move[0] for move in log_of(game).moves[-2:]]
    assert [move.by for move in moves] == [alice.pk, bob.pk]
    assert whole(game)


def test_several_plans_follow_each_other(game: Game, bob: User, carol: User) -> None:
    for user in (carol, bob):
        send(game, user, plan_of(game, user))
    play_one(game)
    assert planned(game) == [1, 2]
    assert fresh(game).to_act == [0]
    assert whole(game)


def test_nobody_is_asked_by_email_for_a_turn_that_was_planned(game: Game, bob: User) -> None:
    OutboxMail.objects.all().delete()
    send(game, bob, plan_of(game, bob))
    play_one(game)
    assert [mail.seat for mail in OutboxMail.objects.filter(kind="turn")] == [2]


def test_a_plan_that_does_not_fit_leaves_the_turn_to_its_seat(game: Game, bob: User) -> None:
    send(game, bob, dear(game, bob))
    play_one(game)
    assert planned(game) == []
    assert fresh(game).to_act == [1]
    assert in_force(game, 1), "to say why"
    assert OutboxMail.objects.filter(kind="turn", seat=1).exists()
    play_one(game)
    assert not in_force(game, 1), "it lapses with any own move"


def test_no_plan_takes_it_back(game: Game, bob: User) -> None:
    send(game, bob, plan_of(game, bob))
    send(game, bob, "no plan")
    play_one(game)
    assert planned(game) == []


def test_the_later_plan_counts(game: Game, bob: User) -> None:
    send(game, bob, dear(game, bob))
    send(game, bob, plan_of(game, bob))
    play_one(game)
    assert planned(game) == [1]


def test_a_double_click_leaves_it_once_also_if_it_has_played_by_then(game: Game, bob: User) -> None:
    version, line = fresh(game).version, plan_of(game, bob)
    first, again = (send(game, bob, line, version=version) for _time in range(2))
    assert (first.repeated, again.repeated) == (False, True)
    assert len(log_of(game).orders) == 1
    play_one(game)
    late = send(game, bob, line, version=version)
    assert late.repeated
    assert planned(game) == [1] and len(log_of(game).orders) == 1


def test_one_saved_while_the_turn_begins_is_neither_a_move_nor_a_plan(
    game: Game, bob: User
) -> None:
    version, line = fresh(game).version, plan_of(game, bob)
    play_one(game)
    with pytest.raises(MoveError, match="Your turn has begun"):
        send(game, bob, line, version=version)
    assert fresh(game).to_act == [1] and not log_of(game).orders
    view = ATLANTIS.rules.view(log_of(game).state, 1)
    assert isinstance(ATLANTIS.notation.suggest(line, view), model.Move), "here is your plan"


def test_a_plan_prepared_before_others_moved_is_still_a_plan(
    game: Game, bob: User, carol: User
) -> None:
    version, line = fresh(game).version, plan_of(game, carol)
    play_one(game)
    send(game, carol, line, version=version)
    assert in_force(game, 2)


def test_a_plan_prepared_before_ones_own_move_is_stale(game: Game, alice: User) -> None:
    version = fresh(game).version
    play_one(game)
    with pytest.raises(GameMoved):
        send(game, alice, plan_of(game, alice), version=version)


def test_a_rollback_beyond_its_writing_undoes_it(game: Game, bob: User, mona: User) -> None:
    before = log_of(game).moves[-2][-1].seq
    send(game, bob, plan_of(game, bob))
    services.moderate_rollback(
        game_id=game.pk, to_seq=before, ruling=services.Ruling(mona, "a storm")
    )
    assert not in_force(game, 1)
    play_turns(game, 2)
    assert planned(game) == [] and whole(game)


def test_a_rollback_of_the_planned_move_asks_and_plays_it_before_the_missed_deadline_counts(
    alice: User, bob: User, mona: User
) -> None:
    """At the deadline, the plan is played like any move: nobody has missed anything."""
    game = play_turns(table_of(alice, bob, timeout_policy="seat1"), 2)
    send(game, bob, plan_of(game, bob))
    before = play_one(game).first + 1
    assert planned(game) == [1]
    services.moderate_rollback(
        game_id=game.pk, to_seq=before, ruling=services.Ruling(mona, "a storm")
    )
    assert planned(game) == [] and fresh(game).to_act == [1] and in_force(game, 1)
    miss_deadline(game)
    assert planned(game) == [1]
    assert not game.seats.get(number=1).is_bot
    assert not any(isinstance(e.event, table_events.TimedOut) for e in log_of(game).entries)
    assert whole(game)


def test_nothing_plays_in_a_pause(game: Game, bob: User, mona: User) -> None:
    send(game, bob, plan_of(game, bob))
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "Ill."))
    with pytest.raises(services.ServiceError, match="paused"):
        send(game, bob, "no plan")
    services.moderate_resume(game_id=game.pk, ruling=services.Ruling(mona, "Well."))
    assert planned(game) == []
    play_one(game)
    assert planned(game) == [1]


def test_it_plays_during_an_absence(game: Game, bob: User) -> None:
    send(game, bob, plan_of(game, bob))
    now = database_clock.now()
    day = now.date()
    services.absence_enter(user=bob, first=day, last=day + timedelta(days=5), now=now)
    play_one(game)
    assert planned(game) == [1]


def test_it_lapses_with_another_holder(game: Game, bob: User, dave: User, mona: User) -> None:
    send(game, bob, plan_of(game, bob))
    services.moderate_hand_seat(
        game_id=game.pk, ruling=services.Ruling(mona, "Ill."), seat=1, to=dave
    )
    assert not in_force(game, 1)
    play_one(game)
    assert planned(game) == [] and whole(game)


def test_it_lapses_with_a_bot_in_the_seat(game: Game, bob: User) -> None:
    send(game, bob, plan_of(game, bob))
    services.game_resign(game_id=game.pk, user=bob)
    play_one(game)
    services.game_play_bots(game_id=game.pk)
    assert planned(game) == [] and not in_force(game, 1)
    assert whole(game)


def test_it_plays_after_a_bot_and_after_a_turn_that_a_bot_played_for_somebody(
    alice: User, bob: User
) -> None:
    game = table_of(alice, bob, timeout_policy="move")
    play_turns(game, 2)
    send(game, bob, plan_of(game, bob))
    miss_deadline(game)
    assert planned(game) == [1] and fresh(game).to_act == [0]
    with_bot = play_turns(table_of(alice, bots=1), 0)
    services.game_play_bots(game_id=with_bot.pk)
    play_one(with_bot)
    send(with_bot, alice, plan_of(with_bot, alice))
    services.game_play_bots(game_id=with_bot.pk)
    assert planned(with_bot) == [0]
    assert whole(game) and whole(with_bot)


def test_a_plan_may_end_the_game_and_the_seed_follows(alice: User, bob: User) -> None:
    """Plans are left as long as there are any; the game ends as every game does."""
    game = table_of(alice, bob)
    for _turn in range(200):
        if fresh(game).is_over:
            break
        other = (alice, bob)[1 - fresh(game).to_act[0]]
        if (line := plan_of(game, other)) != "no plan":
            send(game, other, line)
        play_one(game)
    assert planned(game)
    assert fresh(game).is_over and whole(game)


def test_a_lock_that_writes_no_move_plays_no_plan(game: Game, bob: User) -> None:
    send(game, bob, plan_of(game, bob))
    with transaction.atomic():
        LockedGame(game.pk).write()
    assert planned(game) == []
