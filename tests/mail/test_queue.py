"""Emails are queued for the right players, once, and in the same transaction as their reason."""

import importlib
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from celery import Celery, current_app
from celery.signals import before_task_publish
from django.db import transaction
from django.utils import timezone
from kombu.transport.redis import Channel
from pytest_django import DjangoCaptureOnCommitCallbacks

from atlantis_site.celery import app
from games import services
from games.log import pipeline
from games.mail import outbox_rows, queue, workers
from games.models import FOR_GOOD, Game, OutboxMail, Seat, User
from tests.factories import fresh, play_one, play_to_the_end, play_turns, seats_of, table_of
from tests.support.emails import Kind, row_for, rows_for
from tests.support.escape_games import escape_table
from tests.support.processes import empty_queue, wait_for


def recipients(game: Game, kind: str) -> list[str]:
    return sorted(row.to_address for row in rows_for(game, kind))


def test_all_but_the_one_who_is_asked_at_once_get_an_email_about_the_start(
    alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, bob, carol)
    assert recipients(game, Kind.TURN) == ["alice@example.org"]
    assert recipients(game, Kind.STARTED) == ["bob@example.org", "carol@example.org"]


def test_each_turn_is_announced_once_to_the_one_whose_it_is(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 4)
    turns = [(row.to_address, row.seq) for row in rows_for(game, Kind.TURN)]
    assert [address for address, _seq in turns] == [
        "alice@example.org",
        "bob@example.org",
        "alice@example.org",
        "bob@example.org",
        "alice@example.org",
    ]
    assert len({seq for _address, seq in turns}) == 5
    asked = Seat.objects.get(game=game, asked_seq__isnull=False)
    assert turns[-1][1] == asked.asked_seq


def test_asking_twice_queues_nothing_new(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    before = OutboxMail.objects.count()
    pipeline.execute(queue.turns_changed(game, seats_of(game)))
    queue.game_started(game, seats_of(game))
    assert OutboxMail.objects.count() == before


def test_bots_and_people_who_have_left_get_no_email(alice: User, bob: User) -> None:
    game = table_of(alice, bob, bots=1)
    services.game_play_bots(game_id=game.pk)
    User.objects.filter(pk=bob.pk).update(suspended_until=FOR_GOOD)
    play_one(game)
    services.game_play_bots(game_id=game.pk)
    assert "bob@example.org" not in recipients(game, Kind.TURN)


@pytest.mark.parametrize("make_table", [table_of, escape_table])
def test_the_moves_of_several_bots_in_a_row_queue_one_turn_email_at_most(
    alice: User, make_table: Callable[..., Game]
) -> None:
    game, most = make_table(alice, bots=3), 0
    for _move in range(12):
        before = len(recipients(game, Kind.TURN))
        most = max(most, services.game_play_bots(game_id=game.pk))
        assert len(recipients(game, Kind.TURN)) - before <= 1
        if fresh(game).is_over:
            break
        play_one(game)
    assert most > 2


def test_a_move_that_is_refused_queues_nothing(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    before = OutboxMail.objects.count()
    with pytest.raises(RuntimeError), transaction.atomic():
        play_one(game)
        raise RuntimeError
    assert OutboxMail.objects.count() == before


def test_everybody_gets_one_email_about_the_end(alice: User, bob: User) -> None:
    game = play_to_the_end(table_of(alice, bob))
    assert recipients(game, Kind.OVER) == ["alice@example.org", "bob@example.org"]


def test_everybody_gets_an_email_about_a_passed_deadline_that_names_the_late_seat(
    alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    late = timezone.now() + timedelta(days=4)
    assert services.deadline_check(now=late) == 1
    assert services.deadline_check(now=late) == 0
    assert recipients(game, Kind.DEADLINE) == ["alice@example.org", "bob@example.org"]
    assert {row.context["late"] for row in rows_for(game, Kind.DEADLINE)} == {0}


def test_reminders_come_at_half_of_the_time_and_a_day_before_and_never_twice(
    alice: User, bob: User
) -> None:
    game = table_of(alice, bob, pace_days=7)
    start = timezone.now()
    for hours in range(0, 8 * 24, 6):
        services.reminders_due(now=start + timedelta(hours=hours))
        services.reminders_due(now=start + timedelta(hours=hours))
    kinds = [(row.to_address, row.context["which"]) for row in rows_for(game, Kind.REMINDER)]
    assert kinds == [("alice@example.org", "half"), ("alice@example.org", "day")]


def test_a_moderator_is_heard_by_everybody_and_by_the_one_who_lost_a_seat(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "A storm."))
    assert recipients(game, Kind.MODERATED) == ["alice@example.org", "bob@example.org"]
    services.moderate_resume(game_id=game.pk, ruling=services.Ruling(mona, "The sea is calm."))
    services.moderate_hand_seat(
        game_id=game.pk, seat=1, ruling=services.Ruling(mona, "Gone fishing.")
    )
    lost = row_for(game, Kind.MODERATED, bob)
    assert (lost.seat, lost.to_address) == (None, "bob@example.org")


def test_an_invitation_goes_to_an_address_that_nobody_may_know(alice: User) -> None:
    game = table_of(alice, seats=2)
    services.game_invite(game_id=game.pk, by=alice, address="Zoe@Example.net")
    services.game_invite(game_id=game.pk, by=alice, address="zoe@example.net")
    (row,) = rows_for(game, Kind.INVITATION)
    assert (row.to_address, row.user) == ("zoe@example.net", None)


def test_the_message_id_reveals_nothing_and_is_the_same_for_the_same_email() -> None:
    one = outbox_rows.message_id("1:2:3:turn")
    assert one == outbox_rows.message_id("1:2:3:turn")
    assert one != outbox_rows.message_id("1:2:4:turn")
    assert "1:2" not in one


# -- waking a worker ---------------------------------------------------------------------------


@pytest.fixture
def fresh_module() -> Iterator[None]:
    """The module as in a process that has just begun, before the test and after it."""
    importlib.reload(workers)
    yield
    importlib.reload(workers)


@pytest.fixture
def other_broker(fresh_module: None) -> Iterator[Callable[[str], None]]:
    """A way to point the messages to workers at another broker; the real one is back afterwards."""
    apps: list[Celery] = []

    def use(url: str) -> None:
        other = Celery("other")
        other.config_from_object("django.conf:settings", namespace="CELERY")
        other.conf.update(broker_url=url)
        other.set_current()
        apps.append(other)

    yield use
    app.set_current()
    for other in apps:
        other.close()


def wake(callbacks: DjangoCaptureOnCommitCallbacks) -> None:
    with callbacks(execute=True):
        workers.wake()


REFUSED = "The broker did not take games.tasks.drain_outbox"


def test_a_dead_broker_is_left_alone_for_a_while(
    db: None,
    other_broker: Callable[[str], None],
    caplog: pytest.LogCaptureFixture,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    other_broker("redis+socket:///nowhere/at/all.sock")
    for _wakeup in range(2):
        wake(django_capture_on_commit_callbacks)
    assert caplog.text.count(REFUSED) == 1


def test_a_broker_that_hangs_is_given_up_after_two_tries(
    db: None,
    other_broker: Callable[[str], None],
    caplog: pytest.LogCaptureFixture,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        other_broker(f"redis://127.0.0.1:{silent.getsockname()[1]}/0")
        for _wakeup in range(2):
            wake(django_capture_on_commit_callbacks)
        assert caplog.text.count(REFUSED) == 1
        silent.settimeout(0)
        for _try in range(2):
            silent.accept()[0].close()
        with pytest.raises(BlockingIOError):
            silent.accept()


def tasks_at_the_broker() -> int:
    with current_app.connection_for_read() as connection:
        channel: Any = connection.default_channel
        return int(channel.client.llen("celery"))


@pytest.mark.parametrize(("restores", "left"), [(Channel.do_restore, 0), (True, 1)])
def test_a_task_in_hand_is_not_put_back_when_the_connection_ends(
    monkeypatch: pytest.MonkeyPatch, restores: bool, left: int
) -> None:
    """Unless kombu's class is left as it is, which shows that kombu still asks for the
    attribute."""
    monkeypatch.setattr(Channel, "do_restore", restores)
    empty_queue()
    with current_app.connection_for_read() as connection:
        queue = connection.SimpleQueue("celery")
        queue.put("a task")
        queue.get(timeout=5)
    assert tasks_at_the_broker() == left
    empty_queue()


def test_on_the_web_a_worker_is_woken_while_the_player_reads_on(
    db: None,
    fresh_module: None,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    gate = threading.Event()

    def wait(**_signal: object) -> None:
        """The broker takes its time."""
        gate.wait(60)

    empty_queue()
    workers.wake_in_background()
    before_task_publish.connect(wait)
    try:
        wake(django_capture_on_commit_callbacks)
        assert tasks_at_the_broker() == 0
        gate.set()
        wait_for(tasks_at_the_broker, "the message")
    finally:
        gate.set()
        before_task_publish.disconnect(wait)
        empty_queue()


def test_a_message_to_a_worker_waits_for_the_commit(
    db: None, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with django_capture_on_commit_callbacks() as waiting:
        workers.wake()
        workers.wake("games.tasks.play_bots", 7)
    assert len(waiting) == 2
