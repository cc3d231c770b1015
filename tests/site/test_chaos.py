"""`make chaos` in short: some faults, few games, by `make test-long`. And what chaos calls lost."""

import uuid
from typing import Any

import pytest

from games.inbound import intake
from games.models import Game, InboundMail, OutboxMail, User, database_clock
from tests.chaos.players import Accepted, Done
from tests.chaos.service import Arrivals
from tests.chaos.tally import Sums, Window, report, settled
from tests.factories import fresh, play_one, table_of
from tests.support.chaos_runs import run_chaos
from tests.support.replies import Channel, address_of, arrive, line_of, reply_email

FAULTS = ("kill worker", "kill postgres", "stop worker", "mail: 5xx about us", "stepped clock")
MINUTES = 5


@pytest.mark.long
@pytest.mark.processes
def test_no_move_and_no_email_is_lost_whatever_happens() -> None:
    faults = [f"--fault={name}" for name in FAULTS]
    rows, said = run_chaos(
        "tests.chaos",
        f"--minutes={MINUTES}",
        "--games=12",
        *faults,
        timeout=MINUTES * 60 + 540,
    )
    assert set(rows) >= {*FAULTS, "all"}, said
    # A machine may not let its clock be stepped; what could be caused must have been.
    assert "no time was left" not in said, said
    for name in FAULTS[:-1]:
        assert int(rows[name][0].replace(",", "")) > 0, f"no moves during {name}\n{said}"


# -- the tally -----------------------------------------------------------------------------------

HOUR = 3600.0


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    return table_of(alice, bob)


def tally(game: Game, *moves: Accepted) -> tuple[Sums, str]:
    """The sums of a run in which these moves were accepted, and its troubles. All email arrived."""
    done, arrivals = Done(moves=list(moves)), Arrivals(0)
    done.submitted |= {(move.game, move.version) for move in moves}
    for message_id in OutboxMail.objects.filter(state="sent").values_list("message_id", flat=True):
        arrivals.times[message_id].append(0.0)
    OutboxMail.objects.exclude(state="sent").update(state="dropped")
    _table, sums, troubles = report([Window("calm", 0.0, HOUR)], done, arrivals)
    return sums, "\n".join(troubles)


def accepted(game: Game, to: str = "") -> Accepted:
    return Accepted(1.0, game.pk, fresh(game).version, 0.1, to)


@pytest.mark.django_db
@pytest.mark.usefixtures("replies")
class TestReplies:
    """A reply that the listener has accepted is made, waits, or is lost."""

    def test_one_that_waits_to_be_read_is_not_lost(self, game: Game, alice: User) -> None:
        to = address_of(game, alice)
        move = accepted(game, to)
        raw = reply_email(line_of(game), to, alice.email)
        intake.store(raw, channel=Channel.RELAY, sender=alice.email, recipients=[to])
        assert not settled()
        sums, troubles = tally(game, move)
        assert (sums.waiting, sums.lost_moves) == (1, 0)
        assert sums.has_failed
        assert "still waits, after 0 tries" in troubles

    def test_one_that_was_made_is_a_move(self, game: Game, alice: User) -> None:
        to = address_of(game, alice)
        move = accepted(game, to)
        arrive(reply_email(line_of(game), to, alice.email), to)
        sums, troubles = tally(game, move)
        assert (sums.moves, sums.has_failed, troubles) == (1, False, "")

    def test_one_that_was_never_stored_is_lost(self, game: Game, alice: User) -> None:
        sums, troubles = tally(game, accepted(game, address_of(game, alice)))
        assert (sums.waiting, sums.lost_moves) == (0, 1)
        assert "accepted and lost (not stored)" in troubles

    def test_one_that_was_read_and_not_made_is_lost(self, game: Game, alice: User) -> None:
        to = address_of(game, alice)
        move = accepted(game, to)
        arrive(reply_email("Good morning!", to, alice.email), to)
        sums, troubles = tally(game, move)
        assert (sums.waiting, sums.lost_moves) == (0, 1)
        assert "(done as 'unclear': 'Good morning!' " in troubles

    def test_one_that_was_given_up_is_lost(self, game: Game, alice: User) -> None:
        to = address_of(game, alice)
        move = accepted(game, to)
        raw = reply_email(line_of(game), to, alice.email)
        intake.store(raw, channel=Channel.RELAY, sender=alice.email, recipients=[to])
        InboundMail.objects.update(state="failed", error="no such thing")
        sums, troubles = tally(game, move)
        assert (sums.waiting, sums.lost_moves) == (0, 1)
        assert "no such thing" in troubles


@pytest.mark.django_db
class TestMovesByPage:
    def test_one_that_is_not_in_the_log_is_lost(self, game: Game) -> None:
        sums, troubles = tally(game, accepted(game))
        assert sums.lost_moves == 1
        assert "accepted and lost (not in the log)" in troubles

    def test_one_that_nobody_sent_was_made_twice(self, game: Game) -> None:
        move = accepted(game)
        play_one(game)
        play_one(game)
        sums, _troubles = tally(game, move)
        assert (sums.moves, sums.lost_moves, sums.doubled_moves) == (2, 0, 1)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("state", "waiting", "lost"),
    [("queued", 1, 0), ("sending", 1, 0), ("sent", 0, 1), ("dropped", 0, 0), ("dead", 0, 0)],
)
def test_an_email_that_did_not_arrive_is_lost_only_if_it_is_marked_as_sent(
    game: Game, state: str, waiting: int, lost: int
) -> None:
    OutboxMail.objects.exclude(pk=OutboxMail.objects.earliest("pk").pk).delete()
    now = database_clock.now()
    more: dict[str, dict[str, Any]] = {
        "sending": {"lease_until": now, "lease_token": uuid.uuid4()},
        "sent": {"sent_at": now},
    }
    OutboxMail.objects.update(state=state, **more.get(state, {}))
    _table, sums, _troubles = report([Window("calm", 0.0, HOUR)], Done(), Arrivals(0))
    assert (sums.waiting, sums.lost_emails) == (waiting, lost)
