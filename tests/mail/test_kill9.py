"""kill -9 of everything in the middle of many moves: what the outbox promises holds all the same.

A whole service of its own (PostgreSQL, broker, worker, beat) sends to a real SMTP server while
another process makes moves. The worker, the broker, PostgreSQL and beat are killed in turn.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest

from atlantis_site.supervisor.stack import ServiceStack
from tests.support.lengths import by_length
from tests.support.processes import kill, rows_in, run_warm, wait_for, warm_program
from tests.support.smtp_sink import Arrivals, SmtpSink, free_port

GAMES, MOVES = by_length((4, 24), (20, 300))
KILLED = ["worker", "postgres", "beat"]
KILLED += by_length([], ["worker", "broker", "worker", "postgres"])
# A turn may end in the moment between the last question and the server's "kept". On a machine
# with everything else at work that moment can be long, but it is never as long as a lease: after
# that the emails of a dead worker come back, and then they must have been asked about again.
LEASE, MOMENT = 10, 8.0
OUTAGE = 0.8  # seconds for which each stays dead


class Player:
    """The process that makes moves."""

    def __init__(self, stack: ServiceStack) -> None:
        words = ("-m", "tests.support.children.player_process", str(GAMES), str(MOVES))
        self.child = warm_program(*words, log=stack.logs / "player.log", env=stack.env)
        self.child.start()

    def made(self) -> int:
        return self.child.log.read_text().count("moved ")

    def until(self, moves: int) -> None:
        """Wait for this number of moves."""
        wait_for(lambda: self.made() >= moves or not self.child.running, f"move {moves}")
        assert self.made() >= moves, self.child.log.read_text()[-2000:]


@pytest.fixture
def sink() -> Iterator[SmtpSink]:
    """An SMTP server that nobody else sends to."""
    own = SmtpSink(free_port())
    own.up()
    yield own
    own.down()


@pytest.mark.long
def test_no_email_is_lost_none_is_late_and_a_kill_doubles_one_at_most(
    make_stack: Callable[..., ServiceStack], sink: SmtpSink
) -> None:
    arrivals = Arrivals()
    sink.answer = arrivals.take
    stack = make_stack(
        EMAIL_URL=sink.url,
        MAIL_LEASE_SECONDS=str(LEASE),
        SWEEP_SECONDS="1",
        SITE_URL="http://127.0.0.1",
    )
    stack.start("worker")
    stack.start("beat")
    player = Player(stack)
    try:
        for number, victim in enumerate(KILLED, 1):
            player.until(number * MOVES // (len(KILLED) + 1))
            kill(stack.children[victim])
            time.sleep(OUTAGE)
            stack.start(victim)
        player.until(MOVES)
    finally:
        player.child.stop()
    unsent = "SELECT count(*) FROM games_outboxmail WHERE state IN ('queued', 'sending')"
    wait_for(lambda: rows_in(stack, unsent) == [(0,)], "the last mail", pause=0.3)

    mails = rows_in(
        stack,
        "SELECT message_id, state, kind, game_id, seat, seq, attempts FROM games_outboxmail",
    )
    came = Counter(message_id for _at, message_id in arrivals.seen)

    # Nothing is lost: what is marked as sent has arrived, what arrived was meant, nothing died.
    assert {state for _id, state, *_more in mails} <= {"sent", "dropped"}
    assert {message_id for message_id, state, *_more in mails if state == "sent"} <= came.keys()
    assert came.keys() <= {message_id for message_id, *_more in mails}
    sent = {
        (game, seat, seq)
        for message_id, _state, kind, game, seat, seq, _tries in mails
        if kind == "turn" and message_id in came
    }
    waiting = rows_in(
        stack,
        "SELECT game_id, number, asked_seq FROM games_seat JOIN games_game ON games_game.id = game_id"
        " WHERE asked_seq IS NOT NULL AND status = 'running'",
    )
    assert len(waiting) > GAMES // 2
    assert set(waiting) <= sent

    # At most one email twice for each kill; its Message-ID is the same, or it would not be counted.
    assert sum(came.values()) - len(came) <= len(KILLED)

    # Nobody got an email about a turn that was over.
    ended = turn_ends(stack)
    late = [
        (at - ended[game, seat, seq]).total_seconds()
        for at, message_id in arrivals.seen
        for other_id, _state, kind, game, seat, seq, _tries in mails
        if other_id == message_id and kind == "turn" and (game, seat, seq) in ended
    ]
    assert len(late) > MOVES / 6  # enough of them to look at
    assert [seconds for seconds in late if seconds > MOMENT] == []
    assert sum(state == "dropped" for _id, state, *_more in mails) > 0  # some had to be held back

    # And the games themselves are whole.
    assert (
        rows_in(stack, "SELECT count(*) FROM games_gameevent WHERE kind = 'moved'")[0][0]
        >= MOVES / 2
    )
    run_warm(("python", "manage.py", "verify"), stack.env, stack.logs / "verify.log")


def turn_ends(stack: ServiceStack) -> dict[tuple[int, int, int], datetime]:
    """(game, seat, the version at which it was asked) → when that turn was over."""
    events = rows_in(
        stack,
        "SELECT game_id, seq, seat, at FROM games_gameevent WHERE kind IN ('moved', 'passed')"
        " ORDER BY game_id, seq",
    )
    mails = rows_in(stack, "SELECT game_id, seat, seq FROM games_outboxmail WHERE kind = 'turn'")
    ends = {}
    for game, seat, asked in mails:
        after = [at for g, seq, by, at in events if (g, by) == (game, seat) and seq > asked]
        if after:
            ends[game, seat, asked] = after[0]
    return ends


@pytest.mark.long
def test_a_worker_with_its_hands_full_outlives_the_broker(
    make_stack: Callable[..., ServiceStack],
) -> None:
    stack = make_stack(SWEEP_SECONDS="0.1", SITE_URL="http://127.0.0.1")
    stack.start("worker")
    stack.start("beat")

    def last_sweep() -> list[tuple[Any, ...]]:
        return rows_in(stack, "SELECT at FROM games_heartbeat")

    wait_for(last_sweep, "the first sweep")
    for number in range(by_length(2, 5)):
        kill(stack.children["broker"])
        time.sleep(OUTAGE)
        before = last_sweep()
        stack.start("broker")
        wait_for(lambda old=before: last_sweep() != old, f"a sweep after kill {number + 1}")  # type: ignore[misc]
    assert stack.children["worker"].running
