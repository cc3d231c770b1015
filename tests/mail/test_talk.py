"""Messages of players in emails: each is in one email to each reader, unless the page showed it."""

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from games import services
from games.mail import outbox
from games.mail.compose import MailComposer
from games.mail.talk import take_up
from games.models import DeliveryMode, Game, Message, OutboxMail, Seat, User
from games.services.locked_game import LockedGame
from tests.factories import fresh, given_up, log_of, play_one, table_of
from tests.support.emails import (
    Kind,
    Read,
    State,
    make_all_due,
    prefer,
    read,
    reply_to,
    row_for,
    rows_for,
    written,
)
from tests.support.smtp_sink import SmtpSink

HOUR = timedelta(hours=1)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table")]


def say(game: Game, user: User, text: str = "Ahoy") -> Message:
    return services.message_write(game_id=game.pk, user=user, text=text)


def minutes_pass(minutes: float = 3) -> None:
    """All messages were written, and emails sent, so much earlier; waiting emails are due."""
    Message.objects.update(at=F("at") - timedelta(minutes=minutes))
    OutboxMail.objects.update(sent_at=F("sent_at") - timedelta(minutes=minutes))
    make_all_due()


def sent_to(outgoing: SmtpSink, user: User) -> list[Read]:
    """Send what is due; the new emails to this person."""
    before = len(outgoing.messages)
    outbox.drain()
    mails = [read(mail.as_bytes()) for mail in outgoing.messages[before:]]
    return [mail for mail in mails if user.email in mail["To"]]


@pytest.fixture(autouse=True)
def nothing_waits(game: Game) -> None:
    """No email is queued before the test."""
    OutboxMail.objects.all().delete()


# -- the first paragraph of the issue ------------------------------------------------------------


def test_a_note_that_is_added_after_the_email_of_the_turn_arrives_by_email(
    outgoing: SmtpSink, game: Game, alice: User, bob: User
) -> None:
    play_one(game)
    sent_to(outgoing, bob)  # his turn, without the note
    with transaction.atomic():
        services.note_add_locked(LockedGame(game.pk), alice, "Sorry about that ring!")
    play_one(game)
    play_one(game)
    (mail,) = sent_to(outgoing, bob)
    assert "|   Sorry about that ring!" in mail.text
    assert "Sorry about that ring!" in mail.words


# -- with the next email of the table ------------------------------------------------------------


def test_the_next_email_of_the_table_quotes_a_message_once(
    outgoing: SmtpSink, game: Game, alice: User, bob: User
) -> None:
    say(game, alice, "Mind the <b>gap</b>")
    minutes_pass()
    play_one(game)
    (first,) = sent_to(outgoing, bob)
    assert "| Alice:\n|   Mind the <b>gap</b>" in first.text
    assert "Mind the <b>gap</b>" in first.words
    play_one(game)
    play_one(game)
    (second,) = sent_to(outgoing, bob)
    assert "Mind the" not in second.text


def test_a_message_waits_for_two_minutes(
    outgoing: SmtpSink, game: Game, alice: User, bob: User
) -> None:
    say(game, alice)
    play_one(game)
    (mail,) = sent_to(outgoing, bob)
    assert "Ahoy" not in mail.text
    play_one(game)
    minutes_pass()
    play_one(game)
    assert "|   Ahoy" in sent_to(outgoing, bob)[0].text


def test_what_the_page_has_shown_is_not_sent(
    outgoing: SmtpSink, game: Game, alice: User, bob: User
) -> None:
    seen = say(game, alice, "on the page")
    services.talk_seen(seat=Seat.objects.get(game=game, user=bob), newest=seen.pk)
    minutes_pass()
    play_one(game)
    assert "on the page" not in sent_to(outgoing, bob)[0].text


def test_one_email_quotes_ten_messages_and_the_next_one_goes_on(
    outgoing: SmtpSink, game: Game, alice: User, bob: User
) -> None:
    for number in range(12):
        say(game, alice, f"number {number:02}")
    minutes_pass()
    play_one(game)
    first = sent_to(outgoing, bob)[0].text
    play_one(game)
    play_one(game)
    second = sent_to(outgoing, bob)[0].text
    quoted = [[n for n in range(12) if f"number {n:02}" in text] for text in (first, second)]
    assert quoted == [list(range(10)), [10, 11]]


def test_an_email_takes_up_ten_messages_by_whatever_plan_the_database_uses(
    game: Game, alice: User, bob: User
) -> None:
    """While the table is small, a loop may look for ten again after each row it has changed."""
    for number in range(12):
        say(game, alice, f"number {number:02}")
    minutes_pass()
    play_one(game)
    with connection.cursor() as cursor:
        for way in ("hashjoin", "mergejoin", "hashagg", "sort", "material"):
            cursor.execute(f"SET LOCAL enable_{way} = off")
    assert len(take_up(row_for(game, Kind.TURN, bob), game.pk, bob)) == 10


def test_a_deleted_message_is_not_sent(
    outgoing: SmtpSink, game: Game, alice: User, bob: User
) -> None:
    message = say(game, alice, "I take it back")
    minutes_pass()
    services.message_delete(game_id=game.pk, user=alice, key=message.pk)
    play_one(game)
    assert "take it back" not in sent_to(outgoing, bob)[0].text


def test_nobody_gets_what_a_muted_person_writes_or_where_emails_are_off(
    game: Game, alice: User, bob: User
) -> None:
    services.person_mute(user=bob, person=alice.pk, is_muted=True)
    assert say(game, alice).unsent == []
    services.person_mute(user=bob, person=alice.pk, is_muted=False)
    prefer(bob, modes={"talk": DeliveryMode.OFF})
    assert say(game, alice).unsent == []
    prefer(bob)
    services.game_mail_switch(game_id=game.pk, user=bob, off=True)
    assert say(game, alice).unsent == []


def test_a_message_written_before_its_author_was_muted_is_not_sent(
    outgoing: SmtpSink, game: Game, alice: User, bob: User
) -> None:
    say(game, alice)
    services.person_mute(user=bob, person=alice.pk, is_muted=True)
    minutes_pass()
    play_one(game)
    assert "Ahoy" not in sent_to(outgoing, bob)[0].text


def test_messages_stand_between_the_news_and_the_hand_and_begin_the_preview(
    outgoing: SmtpSink, game: Game, alice: User, bob: User
) -> None:
    play_one(game)
    play_one(game)
    sent_to(outgoing, bob)
    say(game, alice, "Shall I wait for you?")
    minutes_pass()
    play_one(game)
    (mail,) = sent_to(outgoing, bob)
    for words in (mail.text, mail.words):
        order = ("Since your last move", "Shall I wait for you?", "Your hand")
        places = [words.find(part) for part in order]
        assert -1 not in places
        assert places == sorted(places)
        assert words.count("Shall I wait for you?") == 1
    assert mail.blocks[0].startswith("Alice: Shall I wait for you? – Move one of your figures")


# -- in an email of its own ----------------------------------------------------------------------


def test_a_message_reaches_a_reader_who_has_the_email_of_the_turn_before_they_move(
    outgoing: SmtpSink, game: Game, alice: User, bob: User
) -> None:
    play_one(game)
    assert sent_to(outgoing, bob), "his turn"
    say(game, alice, "Shall I wait for you?")
    minutes_pass()
    (mail,) = sent_to(outgoing, bob)
    assert "|   Shall I wait for you?" in mail.text
    play_one(game)
    play_one(game)
    assert "Shall I wait" not in sent_to(outgoing, bob)[0].text


def test_a_message_waits_for_an_email_of_the_turn_that_is_not_sent_yet(
    outgoing: SmtpSink, game: Game, alice: User, bob: User
) -> None:
    say(game, alice)
    play_one(game)
    minutes_pass()
    OutboxMail.objects.filter(kind=Kind.TURN).update(next_try_at=timezone.now() + HOUR)
    assert sent_to(outgoing, bob) == []
    minutes_pass()
    (mail,) = sent_to(outgoing, bob)
    assert "Move one of your figures" in mail.text
    assert "|   Ahoy" in mail.text


def test_a_message_reaches_everybody_within_an_hour(
    outgoing: SmtpSink, game: Game, alice: User, bob: User
) -> None:
    say(game, alice)
    minutes_pass(59)
    assert sent_to(outgoing, bob) == []
    minutes_pass(2)
    assert "|   Ahoy" in sent_to(outgoing, bob)[0].text


@pytest.mark.parametrize("way", ["running", "on turn", "waits", "paused", "over"])
def test_nobody_gets_more_than_one_email_an_hour_with_messages_alone(
    outgoing: SmtpSink, alice: User, bob: User, carol: User, mona: User, way: str
) -> None:
    if way == "over":
        game = given_up(alice, bob)
    else:
        game = table_of(alice, bob, seats=3 if way == "waits" else 2)
    if way == "paused":
        services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "A bug."))
    if way == "on turn":
        play_one(game)
    sent_to(outgoing, bob)
    say(game, alice, "one")
    minutes_pass(61)
    (first,) = sent_to(outgoing, bob)
    assert "|   one" in first.text
    for number in range(3):
        say(game, alice, f"later {number}")
        minutes_pass(15)
        assert sent_to(outgoing, bob) == []
    minutes_pass(60)
    (second,) = sent_to(outgoing, bob)
    assert [second.text.count(f"later {n}") for n in range(3)] == [1, 1, 1]


def test_what_one_email_cannot_quote_waits_an_hour_too(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    game = given_up(alice, bob)
    sent_to(outgoing, bob)
    for number in range(12):
        say(game, alice, f"number {number:02}")
    minutes_pass()
    (first,) = sent_to(outgoing, bob)
    assert first.text.count("|   number") == 10
    minutes_pass(30)
    assert sent_to(outgoing, bob) == []
    minutes_pass(31)
    assert sent_to(outgoing, bob)[0].text.count("|   number") == 2


def test_an_email_with_messages_alone_does_not_begin_with_its_subject(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    game = given_up(alice, bob)
    sent_to(outgoing, bob)
    say(game, alice)
    minutes_pass()
    (mail,) = sent_to(outgoing, bob)
    assert mail.text.startswith("Messages at the table\n")
    assert mail.text.count("Messages at the table") == 1


def test_twenty_messages_and_two_votes_bring_each_of_three_two_emails_more_at_most(
    outgoing: SmtpSink, alice: User, bob: User, carol: User
) -> None:
    """Five conversations in fifteen moves, which are 20 minutes apart."""
    game, people = table_of(alice, bob, carol), (alice, bob, carol)
    for move in range(15):
        sent_to(outgoing, alice)
        if move in (0, 4, 8, 10, 12):  # turns of all three
            for author in (*people, alice):
                say(game, author, f"about move {move}")
        if move in (4, 10):
            if move == 4:
                services.vote_open(game_id=game.pk, user=alice, about="cancel")
            else:
                services.vote_open(game_id=game.pk, user=carol, about="take_back")
            vote = log_of(game).vote
            assert vote is not None
            services.vote_answer(game_id=game.pk, user=bob, vote=vote.seq, agrees=False)
        minutes_pass(10)
        sent_to(outgoing, alice)
        minutes_pass(10)
        if move < 14:
            play_one(game)
    minutes_pass(60)
    sent_to(outgoing, alice)
    alone = rows_for(game, Kind.TALK, state=State.SENT)
    assert max(sum(row.user == person for row in alone) for person in people) <= 2
    sent = OutboxMail.objects.filter(game=game, state=State.SENT)
    emails = sorted(sent.filter(user=person).count() for person in people)
    # Two more than the 8, 8 and 9 of the time when messages waited for the email of a turn.
    assert all(now <= most for now, most in zip(emails, (10, 10, 11), strict=True)), emails
    assert not Message.objects.exclude(unsent=[]).exists()


def test_a_note_causes_no_email_to_those_who_wait(game: Game, alice: User, bob: User) -> None:
    play_one(game)
    OutboxMail.objects.all().delete()
    with transaction.atomic():
        services.note_add_locked(LockedGame(game.pk), alice, "Sorry!")
    assert [row.user for row in rows_for(game, Kind.TALK)] == [bob]
    play_one(game)
    OutboxMail.objects.all().delete()
    with transaction.atomic():
        services.note_add_locked(LockedGame(game.pk), bob, "Me too!")
    assert [row.user for row in rows_for(game, Kind.TALK)] == [alice]


def test_after_the_end_a_message_is_an_email_of_its_own(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    game = given_up(alice, bob)
    sent_to(outgoing, alice)
    say(game, bob, "Thanks, good game")
    assert sent_to(outgoing, alice) == []
    minutes_pass()
    (mail,) = sent_to(outgoing, alice)
    assert mail["Subject"] == "Atlantis: “Round the mainland”"
    assert "| Bob:\n|   Thanks, good game" in mail.text
    minutes_pass()
    assert sent_to(outgoing, alice) == []


def test_before_the_game_a_message_is_an_email_of_its_own(
    outgoing: SmtpSink, alice: User, bob: User, carol: User
) -> None:
    """Alice leaves before it is sent, so Bob's seat gets another number."""
    game = table_of(carol, alice, bob, seats=4, is_open=True)
    say(game, carol, "Do you know the rules?")
    services.game_leave(game_id=game.pk, user=alice)
    minutes_pass()
    (mail,) = sent_to(outgoing, bob)
    assert "|   Do you know the rules?" in mail.text
    assert "reply to this email" not in mail.text
    assert not reply_to(mail)


def test_two_messages_in_a_row_are_one_email(outgoing: SmtpSink, alice: User, bob: User) -> None:
    game = given_up(alice, bob)
    sent_to(outgoing, alice)
    say(game, bob, "Thanks")
    say(game, bob, "Good game")
    minutes_pass()
    (mail,) = sent_to(outgoing, alice)
    assert "|   Thanks\n|\n| Bob:\n|   Good game" in mail.text
    last = rows_for(game, Kind.TALK)[-1]
    assert (last.state, last.error) == (State.DROPPED, "everything has been read, sent or deleted")


@pytest.mark.parametrize("way", [DeliveryMode.BATCHED, DeliveryMode.DIGEST])
def test_messages_come_gathered_or_in_the_digest(
    outgoing: SmtpSink, game: Game, alice: User, bob: User, way: str
) -> None:
    prefer(bob, way)
    say(game, alice, "one")
    say(game, alice, "two")
    assert sent_to(outgoing, bob) == []
    minutes_pass()
    (mail,) = sent_to(outgoing, bob)
    assert "|   one\n|\n| Alice:\n|   two" in mail.text
    assert mail.text.count("There are messages at the table.") == 1
    minutes_pass()
    assert sent_to(outgoing, bob) == []


def all_sent_to(outgoing: SmtpSink, user: User) -> str:
    """All emails to this person until nothing waits, as one text."""
    texts = []
    while OutboxMail.objects.filter(state=State.QUEUED).exists():
        texts += [mail.text for mail in sent_to(outgoing, user)]
        minutes_pass(61)
    return "".join(texts)


def test_a_message_written_just_before_the_end_is_sent_after_it(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    """The email about the end leaves at once, and no other would come."""
    game = table_of(alice, bob, resign_policy=Game.ResignPolicy.END)
    all_sent_to(outgoing, bob)
    say(game, alice, "gg")
    services.game_resign(game_id=game.pk, user=alice)
    assert "|   gg" not in sent_to(outgoing, bob)[0].text
    minutes_pass()
    assert all_sent_to(outgoing, bob).count("|   gg") == 1


@pytest.mark.parametrize("way", [DeliveryMode.BATCHED, DeliveryMode.DIGEST])
def test_more_messages_than_an_email_quotes_are_in_the_next_one(
    outgoing: SmtpSink, game: Game, alice: User, bob: User, way: str
) -> None:
    prefer(bob, way)
    for number in range(12):
        say(game, alice, f"number {number:02}")
    minutes_pass()
    text = all_sent_to(outgoing, bob)
    assert [text.count(f"number {n:02}") for n in range(12)] == [1] * 12


def test_a_digest_sends_no_message_of_a_game_that_it_does_not_show(
    monkeypatch: pytest.MonkeyPatch, outgoing: SmtpSink, game: Game, alice: User, bob: User
) -> None:
    monkeypatch.setattr("games.mail.kinds.batch.MAX_GAMES", 1)
    others = [game, table_of(alice, bob), table_of(alice, bob)]
    OutboxMail.objects.all().delete()
    prefer(bob, DeliveryMode.DIGEST)
    for number, table in enumerate(others):
        say(table, alice, f"at table {number}")
    minutes_pass()
    (first,) = sent_to(outgoing, bob)
    assert first.text.count("at table") == 1
    assert "And 2 more games" in first.text
    minutes_pass()
    text = first.text + all_sent_to(outgoing, bob)
    assert [text.count(f"at table {n}") for n in range(3)] == [1, 1, 1]


# -- an email that is not sent -------------------------------------------------------------------


def test_an_email_that_is_dropped_gives_its_messages_back(
    outgoing: SmtpSink, game: Game, alice: User, bob: User
) -> None:
    say(game, alice)
    minutes_pass()
    play_one(game)
    row = row_for(game, Kind.TURN, bob)
    MailComposer().compose(row)
    assert Message.objects.get().unsent == []
    play_one(game)  # his turn is over
    outbox.drain()
    row.refresh_from_db()
    assert (row.state, row.messages) == (State.DROPPED, [])
    play_one(game)
    assert "|   Ahoy" in sent_to(outgoing, bob)[0].text


def test_two_emails_that_are_composed_at_once_do_not_quote_the_same(
    game: Game, alice: User, bob: User
) -> None:
    say(game, alice)
    minutes_pass()
    play_one(game)
    row = row_for(game, Kind.TURN, bob)
    assert "|   Ahoy" in written(row).text
    assert "|   Ahoy" in written(row).text  # another try of the same email
    other = OutboxMail.objects.get(pk=row.pk)
    other.pk, other.messages = None, []
    other.dedupe_key = other.message_id = "another"
    other.save()
    assert "Ahoy" not in written(other).text


def test_a_preview_takes_nothing_up(game: Game, alice: User, bob: User) -> None:
    say(game, alice)
    minutes_pass()
    MailComposer().compose(
        OutboxMail(kind="turn", game=fresh(game), seat=1, user=bob, seq=game.version)
    )
    assert Message.objects.get().unsent == [bob.pk]


def test_a_note_on_a_move_is_told_from_a_message(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    say(game, alice)
    play_one(game, note="For Bob")
    minutes_pass()
    (mail,) = [one for one in sent_to(outgoing, bob) if "For Bob" in one.text]
    assert "| Alice (note on a move):\n|   For Bob" in mail.text
    assert "| Alice:\n" in mail.text
