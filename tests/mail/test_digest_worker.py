"""Gathered emails with a real worker that is killed at the worst moment."""

import threading
from email.message import EmailMessage

import pytest

from games.mail import outbox, workers
from games.models import OutboxMail, User
from tests.support.emails import Kind, State, prefer, row_for
from tests.support.outbox_workers import (
    StartProcess,
    arrived_ids,
    due_now,
    rows_by_state,
    tables_with_mail,
)
from tests.support.processes import wait_for
from tests.support.smtp_sink import SmtpSink

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]


def test_kill_9_between_sending_and_marking_sends_the_same_gathered_email_again_and_loses_none(
    start_process: StartProcess, outgoing: SmtpSink, alice: User, bob: User
) -> None:
    """The second sender is this process: a worker and beat that are started for it take a busy
    machine half a minute, and do the same (test_outbox_worker)."""
    for user in (alice, bob):
        prefer(user, "gather", gather_minutes=60)
    games = tables_with_mail(3, alice, bob)
    killed = threading.Event()

    def kill(_mail: EmailMessage) -> str:
        if not killed.is_set():
            worker.kill()  # the email is taken, and nobody is left to note it
            killed.set()
        return "250 kept"

    outgoing.answer = kill
    worker = start_process("worker")
    due_now()
    workers.wake()
    wait_for(killed.is_set, "the kill")
    assert rows_by_state()[State.SENDING] == 2  # as it was left

    def all_marked() -> bool:
        outbox.drain()  # nothing, until the lease of the dead has run out
        return rows_by_state() == {State.SENT: 8}

    wait_for(all_marked, "the marks")
    carriers = OutboxMail.objects.filter(kind=Kind.GATHERED)
    assert {carrier.user for carrier in carriers} == {alice, bob}
    assert sorted(carrier.merged.count() for carrier in carriers) == [3, 3]
    assert set(arrived_ids(outgoing)) == set(carriers.values_list("message_id", flat=True))
    assert len(arrived_ids(outgoing)) == 3  # one of the two came twice, under the same name
    assert {row_for(game, Kind.TURN).batched_into.user for game in games} == {alice}  # type: ignore[union-attr]
