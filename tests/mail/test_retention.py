"""Old emails are deleted, but not the record of what was sent to each player."""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as site
from django.utils import timezone
from pytest_django import Settings

from games import services, tasks
from games.log import pipeline
from games.mail import outbox, queue, reply_addresses, retention
from games.models import Game, InboundMail, MailReport, OutboxMail, User
from tests.factories import fresh, log_of, play_one, play_to_the_end, play_turns, seats_of, table_of
from tests.support.emails import Kind, State, prefer, row_for
from tests.support.replies import arrive, reply_email
from tests.support.replies import replies as replies
from tests.support.smtp_sink import SmtpSink

pytestmark = pytest.mark.django_db

LONG_AGO = timedelta(days=91)


def age(by: timedelta = LONG_AGO) -> None:
    """All emails that there are were written and sent so long ago."""
    then = timezone.now() - by
    OutboxMail.objects.update(created_at=then)
    OutboxMail.objects.filter(state=State.QUEUED).update(state=State.SENT)
    OutboxMail.objects.filter(state=State.SENT).update(sent_at=then)


def left() -> set[str]:
    return set(OutboxMail.objects.values_list("dedupe_key", flat=True))


@pytest.fixture(autouse=True)
def _some_days(settings: Settings) -> None:
    settings.MAIL_KEEP_DAYS = 90


def sent(**fields: object) -> None:
    OutboxMail.objects.update(state=State.SENT, sent_at=timezone.now(), **fields)


def test_the_emails_of_a_game_that_is_over_are_deleted_after_ninety_days(
    alice: User, bob: User
) -> None:
    game = play_to_the_end(table_of(alice, bob))
    sent()
    age(timedelta(days=89))
    assert retention.purge_old(timezone.now()) == 0
    age()
    before = OutboxMail.objects.count()
    assert before > 20
    assert retention.purge_old(timezone.now()) == before
    assert not OutboxMail.objects.exists()
    assert fresh(game).version == log_of(game).version


def test_an_email_about_a_turn_that_still_waits_is_remembered_and_not_sent_again(
    alice: User, bob: User
) -> None:
    game = play_turns(table_of(alice, bob), 3)
    seat = game.seats.get(asked_seq__isnull=False)
    pipeline.execute(queue.reminder(game, seat, "half"))
    services.deadline_check(now=timezone.now() + timedelta(days=4))
    sent()
    age()
    rows = [row for row in OutboxMail.objects.all() if row.seq == seat.asked_seq]
    assert {row.kind for row in rows} == {Kind.TURN, Kind.REMINDER, Kind.DEADLINE}
    kept = {row.dedupe_key for row in rows}
    assert retention.purge_old(timezone.now()) > 0
    assert left() == kept
    pipeline.execute(queue.turns_changed(fresh(game), seats_of(game)))
    assert left() == kept


def test_a_turn_that_was_held_while_emails_did_not_arrive_is_still_announced(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    MailReport.objects.create(key="k", provider="T", meaning="bounce", address=alice.email)
    services.reports_work()
    game = table_of(alice, bob)
    outbox.drain()
    age()
    retention.purge_old(timezone.now())
    alice.refresh_from_db()
    services.address_unblock(user=alice)
    outbox.drain()
    assert row_for(game, Kind.TURN, alice).state == State.SENT


def test_an_invitation_is_not_sent_a_second_time_while_its_table_waits(alice: User) -> None:
    game = table_of(alice, seats=3)
    invitation = services.game_invite(game_id=game.pk, by=alice, address="zoe@example.net")
    sent()
    age()
    assert retention.purge_old(timezone.now()) == 0
    queue.invited(invitation)
    assert OutboxMail.objects.get().state == State.SENT
    Game.objects.filter(pk=game.pk).update(status=Game.Status.ABORTED, ended_at=timezone.now())
    assert retention.purge_old(timezone.now()) == 1


def test_what_waits_and_what_was_given_up_stays(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 2)
    sent()
    age()
    for state, seq in ((State.DEAD, 1), (State.QUEUED, 2)):
        row = row_for(game, Kind.TURN)
        row.pk, row.dedupe_key, row.message_id = None, f"{state}", f"<{state}@here>"
        row.state, row.seq, row.sent_at = state, seq, None
        row.save()
    retention.purge_old(timezone.now())
    assert {State.DEAD, State.QUEUED} < set(OutboxMail.objects.values_list("state", flat=True))


def test_a_gathered_email_goes_with_its_last_row_and_takes_none_along_that_is_needed(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    prefer(alice, "gather", gather_minutes=0)
    moved, waits = (table_of(alice, bob) for _game in range(2))
    OutboxMail.objects.exclude(user=alice).delete()
    outbox.drain()
    play_one(moved)
    OutboxMail.objects.filter(user=bob).delete()
    age()
    assert retention.purge_old(timezone.now()) == 1
    assert row_for(waits, Kind.TURN).batched_into == OutboxMail.objects.get(kind=Kind.GATHERED)
    play_one(waits)
    OutboxMail.objects.filter(user=bob).delete()
    assert retention.purge_old(timezone.now()) == 2
    assert not OutboxMail.objects.exists()


def test_a_reply_keeps_its_story_when_the_answer_is_forgotten(
    replies: Settings, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    address = reply_addresses.reply_address(game.public_id, 0, log_of(game).moved_at)
    assert address is not None
    came = arrive(reply_email("show", address, alice.email), address)
    assert came.answer is not None
    sent()
    age()
    # The answer stands for the email about the turn as well; now that question is past.
    OutboxMail.objects.filter(game=game).update(seq=1)
    retention.purge_old(timezone.now())
    kept = InboundMail.objects.get(pk=came.pk)
    assert (kept.answer, kept.outcome) == (None, came.outcome)


def test_processed_reports_are_forgotten_and_new_ones_are_not() -> None:
    then = timezone.now() - LONG_AGO
    for key, worked in (("old", then), ("new", timezone.now()), ("waits", None)):
        MailReport.objects.create(
            key=key, provider="T", meaning="soft", received_at=then, worked_at=worked
        )
    retention.purge_old(timezone.now())
    assert set(MailReport.objects.values_list("key", flat=True)) == {"new", "waits"}


def test_with_zero_days_nothing_is_ever_forgotten(
    settings: Settings, alice: User, bob: User
) -> None:
    settings.MAIL_KEEP_DAYS = 0
    play_to_the_end(table_of(alice, bob))
    sent()
    age()
    before = left()
    assert retention.purge_old(timezone.now()) == 0
    assert left() == before


def test_more_than_one_batch_goes_in_one_go(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    monkeypatch.setattr("games.mail.retention.BATCH", 3)
    play_to_the_end(table_of(alice, bob))
    sent()
    age()
    tasks.forget_mails()
    assert not OutboxMail.objects.exists()


def test_beat_asks_for_it() -> None:
    assert site.CELERY_BEAT_SCHEDULE["forget_mails"]["task"] == tasks.forget_mails.name


# -- files ---------------------------------------------------------------------------------


@pytest.fixture
def folder(settings: Settings, tmp_path: Path) -> Path:
    """A folder of emails: one of today, one of last month, and something that is no email."""
    settings.EMAIL_FILE_PATH, settings.LOCAL_MODE = tmp_path, True
    then = (timezone.now() - timedelta(days=31)).timestamp()
    for name in ("20270101-120000-new.eml", "20260101-120000-old.eml", "my-notes.txt"):
        (tmp_path / name).write_text("words")
        if "new" not in name:
            os.utime(tmp_path / name, (then, then))
    return tmp_path


def test_local_emails_of_last_month_are_deleted_and_nothing_else(db: None, folder: Path) -> None:
    retention.purge_old(timezone.now())
    names = {file.name for file in folder.iterdir()}
    assert names == {"20270101-120000-new.eml", "my-notes.txt"}


def test_the_folder_of_a_service_that_is_not_local_is_left_alone(
    db: None, folder: Path, settings: Settings
) -> None:
    settings.LOCAL_MODE = False
    retention.purge_old(timezone.now())
    assert len(list(folder.iterdir())) == 3
