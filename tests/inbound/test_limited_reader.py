"""No email costs more than two seconds of a processor and 200 MB, whatever is in it."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from games.inbound import limited_reader, reply_parser
from games.inbound.reply_parser import Problem
from tests.support.children.reader_costs import Cost
from tests.support.default_timeout import default_timeout
from tests.support.poisonous_emails import POISONOUS, plain, poisonous

MOST_SECONDS, MOST_BYTES = 2.0, 200_000_000
ROOT = Path(__file__).resolve().parents[2]


def test_the_emails_that_took_minutes_take_less_than_two_seconds() -> None:
    for name, cost in zip(POISONOUS, costs(list(POISONOUS.values())), strict=True):
        assert is_bounded(cost), (name, cost[1:])


def test_random_emails_of_that_kind_take_less_than_two_seconds() -> None:
    dice = random.Random(29)
    emails = [poisonous(dice) for _number in range(200)]
    for raw, cost in zip(emails, costs(emails), strict=True):
        assert is_bounded(cost), (raw[:300], cost[1:])


def costs(emails: list[bytes], *parser: str) -> list[Cost]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.children.reader_costs", *parser],
        input=msgspec.msgpack.encode(emails),
        capture_output=True,
        cwd=ROOT,
        timeout=600,
        check=True,
    )
    return msgspec.msgpack.decode(done.stdout, type=list[Cost])


def is_bounded(cost: Cost) -> bool:
    _reply, seconds, size = cost
    return seconds < MOST_SECONDS and size < MOST_BYTES


# -- the limits themselves ---------------------------------------------------------------------


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield
    limited_reader.stop()


ORDINARY = plain("B flag\n")


def test_a_parser_that_never_ends_is_ended() -> None:
    (cost,) = costs([ORDINARY], "spin")
    assert cost[0] is None
    assert is_bounded(cost)


def test_a_parser_that_takes_too_much_memory_gives_up() -> None:
    (cost,) = costs([ORDINARY], "grow")
    assert cost[0] == limited_reader.UNREADABLE
    assert is_bounded(cost)


def test_a_server_that_was_killed_is_replaced(server: None) -> None:
    assert limited_reader.read(ORDINARY) == reply_parser.written("B flag")
    process = limited_reader._server._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait(10)
    assert limited_reader.read(ORDINARY) == reply_parser.written("B flag")


def test_a_reader_waits_for_its_request_whatever_the_default_timeout_of_sockets_is(
    server: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Celery sets one for a moment when it closes a connection to the broker."""
    limited_reader.read(ORDINARY)
    hand_over = limited_reader._server.hand_over

    def hand_over_long_before_the_request(connection: socket.socket) -> None:
        hand_over(connection)
        time.sleep(0.3)

    monkeypatch.setattr(limited_reader._server, "hand_over", hand_over_long_before_the_request)
    with default_timeout(5.0):
        assert limited_reader.read(ORDINARY) == reply_parser.written("B flag")


def test_what_nests_too_deeply_is_unreadable(server: None) -> None:
    nested = "".join(
        f'Content-Type: multipart/mixed; boundary="{n}"\n\n--{n}\n' for n in range(2000)
    )
    found = limited_reader.read(f"From: bob@example.org\n{nested}\n\nB flag\n".encode())
    assert found.problem is Problem.UNREADABLE
