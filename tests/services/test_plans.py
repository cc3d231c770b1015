"""What becomes of a plan: it plays in the moment in which its seat would be asked, or it lapses."""

from collections.abc import Callable
from datetime import timedelta
from operator import methodcaller
from typing import NamedTuple

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
    due,
    fresh,
    log_of,
    miss_deadline,
    play_one,
    play_turns,
    table_of,
)
from tests.rules.atlantis.games import ATLANTIS
from tests.support.atlantis_plans import dear, plan_of, send
from tests.support.emails import written
from tests.support.replies import one_line

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


LOST = "What you had entered in advance since then was undone as well."
OVER = "What you had entered in advance does not count any more."
ENDED = "What you had entered in advance is no longer needed. Everyone can read it now"
SENTENCES = (LOST, OVER, ENDED)


class Scene:
    """Alice has moved, it is Bob's turn, and Carol, who comes next, has left a plan."""

    def __init__(self, alice: User, bob: User, carol: User, dave: User, mona: User) -> None:
        self.alice, self.bob, self.carol, self.dave = alice, bob, carol, dave
        User.objects.filter(pk=carol.pk).update(language="en")
        self.game = play_turns(table_of(alice, bob, carol), 4)
        self.ruling = services.Ruling(mona, "a storm")
        self.line, self.left_at = plan_of(self.game, carol), fresh(self.game).version
        self.before = log_of(self.game).moves[-2][-1].seq
        send(self.game, carol, self.line)

    def move(self) -> None:
        """Bob moves, and Carol's plan is played."""
        play_one(self.game)
        assert planned(self.game) == [2]

    def roll_back(self, to_seq: int) -> None:
        services.moderate_rollback(game_id=self.game.pk, to_seq=to_seq, ruling=self.ruling)

    def vote(self, about: table_events.Proposal, by: int) -> None:
        """Everybody agrees."""
        people = [self.alice, self.bob, self.carol]
        services.vote_open(game_id=self.game.pk, user=people.pop(by), about=about)
        vote = log_of(self.game).vote
        assert vote is not None
        for user in reversed(people):
            services.vote_answer(game_id=self.game.pk, user=user, vote=vote.seq, agrees=True)

    def hand(self, to: User | None) -> None:
        services.moderate_hand_seat(game_id=self.game.pk, ruling=self.ruling, seat=2, to=to)

    def pause(self) -> None:
        services.moderate_pause(game_id=self.game.pk, ruling=self.ruling)
        services.deadline_check(now=database_clock.now() + timedelta(days=400))
        services.game_play_bots(game_id=self.game.pk)
        assert planned(self.game) == [], "never in a pause"
        with pytest.raises(services.ServiceError, match="paused"):
            send(self.game, self.carol, "no plan")
        services.moderate_resume(game_id=self.game.pk, ruling=self.ruling)
        assert planned(self.game) == [], "it waits for its turn"

    def be_away(self) -> None:
        now = database_clock.now()
        last = now.date() + timedelta(days=5)
        services.absence_enter(user=self.carol, first=now.date(), last=last, now=now)

    def set_policy(self, policy: str) -> None:
        """What happens at a missed deadline."""
        Game.objects.filter(pk=self.game.pk).update(timeout_policy=policy)

    def suspend(self) -> None:
        until = database_clock.now() + timedelta(days=7)
        services.moderate_suspend(user=self.carol, ruling=self.ruling, until=until)

    def delete_account(self) -> None:
        yesterday = database_clock.now() - timedelta(days=1)
        User.objects.filter(pk=self.carol.pk).update(closes_at=yesterday)
        services.accounts_delete_due()

    def miss(self, policy: str) -> None:
        """The time of the player who is asked is over, to the second."""
        self.set_policy(policy)
        services.deadline_check(now=due(self.game, fresh(self.game).to_act[0]))

    def ask_after_all(self) -> None:
        """A rollback to the turn asks its owner, although the plan fits."""
        self.roll_back(play_one(self.game).first + 1)
        assert fresh(self.game).to_act == [2] and planned(self.game) == []

    def nobody_has_missed(self) -> None:
        """The plan was played at the deadline, before its policy."""
        assert planned(self.game) == [2]
        kinds = {entry.kind for entry in log_of(self.game).entries}
        assert "table.timed_out" not in kinds and not self.game.seats.get(number=2).is_bot

    def go_on(self) -> None:
        """People and bots move until Carol's turn has come, or has been played."""
        for _turn in range(3):
            game = fresh(self.game)
            services.game_play_bots(game_id=game.pk)
            if game.is_over or planned(game) or game.to_act == [2]:
                break
            play_one(game)
        services.game_play_bots(game_id=self.game.pk)


class Outcome(NamedTuple):
    """plays: whether the plan is played when its turn comes. told: what the next email to its owner
    says of it; nobody else reads that."""

    plays: bool
    told: str = ""


Act = Callable[[Scene], object]
PLAYS, LAPSES = Outcome(plays=True), Outcome(plays=False)
OUTCOMES: dict[str, tuple[Outcome, *tuple[Act, ...]]] = {
    "nothing happens": (PLAYS,),
    "a double click": (PLAYS, lambda scene: send(scene.game, scene.carol, scene.line)),
    "no plan": (LAPSES, lambda scene: send(scene.game, scene.carol, "no plan")),
    "a rollback to before it": (
        Outcome(plays=False, told=LOST),
        lambda scene: scene.roll_back(scene.before),
    ),
    "a rollback to the position in which it was left": (
        PLAYS,
        Scene.move,
        lambda scene: scene.roll_back(scene.left_at),
    ),
    "a move before it is taken back by vote": (
        Outcome(plays=False, told=LOST),
        methodcaller("vote", "take_back", by=0),
    ),
    "a move after it is taken back by vote": (
        PLAYS,
        Scene.move,
        methodcaller("vote", "take_back", by=1),
    ),
    "a pause": (PLAYS, Scene.pause),
    "an absence of its owner": (PLAYS, Scene.be_away),
    "a suspension of its owner, where a bot gets the seat": (LAPSES, Scene.suspend),
    "a suspension of its owner, where deadlines go on": (
        PLAYS,
        methodcaller("set_policy", "move"),
        Scene.suspend,
    ),
    "another holder": (Outcome(plays=False, told=OVER), lambda scene: scene.hand(scene.dave)),
    "a bot in the seat": (Outcome(plays=False, told=OVER), lambda scene: scene.hand(None)),
    "a bot in the seat, and its owner again": (
        Outcome(plays=False, told=OVER),
        lambda scene: scene.hand(None),
        lambda scene: scene.hand(scene.carol),
    ),
    "its owner resigns": (
        LAPSES,
        lambda scene: services.game_resign(game_id=scene.game.pk, user=scene.carol),
    ),
    "the account of its owner is deleted": (LAPSES, Scene.delete_account),
    "the game ends": (Outcome(plays=False, told=ENDED), methodcaller("vote", "cancel", by=0)),
    "the player before misses the deadline": (PLAYS, methodcaller("miss", "move")),
    "the player before loses the seat": (PLAYS, methodcaller("miss", "seat1"), Scene.go_on),
    "its own deadline, where a bot would move": (
        PLAYS,
        Scene.ask_after_all,
        methodcaller("miss", "move"),
        Scene.nobody_has_missed,
    ),
    "its own deadline, where a bot would take the seat": (
        PLAYS,
        Scene.ask_after_all,
        methodcaller("miss", "seat1"),
        Scene.nobody_has_missed,
    ),
    "its own deadline, where the others would wait": (
        PLAYS,
        Scene.ask_after_all,
        methodcaller("miss", "wait"),
        Scene.nobody_has_missed,
    ),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_what_becomes_of_a_plan(
    name: str, alice: User, bob: User, carol: User, dave: User, mona: User
) -> None:
    scene, (outcome, *acts) = Scene(alice, bob, carol, dave, mona), OUTCOMES[name]
    OutboxMail.objects.all().delete()
    for happens in acts:
        happens(scene)
    scene.go_on()
    assert planned(scene.game) == ([2] if outcome.plays else [])
    assert fresh(scene.game).is_over or not in_force(scene.game, 2)
    assert whole(scene.game)
    told = {
        (mail.user, sentence)
        for mail in OutboxMail.objects.all()
        for sentence in SENTENCES
        if sentence in one_line(written(mail).text)
    }
    assert told == ({(carol, outcome.told)} if outcome.told else set())


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
