"""Votes, moves, deadlines and moderators at the same moment: every vote has one outcome."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone

from games import services
from games.log import table_events
from games.models import Game, User
from games.rules.errors import MoveError
from games.services import ServiceError
from tests.factories import log_of, play_one, table_of
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
