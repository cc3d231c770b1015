"""The outbox row by row: claimed, asked again, sent, marked; what failures do to it.

Sent by this process to a real SMTP server; test_outbox_worker has the same with a real worker.
"""

import random
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone
from pytest_django import Settings

from games import services
from games.log import pipeline
from games.mail import claims, outbox, queue, transport_state
from games.mail.compose import MailComposer
from games.mail.transport_state import Lane
from games.models import Game, OutboxMail, User
from tests.factories import fresh, play_one, play_turns, table_of
from tests.support.emails import Kind, State, read, row_for, rows_for
from tests.support.smtp_sink import SmtpSink

pytestmark = pytest.mark.django_db


def mails(count: int, to: str = "reader{}@example.net") -> list[OutboxMail]:
    """Small emails that are always true, due now, in this order."""
    for number in range(count):
        context = {"language": "en", "subject": f"Mail {number}", "body": "Words."}
        address = to.format(number)
        queue.account(address, dedupe=f"test-{number}", context=context, user=None)
    return list(OutboxMail.objects.order_by("pk"))


def now_due() -> None:
    """All waiting is over."""
    OutboxMail.objects.filter(state=State.QUEUED).update(
        next_try_at=timezone.now() - timedelta(seconds=1)
    )


def only(state: str) -> OutboxMail:
    """The one row there is, which must be in this state."""
    row = OutboxMail.objects.get()
    assert row.state == state, f"{row.state}: {row.error}"
    return row


# -- sent ----------------------------------------------------------------------------------


def test_what_is_due_is_sent_in_order_over_one_connection(outgoing: SmtpSink) -> None:
    mails(45)
    assert outbox.drain().sent == 45
    assert [m["Subject"] for m in outgoing.messages] == [f"Mail {n}" for n in range(45)]
    assert not OutboxMail.objects.exclude(state=State.SENT, sent_at__isnull=False).exists()


def test_a_sent_email_is_not_sent_again(outgoing: SmtpSink) -> None:
    mails(1)
    outbox.drain()
    now_due()
    assert outbox.drain().sent == 0
    assert len(outgoing.messages) == 1


def test_it_bears_the_message_id_of_its_row(outgoing: SmtpSink) -> None:
    (row,) = mails(1)
    outbox.drain()
    assert read(outgoing.messages[0])["Message-ID"] == row.message_id


def test_the_text_of_a_sign_in_email_is_removed_once_it_is_sent(outgoing: SmtpSink) -> None:
    mails(1)
    outbox.drain()
    assert only(State.SENT).context == {}


def test_people_at_the_keyboard_come_before_those_days_apart(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    table_of(alice, bob)
    mails(1)
    outbox.drain()
    assert outgoing.messages[0]["Subject"] == "Mail 0"
    assert len(outgoing.messages) == 3


# -- claims and leases ---------------------------------------------------------------------


def test_a_claim_counts_as_a_try_and_gives_a_lease(settings: Settings) -> None:
    mails(3)
    rows = claims.claim(2, Lane.URGENT)
    assert [row.context["subject"] for row in rows] == ["Mail 0", "Mail 1"]
    for row in OutboxMail.objects.filter(pk__in=[row.pk for row in rows]):
        assert (row.state, row.attempts) == (State.SENDING, 1)
        assert row.lease_until is not None
        left = (row.lease_until - timezone.now()).total_seconds()
        assert settings.MAIL_LEASE_SECONDS - 5 < left <= settings.MAIL_LEASE_SECONDS


def test_the_lease_of_a_killed_sender_is_over_and_seen_within_30_seconds(
    settings: Settings,
) -> None:
    sweep = settings.CELERY_BEAT_SCHEDULE["sweep"]["schedule"]
    assert settings.MAIL_LEASE_SECONDS + sweep <= 30


def test_what_is_claimed_cannot_be_claimed_again() -> None:
    mails(3)
    assert len(claims.claim(2, Lane.URGENT)) == 2
    assert len(claims.claim(2, Lane.URGENT)) == 1
    assert claims.claim(2, Lane.URGENT) == []


@pytest.mark.django_db(transaction=True)
def test_a_claim_does_not_wait_for_rows_that_another_is_claiming() -> None:
    mails(4)
    found: list[OutboxMail] = []

    def claim() -> None:
        found.extend(claims.claim(4, Lane.URGENT))
        connection.close()

    with transaction.atomic():
        held = OutboxMail.objects.select_for_update().order_by("pk")[:3]
        assert len(held) == 3
        other = threading.Thread(target=claim)
        other.start()
        other.join(10)
    assert [row.context["subject"] for row in found] == ["Mail 3"]


def test_when_a_lease_runs_out_the_same_email_is_sent_by_another(outgoing: SmtpSink) -> None:
    (row,) = mails(1)
    claims.claim(1, Lane.URGENT)  # and then the sender dies
    assert outbox.drain().sent == 0
    OutboxMail.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert outbox.drain().sent == 1
    assert read(outgoing.messages[0])["Message-ID"] == row.message_id
    assert only(State.SENT).attempts == 2


def test_an_email_that_kills_every_sender_is_given_up(
    outgoing: SmtpSink, settings: Settings
) -> None:
    settings.MAIL_MAX_TRIES = 2
    mails(1)
    for _death in range(2):
        claims.claim(1, Lane.URGENT)
        OutboxMail.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert outbox.drain().sent == 0
    assert "worker crashed" in only(State.PARKED).error


def test_a_sender_whose_lease_is_gone_leaves_the_row_alone(outgoing: SmtpSink) -> None:
    """Killed, thawed, late: the mark of an old lease must not touch the new one."""
    mails(1)
    (mine,) = claims.claim(1, Lane.URGENT)
    OutboxMail.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    (theirs,) = claims.claim(1, Lane.URGENT)
    claims.mark(mine, state=State.SENT, sent_at=timezone.now())
    assert only(State.SENDING).lease_token == theirs.lease_token


def test_under_a_slow_server_leases_are_renewed_before_they_run_out(
    outgoing: SmtpSink, settings: Settings
) -> None:
    settings.MAIL_LEASE_SECONDS = 1
    outgoing.delay = 0.4
    mails(5)
    assert outbox.drain().sent == 5
    assert len(outgoing.messages) == 5
    assert set(OutboxMail.objects.values_list("attempts", flat=True)) == {1}


@pytest.mark.django_db(transaction=True)
def test_one_process_sends_with_one_thread_and_forgets_no_message(outgoing: SmtpSink) -> None:
    outgoing.delay = 0.2
    mails(2)

    def drain() -> None:
        outbox.drain()
        connection.close()

    first = threading.Thread(target=drain)
    first.start()
    outgoing.wait_for(1)
    mails(4)
    assert outbox.drain().sent == 0  # the other one is at it, and looks once more
    first.join(10)
    assert [m["Subject"] for m in outgoing.messages] == [f"Mail {n}" for n in range(4)]


def test_a_sender_that_is_to_stop_finishes_the_email_at_hand_and_puts_the_rest_back(
    outgoing: SmtpSink, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(_mail: Any) -> str:
        outbox.stop()
        return "250 kept"

    monkeypatch.setattr(outbox, "_stopping", threading.Event())
    outgoing.answer = stop
    mails(3)
    done = outbox.drain()
    assert (done.sent, done.put_back) == (1, 2)
    waiting = OutboxMail.objects.filter(state=State.QUEUED)
    assert [row.attempts for row in waiting] == [0, 0]


# -- failures ------------------------------------------------------------------------------


def test_not_now_is_tried_again_later(outgoing: SmtpSink) -> None:
    outgoing.answer = "451 come back later"
    mails(1)
    before = timezone.now()
    assert outbox.drain().failed == 1
    row = only(State.QUEUED)
    assert "451 come back later" in row.error
    assert 11 < (row.next_try_at - before).total_seconds() < 20
    assert outbox.drain().failed == 0  # it is not due
    outgoing.answer = "250 kept"
    now_due()
    assert outbox.drain().sent == 1
    assert only(State.SENT).attempts == 2


def test_an_email_is_given_up_after_its_last_try_and_says_why(
    outgoing: SmtpSink, settings: Settings
) -> None:
    settings.MAIL_MAX_TRIES = 3
    outgoing.answer = "451 never"
    mails(1)
    for _try in range(3):
        now_due()
        outbox.drain()
    row = only(State.PARKED)
    assert (row.attempts, len(outgoing.refused)) == (3, 3)
    assert "451 never" in row.error


def test_what_was_given_up_can_be_sent_by_a_moderators_hand(outgoing: SmtpSink, mona: User) -> None:
    outgoing.answer = "554 no"
    (row,) = mails(1)
    for _try in range(outbox.MAX_REFUSALS):
        now_due()
        outbox.drain()
    assert only(State.PARKED).error.endswith("554 no")
    outgoing.answer = "250 yes"
    assert services.mails_retry(ids=[row.pk], by=mona) == 1
    outbox.drain()
    assert only(State.SENT).message_id == row.message_id


def test_one_refused_email_does_not_hold_up_the_others(outgoing: SmtpSink) -> None:
    outgoing.answer = lambda m: "554 no" if m["Subject"] == "Mail 1" else "250 yes"
    mails(3)
    done = outbox.drain()
    assert (done.sent, done.failed) == (2, 1)


def test_a_server_that_is_down_costs_no_try(outgoing: SmtpSink) -> None:
    mails(25)
    outgoing.down()
    assert outbox.drain().sent == 0
    claimed = OutboxMail.objects.exclude(error="")
    assert claimed.count() == outbox.BATCH
    assert set(OutboxMail.objects.values_list("state", "attempts")) == {(State.QUEUED, 0)}
    assert "ConnectionRefused" in claimed[0].error
    outgoing.up()
    assert outbox.drain().sent == 0  # the transport is closed for a moment
    transport_state.try_now()
    assert outbox.drain().sent == 25
    assert OutboxMail.objects.filter(error="", state=State.SENT).count() == 25


def test_a_server_that_breaks_off_again_and_again_is_left_alone(outgoing: SmtpSink) -> None:
    outgoing.answer = "drop"
    mails(6)
    done = outbox.drain()
    assert (done.sent, done.failed, done.put_back) == (0, 3, 3)


def test_an_email_that_cannot_be_written_is_the_operators_to_see(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    OutboxMail.objects.exclude(kind=Kind.TURN).delete()
    Game.objects.filter(pk=game.pk).update(kind="chess")
    assert outbox.drain().failed == 1
    assert "not rendered: KeyError('chess')" in only(State.QUEUED).error


def test_waits_double_up_to_an_hour_and_scatter() -> None:
    random.seed(7)
    waits = [claims.retry_after(tries) for tries in range(1, 33)]
    exact = [min(15 * 2**n, 3600) for n in range(32)]
    assert all(0.75 * e <= w <= 1.25 * e for w, e in zip(waits, exact, strict=True))
    assert len({round(wait) for wait in waits[-10:]}) > 5
    assert 20 * 3600 < sum(exact) < 30 * 3600  # 32 tries take about a day


# -- asked again before sending --------------------------------------------------------------


def drop(game: Game, kind: str, user: User) -> str:
    """Return why the email of this kind to this person was dropped when it was due."""
    outbox.drain()
    row = row_for(game, kind, user)
    assert row.state == State.DROPPED, row.state
    return row.error


def test_no_email_announces_a_turn_that_was_taken_before_it_was_sent(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    game = play_turns(table_of(alice, bob), 3)
    outbox.drain()
    turns = [row.state for row in rows_for(game, Kind.TURN)]
    assert turns == [State.DROPPED, State.DROPPED, State.DROPPED, State.SENT]


def test_no_email_announces_a_turn_that_is_taken_while_it_is_written(
    outgoing: SmtpSink, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = table_of(alice, bob)
    OutboxMail.objects.exclude(kind=Kind.TURN).delete()
    write = MailComposer.render

    def slowly(composer: MailComposer, row: OutboxMail) -> Any:
        written = write(composer, row)
        if row.user == alice:
            play_one(game)
        return written

    monkeypatch.setattr(MailComposer, "render", slowly)
    done = outbox.drain()
    assert (done.sent, done.dropped) == (1, 1)
    assert outgoing.recipients == [["bob@example.org"]]


def test_a_reminder_of_a_turn_that_is_over_is_not_sent(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    pipeline.execute(queue.reminder(game, game.seats.get(number=0), "half"))
    play_one(game)
    assert drop(game, Kind.REMINDER, alice) == "the turn is over"


def test_the_turn_email_of_a_paused_game_waits_and_comes_when_it_goes_on(
    outgoing: SmtpSink, alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "Wait."))
    outbox.drain()
    assert (row_for(game, Kind.TURN).state, row_for(game, Kind.TURN).attempts) == (State.QUEUED, 0)
    services.moderate_resume(game_id=game.pk, ruling=services.Ruling(mona, "Go on."))
    now_due()
    outbox.drain()
    assert row_for(game, Kind.TURN).state == State.SENT


def test_a_player_who_turned_the_emails_of_a_game_off_gets_none_of_it(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    game, other = table_of(alice, bob), table_of(alice, bob)
    services.game_mail_switch(game_id=game.pk, user=alice, off=True)
    assert drop(game, Kind.TURN, alice) == "the recipient turned emails for this game off"
    assert row_for(other, Kind.TURN, alice).state == State.SENT


def test_a_player_who_lost_the_seat_is_not_asked_to_move(
    outgoing: SmtpSink, alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    services.moderate_hand_seat(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "Away."))
    assert drop(game, Kind.TURN, alice) == "the reader no longer sits at the table"
    assert row_for(game, Kind.MODERATED, alice).state == State.SENT


def test_no_email_reports_a_deadline_that_was_moved(
    outgoing: SmtpSink, alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    services.deadline_check(now=timezone.now() + timedelta(days=4))
    services.moderate_extend(game_id=game.pk, days=9, ruling=services.Ruling(mona, "Flu."))
    assert drop(game, Kind.DEADLINE, bob) == "the late player has moved or got more time"


def test_an_invitation_that_was_answered_or_comes_too_late_is_not_sent(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    game = table_of(alice, seats=2)
    said_no = services.game_invite(game_id=game.pk, by=alice, address="dora@example.net")
    services.game_invite(game_id=game.pk, by=alice, address="zoe@example.net")
    services.invitation_decline(token=said_no.token)
    services.game_join(game_id=game.pk, user=bob)
    outbox.drain()
    reasons = [row.error for row in rows_for(fresh(game), Kind.INVITATION)]
    assert reasons == [
        "the invitation was answered",
        "the table or the circle is closed",
        "the invitation was not sent",  # so nobody needs to read that the game began without them
    ]


def test_a_code_that_is_no_longer_good_is_not_sent(outgoing: SmtpSink) -> None:
    past = (timezone.now() - timedelta(seconds=1)).isoformat()
    context = {"language": "en", "code": "ABCD", "minutes": 10, "good_until": past}
    queue.account("zoe@example.net", dedupe="x", context=context, user=None)
    outbox.drain()
    assert only(State.DROPPED).error == "the code is no longer good"


def test_no_email_announces_a_turn_that_a_bot_played_in_my_place(
    outgoing: SmtpSink, alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    services.moderate_play_bot(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "Asleep."))
    assert drop(game, Kind.TURN, alice) == "the turn is over"
