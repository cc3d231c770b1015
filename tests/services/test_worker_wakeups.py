"""Services that make work for a worker wake one at once, through the broker."""

import ast
import json
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
import redis
from anymail.signals import AnymailTrackingEvent, EventType, RejectReason
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from games import services
from games.inbound import intake, webhook_receiver
from games.mail import queue, transport_state
from games.mail.transport_state import Lane
from games.models import (
    InboundMail,
    MailAddress,
    OutboxMail,
    StopReason,
    User,
    address_digest,
)
from tests.factories import play_one, table_of
from tests.support.emails import State, prefer
from tests.support.processes import empty_queue
from tests.support.replies import address_of, reply_email

ROOT = Path(__file__).parents[2]
EMAILS, URGENT = "games.tasks.drain_outbox", "games.tasks.drain_urgent"
Act = Callable[[], object]


def tasks_at_the_broker() -> set[str]:
    """The names of the tasks that wait for a worker, in all queues."""
    number = os.environ["BROKER_URL"].rpartition("=")[2]
    with redis.Redis(unix_socket_path=os.environ["TEST_BROKER"], db=int(number)) as broker:
        queues = [key for key in broker.scan_iter() if broker.type(key) == b"list"]
        messages = [text for key in queues for text in broker.lrange(key, 0, -1)]
    return {json.loads(text)["headers"]["task"] for text in messages}


# Each prepares something and returns what is then done.


def preferences(alice: User, bob: User, _mona: User) -> Act:
    """The emails of a day are to come at once."""
    prefer(alice, "digest")
    table_of(alice, bob)
    return lambda: prefer(alice)


def unblock(alice: User, bob: User, _mona: User) -> Act:
    digest = address_digest(alice.email)
    MailAddress.objects.create(digest=digest, stopped=StopReason.BOUNCE, stopped_at=timezone.now())
    alice.mail_trouble = f"{StopReason.BOUNCE}:{digest}"
    alice.save()
    return lambda: services.address_unblock(user=alice)


def retry_emails(alice: User, bob: User, mona: User) -> Act:
    table_of(alice, bob)
    OutboxMail.objects.update(state=State.DEAD)
    keys = list(OutboxMail.objects.values_list("pk", flat=True))
    return lambda: services.mails_retry(ids=keys, by=mona)


def retry_reply(alice: User, bob: User, mona: User) -> Act:
    failed = InboundMail.objects.create(
        raw=b"x", channel="relay", recipient="move@example.org", state=InboundMail.State.FAILED
    )
    return lambda: services.inbound_retry(ids=[failed.pk], by=mona)


def retry_transport(alice: User, _bob: User, mona: User) -> Act:
    transport_state.close(Lane.BULK, "554 suspended", refused=True)
    return lambda: services.transport_retry(by=mona)


def move_before_a_bot(alice: User, _bob: User, _mona: User) -> Act:
    game = table_of(alice, bots=1)
    return lambda: play_one(game)


def last_move_of_the_bots(alice: User, _bob: User, _mona: User) -> Act:
    game = table_of(alice, bots=1)
    play_one(game)
    return lambda: services.game_play_bots(game_id=game.pk)


def turn_email(alice: User, bob: User, _mona: User) -> Act:
    game = table_of(alice, bob)
    return lambda: play_one(game)


def open_table(alice: User, _bob: User, _mona: User) -> Act:
    circle = services.circle_create(founder=alice, name="Sunday table")
    return lambda: table_of(alice, seats=2, circle_id=circle.pk)


def urgent_email(alice: User, _bob: User, _mona: User) -> Act:
    context = {"language": "en", "subject": "A code", "body": "Words."}
    return lambda: queue.account(alice.email, dedupe="x", context=context, user=alice)


def bounce_report(alice: User, _bob: User, _mona: User) -> Act:
    event = AnymailTrackingEvent(
        event_type=EventType.BOUNCED, reject_reason=RejectReason.BOUNCED, recipient=alice.email
    )
    return lambda: webhook_receiver.receive_report(None, event, "Postmark")


def reply(alice: User, bob: User, _mona: User) -> Act:
    to = address_of(table_of(alice, bob), alice)
    raw = reply_email("show", to, alice.email)
    return lambda: intake.store(
        raw, channel=InboundMail.Channel.RELAY, sender=alice.email, recipients=[to]
    )


def unfinished_sweep(alice: User, bob: User, _mona: User) -> Act:
    table_of(alice, bob, pace_days=1)
    sweep = services.Sweep("games.tasks.deadlines", seconds=0)
    services.deadline_check(now=timezone.now() + timedelta(days=2), sweep=sweep)
    return sweep.go_on


# The function that asks for tasks → (what makes it do so, the tasks).
WAKEUPS: dict[str, list[tuple[Callable[[User, User, User], Act], set[str]]]] = {
    "_save_preferences": [(preferences, {EMAILS})],
    "_unblock": [(unblock, {EMAILS})],
    "inbound_retry": [(retry_reply, {intake.TASK})],
    "mails_retry": [(retry_emails, {EMAILS, URGENT})],
    "transport_retry": [(retry_transport, {EMAILS, URGENT})],
    "write": [(move_before_a_bot, {"games.tasks.play_bots"})],
    "go_on": [(unfinished_sweep, {"games.tasks.deadlines"})],
    "bots_have_moved": [(last_move_of_the_bots, {EMAILS, URGENT})],
    "statements": [(turn_email, {EMAILS}), (urgent_email, {URGENT})],
    "news": [(open_table, {"games.tasks.post_to_channels"})],
    "receive_report": [(bounce_report, {"games.tasks.read_reports"})],
    "_insert": [(reply, {intake.TASK})],
}
WITH_OTHER_TESTS = {"_ask_for_help"}  # test_sweeps


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("prepare", "tasks"), [case for cases in WAKEUPS.values() for case in cases]
)
def test_work_is_asked_for_with_the_commit(
    prepare: Callable[[User, User, User], Act],
    tasks: set[str],
    alice: User,
    bob: User,
    mona: User,
    replies: Settings,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    act = prepare(alice, bob, mona)
    empty_queue()
    with django_capture_on_commit_callbacks(execute=True):
        act()
        assert tasks_at_the_broker() == set()
    assert tasks_at_the_broker() == tasks
    empty_queue()


def test_these_are_all_functions_that_ask_for_tasks() -> None:
    found = {
        function.name
        for path in (ROOT / "games").rglob("*.py")
        if "workers.wake(" in (code := path.read_text(encoding="utf-8"))
        for function in ast.walk(ast.parse(code))
        if isinstance(function, ast.FunctionDef)
        and any(
            isinstance(call, ast.Call) and ast.unparse(call.func) == "workers.wake"
            for call in ast.walk(function)
        )
    }
    assert found == WAKEUPS.keys() | WITH_OTHER_TESTS
