"""The outbox with a real Celery worker, a real broker and a real mail server that misbehaves."""

import socket

import pytest
from django.db.models import F
from django.utils import timezone
from pytest_django import Settings

from atlantis_site.celery import app
from games.mail import queue, workers
from games.models import Heartbeat, MailTransport, OutboxMail, User
from games.rules.bots import Level
from tests.factories import fresh, play_one, table_of
from tests.support.emails import Kind, State
from tests.support.lengths import by_length
from tests.support.outbox_workers import (
    StartProcess,
    arrived_ids,
    due_now,
    rows_by_state,
    tables_with_mail,
)
from tests.support.processes import wait_for
from tests.support.smtp_sink import SmtpSink

THREADS = 5  # of the worker of `make play`
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]


def queue_emails(count: int, *people: User) -> None:
    """This number of emails without pictures to each of these people, one person after the
    other."""
    for user in people:
        User.objects.filter(pk=user.pk).update(saved_modes={Kind.TURN: ""})
        for _number in range(count):
            queue.unsubscribed(user, switched=Kind.TURN)


@pytest.mark.parametrize(
    ("processes", "name"), [(("worker", "bots"), "bots"), (("one-worker",), "celery")]
)
def test_moves_are_sent_within_a_moment_by_messages_alone_also_while_bots_search(
    start_process: StartProcess,
    smtp_sink: SmtpSink,
    alice: User,
    bob: User,
    processes: tuple[str, ...],
    name: str,
) -> None:
    """Bots that do not search move within a moment as well."""
    variables = {"BOT_PLAYOUTS": "atlantis=10000000", "BOT_SECONDS": "600", "SWEEP_SECONDS": "3600"}
    for process in processes:  # and no beat that would find an email
        bots = start_process(process, **variables)
    game = table_of(alice, bob, bots=2)
    smtp_sink.wait_for(2)
    play_one(game)
    smtp_sink.wait_for(3)
    asked = fresh(game).seats.get(asked_seq__isnull=False)
    assert asked.user in (alice, bob)
    assert smtp_sink.recipients[2] == [asked.user.email]
    wait_for(lambda: rows_by_state() == {State.SENT: 3}, "the marks")

    all_searched = [table_of(alice, bots={1: Level.STRONG}) for _thread in range(THREADS)]
    for searched in all_searched:
        play_one(searched)
    versions = [fresh(searched).version for searched in all_searched]

    def searching() -> bool:
        with app.connection_for_read() as broker:
            # The answer of one worker that is named is not waited for any longer.
            bot_worker = [f"{name}@{socket.gethostname()}"]
            inspect = app.control.inspect(bot_worker, timeout=1, connection=broker)
            active = inspect.active() or {}
        return any(
            task["name"] == "games.tasks.play_bots" for tasks in active.values() for task in tasks
        )

    wait_for(searching, "the bot's search")
    before = len(smtp_sink.messages)
    queue_emails(2, bob)
    smtp_sink.wait_for(before + 2)
    wait_for(searching, "the bot's search, still")  # a busy worker may be late to say what it does
    assert [fresh(searched).version for searched in all_searched] == versions
    bots.kill()  # it would search on for minutes


def test_beat_finds_what_no_message_announced_and_leaves_a_sign_that_it_lives(
    start_process: StartProcess,
    smtp_sink: SmtpSink,
    alice: User,
    bob: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start_process("worker")
    swept = Heartbeat.objects.filter(name="sweep", at__gt=F("started_at"))
    wait_for(swept.exists, "the first sweep of the worker itself")
    monkeypatch.setattr(workers, "wake", lambda *_task: None)  # the broker loses every message
    queue_emails(1, alice, bob)
    assert not smtp_sink.messages
    start_process("beat")
    smtp_sink.wait_for(2)
    beat = Heartbeat.objects.filter(name__startswith="beat@")
    wait_for(beat.exists, "the first beat")
    first = beat.get().at
    wait_for(lambda: beat.get().at > first, "the second beat")


def test_a_mail_server_that_is_down_or_says_not_now_loses_nothing_and_is_not_asked_again_after_no(
    start_process: StartProcess, smtp_sink: SmtpSink, alice: User, bob: User
) -> None:
    """And nothing is sent too late."""
    smtp_sink.down()
    start_process("worker")
    start_process("beat")
    first, _other = tables_with_mail(2, alice, bob)
    closed = MailTransport.objects.filter(closed_at__isnull=False)
    wait_for(closed.exists, "a first try")
    wait_for(lambda: rows_by_state() == {State.QUEUED: 4}, "the end of that try")
    play_one(first)  # now it is Bob's turn and no longer Alice's
    smtp_sink.up()
    due_now()  # a probe
    smtp_sink.wait_for(4)
    wait_for(lambda: rows_by_state() == {State.SENT: 4, State.DROPPED: 1}, "the marks")
    dropped = OutboxMail.objects.get(state=State.DROPPED)
    assert (dropped.game, dropped.user) == (first, alice)
    assert len(set(arrived_ids(smtp_sink))) == 4

    earlier = OutboxMail.objects.count()
    smtp_sink.answer = lambda mail: (
        "550 5.1.1 no such reader" if "alice" in mail["To"] else "451 greylisted, come again"
    )
    queue_emails(1, alice, bob)
    new = OutboxMail.objects.order_by("pk")[earlier:]
    wait_for(lambda: [row.state for row in new.all()] == [State.DEAD, State.QUEUED], "two refusals")
    wait_for(lambda: OutboxMail.objects.filter(error__contains="451").exists(), "the mark")
    smtp_sink.answer = "250 welcome"
    due_now()
    smtp_sink.wait_for(5)
    wait_for(lambda: [row.state for row in new.all()] == [State.DEAD, State.SENT], "the marks")
    dead, sent = new.all()
    assert (dead.attempts, dead.to_address) == (1, "alice@example.org")
    assert "550 5.1.1 no such reader" in dead.error
    assert (sent.attempts, sent.to_address) == (2, "bob@example.org")
    assert arrived_ids(smtp_sink)[4:] == [sent.message_id]


def test_under_a_slow_mail_server_each_email_goes_out_once(
    start_process: StartProcess, smtp_sink: SmtpSink, alice: User, bob: User
) -> None:
    """Slower than a lease: it is renewed, and the sweeps of beat find nothing to take away."""
    smtp_sink.delay = 1.5
    start_process("worker")
    start_process("worker")
    start_process("beat")
    queue_emails(4, alice, bob)
    smtp_sink.wait_for(8)
    wait_for(lambda: rows_by_state() == {State.SENT: 8}, "the marks")
    assert len(arrived_ids(smtp_sink)) == len(set(arrived_ids(smtp_sink))) == 8


def test_kill_9_in_the_middle_of_an_email_costs_a_second_one_at_most_and_a_stop_none(
    start_process: StartProcess, smtp_sink: SmtpSink, alice: User, bob: User
) -> None:
    """The second one has the same Message-ID. A worker that is asked to stop finishes its email and
    leaves no lease."""
    smtp_sink.delay = 0.5
    killed = start_process("worker")
    start_process("beat")
    queue_emails(3, alice, bob)
    smtp_sink.wait_for(2)
    killed.kill()
    smtp_sink.delay = 0.0
    worker = start_process("worker")
    wait_for(lambda: rows_by_state() == {State.SENT: 6}, "the marks")
    came = arrived_ids(smtp_sink)
    assert set(came) == set(OutboxMail.objects.values_list("message_id", flat=True))
    assert len(came) <= 7

    smtp_sink.delay = 1.5
    queue_emails(4, alice, bob)
    smtp_sink.wait_for(len(came) + 1)
    worker.stop()
    found = rows_by_state()
    assert State.SENDING not in found
    assert found[State.SENT] == 6 + len(smtp_sink.messages) - len(came)
    assert found[State.QUEUED] >= 1


@pytest.mark.long
def test_workers_that_die_soon_after_their_start_have_swept_all_the_same(
    start_process: StartProcess,
) -> None:
    """Without beat, whose next sweep may come when the worker is dead again."""
    began: set[object] = set()
    for death in range(1, by_length(3, 4)):
        worker = start_process("worker")

        def sweeps(count: int = death) -> bool:
            began.update(
                Heartbeat.objects.filter(name="sweep").values_list("started_at", flat=True)
            )
            return len(began) >= count

        wait_for(sweeps, f"the sweep of worker {death}")
        worker.kill()


def test_the_emails_of_a_killed_worker_are_free_within_half_a_minute(
    start_process: StartProcess, smtp_sink: SmtpSink, alice: User, bob: User, settings: Settings
) -> None:
    """With the lease and the sweeps of the settings: counted from the death, without waiting."""
    smtp_sink.answer = "hang"
    worker = start_process("worker", MAIL_LEASE_SECONDS=str(settings.MAIL_LEASE_SECONDS))
    queue_emails(1, alice, bob)
    smtp_sink.wait_for(1)
    worker.kill()
    death = timezone.now()
    leases = OutboxMail.objects.filter(state=State.SENDING).values_list("lease_until", flat=True)
    sweep_seconds = settings.CELERY_BEAT_SCHEDULE["sweep"]["schedule"]
    for until in leases:
        assert until is not None
        assert (until - death).total_seconds() + sweep_seconds <= 30
    assert len(leases) >= 1
