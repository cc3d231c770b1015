"""Readers that die at an email, and two readers at one email."""

import os
import threading
from collections.abc import Callable
from datetime import timedelta

import psycopg
import pytest
from django.db import connection
from django.utils import timezone
from psycopg import Connection
from pytest_django import Settings

from games.inbound import intake, limited_reader, processor
from games.inbound.processor import MOST_TRIES
from games.models import Game, InboundMail, OutboxMail, User
from tests.factories import fresh, table_of
from tests.support.emails import Kind, written
from tests.support.processes import service_env, wait_for
from tests.support.replies import (
    Channel,
    Outcome,
    address_of,
    line_of,
    one_line,
    reply_email,
    reply_env,
)
from tests.support.warm_processes import run_python

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def game(alice: User, bob: User, replies: Settings) -> Game:
    return table_of(alice, bob)


def kept(game: Game, user: User, text: str) -> int:
    """The key of an email with this first line that waits to be read."""
    to = address_of(game, user)
    raw = reply_email(text, to, user.email)
    (row,) = intake.store(raw, channel=Channel.RELAY, sender=user.email, recipients=[to])
    return row.pk


def kill_readers(times: int) -> None:
    """This number of readers begin with what waits, and each is killed before it has ended."""
    env = {**os.environ, **reply_env(), "DJANGO_SETTINGS_MODULE": "atlantis_site.settings"}
    done = run_python("-m", "tests.support.children.killed_readers", str(times), env=env)
    assert done.stdout.decode().split() == ["SIGKILL"] * times, done.stderr.decode()


def the_row() -> InboundMail:
    return InboundMail.objects.get()


def test_an_email_whose_reader_was_killed_is_read_seconds_later(game: Game, alice: User) -> None:
    before = fresh(game).version
    kept(game, alice, line_of(game))
    kill_readers(1)
    assert fresh(game).version == before
    assert not OutboxMail.objects.filter(kind=Kind.ANSWER).exists()
    row = the_row()
    assert (row.state, row.attempts) == ("new", 1)
    assert row.next_try_at < timezone.now() + timedelta(seconds=10)
    wait_for(processor.read_waiting, "the second reading")
    assert (the_row().outcome, the_row().attempts) == (Outcome.PLAYED, 2)
    assert fresh(game).version > before
    assert OutboxMail.objects.filter(kind=Kind.ANSWER).count() == 1


def test_an_email_that_kills_every_reader_is_given_up(game: Game, alice: User) -> None:
    before = fresh(game).version
    kept(game, alice, line_of(game))
    kill_readers(MOST_TRIES)
    assert (the_row().state, the_row().attempts) == ("new", MOST_TRIES)
    InboundMail.objects.update(next_try_at=timezone.now() - timedelta(seconds=1))
    assert processor.read_waiting() == 0
    assert (the_row().state, the_row().attempts) == ("failed", MOST_TRIES)
    assert "crashed repeatedly" in the_row().error
    assert fresh(game).version == before


def test_an_email_that_another_reads_is_left_to_it_and_the_next_is_read(
    game: Game, alice: User
) -> None:
    """However long the other takes: nobody waits for it, and nobody counts a try."""
    first, second = kept(game, alice, "show"), kept(game, alice, "help")
    with psycopg.connect(service_env()["DATABASE_URL"]) as other:
        other.execute("SELECT id FROM games_inboundmail WHERE id = %s FOR UPDATE", [first])
        assert processor.read_waiting() == 1
        assert not processor.read_one(first)
        states = dict(InboundMail.objects.values_list("pk", "state"))
        assert states == {first: "new", second: "done"}
        assert InboundMail.objects.get(pk=first).attempts == 0
    assert processor.read_waiting() == 1
    assert InboundMail.objects.get(pk=first).state == "done"


def test_a_reader_that_only_looks_at_an_email_does_not_postpone_it(game: Game, alice: User) -> None:
    """A second reader may hold the row's lock for the moment in which it finds it claimed."""
    key = kept(game, alice, "show")
    with psycopg.connect(service_env()["DATABASE_URL"]) as other:

        def look_first(execute: Callable[..., object], sql: str, *rest: object) -> object:
            if sql.startswith("SELECT") and "FOR UPDATE" in sql and "inboundmail" in sql:
                look(other, key)
            return execute(sql, *rest)

        with connection.execute_wrapper(look_first):
            assert processor.read_one(key)
    assert (the_row().state, the_row().attempts) == ("done", 1)


def look(other: Connection[tuple[object, ...]], key: int) -> None:
    """Take the row's lock, and give it back a moment later."""
    other.execute("SELECT id FROM games_inboundmail WHERE id = %s FOR UPDATE", [key])
    threading.Timer(0.2, other.rollback).start()


def test_a_reader_that_stood_still_leaves_the_email_to_the_one_that_took_it_over(
    game: Game, alice: User
) -> None:
    kept(game, alice, line_of(game))
    late = processor._claim([])
    assert late is not None
    InboundMail.objects.update(next_try_at=timezone.now() - timedelta(seconds=1))
    assert processor.read_waiting() == 1
    assert not processor._read(late)
    assert OutboxMail.objects.filter(kind=Kind.ANSWER).count() == 1


def test_two_threads_read_and_the_others_are_free_for_sign_in_codes(
    game: Game, alice: User
) -> None:
    kept(game, alice, "show")
    with processor._readers, processor._readers:
        assert processor.read_waiting() == 0
    assert (the_row().state, the_row().attempts) == ("new", 0)
    assert processor._look_again.is_set()  # for the threads that read
    assert processor.read_waiting() == 1


def test_an_email_that_cannot_be_read_within_limits_is_answered_once(
    game: Game, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After one try, with the page."""
    kept(game, alice, line_of(game))
    monkeypatch.setattr(limited_reader, "read", lambda _raw, **_more: limited_reader.UNREADABLE)
    assert processor.read_waiting() == 1
    assert (the_row().outcome, the_row().attempts) == (Outcome.REFUSED, 1)
    words = one_line(written(OutboxMail.objects.get(kind=Kind.ANSWER)).text)
    assert "couldn’t be read, because it’s too complicated" in words
    assert "Make your move on this page:" in words


def test_an_email_on_a_machine_that_is_too_busy_is_read_later(
    game: Game, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(game, alice, line_of(game))
    with monkeypatch.context() as busy:
        busy.setattr(limited_reader, "SECONDS", 0.0)
        assert processor.read_waiting() == 0
    assert (the_row().state, the_row().attempts) == ("new", 1)
    InboundMail.objects.update(next_try_at=timezone.now() - timedelta(seconds=1))
    assert processor.read_waiting() == 1
    assert the_row().outcome == Outcome.PLAYED
