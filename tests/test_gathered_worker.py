"""Gathered mails with a real worker that is killed at the worst moment."""

from __future__ import annotations

import threading
from email.message import EmailMessage

import pytest

from games.models import OutboxMail, User

from .letters import Kind, State, row_for
from .processes import wait_for
from .smtp_sink import SmtpSink
from .test_outbox_worker import Start, due_now, ids, start, states, tables
from .test_wishes import wishes

__all__ = ["start"]

pytestmark = pytest.mark.django_db(transaction=True)


def test_kill_9_between_sending_and_marking_sends_the_same_gathered_mail_again_and_loses_none(
    start: Start, smtp_sink: SmtpSink, alice: User, bob: User
) -> None:
    for user in (alice, bob):
        wishes(user, "gather", gather_minutes=60)
    games = tables(3, alice, bob)
    due_now()
    killed = threading.Event()

    def kill(_mail: EmailMessage) -> str:
        if not killed.is_set():
            killed.set()
            worker.kill()  # the mail is taken, and nobody is left to note it
        return "250 kept"

    smtp_sink.answer = kill
    worker = start("worker")
    start("beat")
    wait_for(killed.is_set, "the kill")
    start("worker")
    wait_for(lambda: states() == {State.SENT: 8}, "the marks", seconds=120)
    carriers = OutboxMail.objects.filter(kind=Kind.GATHERED)
    assert {carrier.user for carrier in carriers} == {alice, bob}
    assert sorted(carrier.carries.count() for carrier in carriers) == [3, 3]
    assert set(ids(smtp_sink)) == set(carriers.values_list("message_id", flat=True))
    assert len(ids(smtp_sink)) == 3  # one of the two came twice, under the same name
    assert {row_for(game, Kind.TURN).carrier.user for game in games} == {alice}  # type: ignore[union-attr]
