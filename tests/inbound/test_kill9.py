"""kill -9 of everything while many replies come in: each is read once, none is lost.

A whole service of its own; another process hands replies to its listener as a mail server would.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from atlantis_site.supervisor.stack import ServiceStack
from tests.support.lengths import by_length
from tests.support.processes import kill, rows_in, run_warm, wait_for, warm_program
from tests.support.replies import AUTHSERV, DOMAIN
from tests.support.smtp_sink import Arrivals, SmtpSink, free_port

GAMES, MOVES = by_length((5, 20), (20, 300))
KILLED = ["worker", "postgres", "listener"]
KILLED += by_length([], ["broker", "beat", "worker", "listener", "worker"])
OUTAGE = 0.8  # seconds for which each stays dead


@pytest.fixture
def sink() -> Iterator[SmtpSink]:
    """An SMTP server that nobody else sends to."""
    own = SmtpSink(free_port())
    own.up()
    yield own
    own.down()


@pytest.mark.long
def test_every_reply_is_read_once_whatever_is_killed(
    make_stack: Callable[..., ServiceStack], sink: SmtpSink
) -> None:
    arrivals = Arrivals()
    sink.answer = arrivals.take
    port = free_port()
    stack = make_stack(
        EMAIL_URL=sink.url,
        MAIL_LEASE_SECONDS="4",
        SWEEP_SECONDS="1",
        SITE_URL="http://127.0.0.1",
        MAIL_REPLY_DOMAIN=DOMAIN,
        MAIL_AUTHSERV_ID=AUTHSERV,
        MAIL_LISTEN=f"127.0.0.1:{port}",
        LOCAL_MODE="0",
    )
    for name in ("worker", "beat", "listener"):
        stack.start(name)
    words = ("-m", "tests.support.children.reply_process", str(GAMES), str(MOVES), str(port))
    writer = warm_program(*words, log=stack.logs / "replies.log", env=stack.env)
    writer.start()

    def kept() -> int:  # each look is a new connection, which is dear
        with_mail = "SELECT count(*) FROM games_inboundmail"
        return int(rows_in(stack, with_mail)[0][0])

    try:
        for number, victim in enumerate(KILLED, 1):
            wanted = number * MOVES // (len(KILLED) + 1)
            wait_for(lambda n=wanted: kept() >= n, f"reply {wanted}", pause=0.3)  # type: ignore[misc]
            kill(stack.children[victim])
            time.sleep(OUTAGE)
            stack.start(victim)
        assert writer.wait(600) == 0, writer.log.read_text()[-2000:]
    finally:
        writer.stop()
    assert writer.log.read_text().count("moved ") == MOVES
    unsent = "SELECT count(*) FROM games_outboxmail WHERE state IN ('queued', 'sending')"
    wait_for(lambda: rows_in(stack, unsent) == [(0,)], "the last mail", pause=0.3)

    # Each reply was read once and made one move, by the person who wrote it.
    found = rows_in(stack, "SELECT state, outcome, answer_id FROM games_inboundmail")
    assert Counter((state, outcome) for state, outcome, _answer in found) == {
        ("done", "played"): MOVES
    }
    made = "SELECT count(*) FROM games_gameevent WHERE by_id IS NOT NULL AND kind IN ('moved', 'passed')"
    assert rows_in(stack, made) == [(MOVES,)]
    assert len({answer for _state, _verdict, answer in found}) == MOVES

    # Each was answered, and a kill doubles one email at most.
    came = Counter(message_id for _at, message_id in arrivals.seen)
    answers = rows_in(stack, "SELECT message_id, state FROM games_outboxmail WHERE kind = 'answer'")
    assert {state for _id, state in answers} == {"sent"}
    assert {message_id for message_id, _state in answers} <= came.keys()
    assert sum(came.values()) - len(came) <= len(KILLED)
    run_warm(("python", "manage.py", "verify"), stack.env, stack.logs / "verify.log")
