"""Votes, plans, moves, deadlines and moderators at the same moment: each has one outcome."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from functools import partial

import pytest
from django.db import connections
from django.utils import timezone

from games import services
from games.log import table_events
from games.models import Game, User
from games.rules.atlantis import model
from games.rules.errors import MoveError
from games.services import ServiceError
from tests.factories import fresh, log_of, play_one, play_turns, table_of
from tests.support.atlantis_plans import dear, plan_of, send
from tests.support.lengths import by_length
from tests.support.replies import Post
from tests.support.verification import verify

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 20
PATIENCE = 120.0  # seconds


def at_once(*acts: Callable[[], object]) -> None:
    """Do all this in threads of their own. A refusal is an outcome like others."""

    def act_in_thread(act: Callable[[], object]) -> None:
        try:
            act()
        except (ServiceError, MoveError, AssertionError):
            pass
        finally:
            connections.close_all()

    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(act_in_thread, act) for act in acts]:
            done.result(timeout=PATIENCE)


def open_votes(game: Game) -> tuple[int, int]:
    """(votes opened, votes settled) so far."""
    events = [entry.event for entry in log_of(game).entries]
    return (
        sum(isinstance(event, table_events.VoteOpened) for event in events),
        sum(isinstance(event, table_events.VoteSettled) for event in events),
    )


def answers(
    game: Game, users: list[User], vote: int, *, agrees: bool
) -> list[Callable[[], object]]:
    def by(user: User) -> Callable[[], object]:
        return lambda: services.vote_answer(game_id=game.pk, user=user, vote=vote, agrees=agrees)

    return [by(user) for user in users]


def move_if_asked(game: Game) -> None:
    """Play a move, unless the game has been cancelled and nobody is asked."""
    if log_of(game).projection.to_act:
        with suppress(StopIteration):  # cancelled in between
            play_one(game)


@pytest.mark.parametrize("about", ["take_back", "pause", "cancel"])
def test_every_vote_has_one_outcome(
    alice: User, bob: User, carol: User, mona: User, about: table_events.Proposal
) -> None:
    game = table_of(alice, bob, carol)
    play_one(game)
    until = (timezone.now() + timedelta(days=3)).date() if about == "pause" else None
    services.vote_open(game_id=game.pk, user=alice, about=about, until=until)
    log = log_of(game)
    assert log.vote is not None
    seq, due = log.vote.seq, log.vote.closes_at
    at_once(
        *answers(game, [bob, carol] * 4, seq, agrees=True),
        *answers(game, [carol, bob], seq, agrees=False),
        *[lambda: move_if_asked(game)] * 4,
        *[lambda: services.votes_due(now=due)] * 2,
        *[lambda: services.deadline_check(now=due)] * 2,
        *[lambda: services.vote_open(game_id=game.pk, user=bob, about="cancel")] * 2,
        lambda: services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "because")),
        lambda: services.game_resign(game_id=game.pk, user=carol),
    )
    log = log_of(game)
    opened, settled = open_votes(game)
    over = log.projection.status in ("aborted", "finished")
    assert opened - settled == (log.vote is not None), "one outcome for each that is not open"
    assert not (over and log.vote)
    assert verify()[0] == 0


def test_two_last_answers_at_once_settle_the_vote_once(alice: User, bob: User, carol: User) -> None:
    game = table_of(alice, bob, carol)
    services.vote_open(game_id=game.pk, user=alice, about="cancel")
    log = log_of(game)
    assert log.vote is not None
    at_once(*answers(game, [bob, carol] * 10, log.vote.seq, agrees=True))
    assert open_votes(game) == (1, 1)
    assert log_of(game).projection.status == "aborted"
    assert verify()[0] == 0


ROUNDS = by_length(8, 60)


def planned(game: Game) -> int:
    """How many moves were played as planned."""
    moves = (entry.event for entry in log_of(game).effective)
    return sum(isinstance(event, model.Moved) and event.planned for event in moves)


@pytest.mark.usefixtures("replies")
def test_of_plans_by_page_and_by_email_at_once_one_counts_and_plays_once(
    alice: User, bob: User
) -> None:
    game = play_turns(table_of(alice, bob), 2)
    post, known = Post(game, bob), 0
    for _round in range(ROUNDS):
        line, other, version = plan_of(game, bob), dear(game, bob), fresh(game).version
        at_once(
            partial(send, game, bob, line, version=version),
            partial(send, game, bob, line, version=version),
            partial(post.write, other),
            partial(post.write, line),
        )
        orders = log_of(game).orders[known:]
        known += len(orders)
        assert 1 <= len({repr(order.event) for order in orders}) <= 2
        assert log_of(game).state.plans[1] == orders[-1].event, "the last one counts"
        assert fresh(game).version == version, "nobody else has noticed"
    assert verify()[0] == 0
    send(game, bob, plan_of(game, bob))
    play_one(game)
    assert planned(game) == 1


@pytest.mark.usefixtures("replies")
def test_a_plan_by_page_and_the_move_before_it_by_email_at_once(alice: User, bob: User) -> None:
    """The plan is played, or it came too late and its player is asked: it is never lost."""
    game = play_turns(table_of(alice, bob), 2)
    post = Post(game, alice)
    for _round in range(ROUNDS):
        before, version, line = planned(game), fresh(game).version, plan_of(game, bob)
        at_once(partial(send, game, bob, line, version=version), post.move)
        if fresh(game).is_over:
            break
        in_time = planned(game) > before
        assert fresh(game).to_act == [0 if in_time else 1]
        assert log_of(game).state.plans[1] is None
        if not in_time:
            play_one(game)
    assert verify()[0] == 0
