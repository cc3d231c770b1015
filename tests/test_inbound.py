"""A reply on its way from a kept mail to a move and an answer; every turn-off has its sign."""

import time
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db import transaction
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from games import inbound, services
from games.inbound import handlers, intake
from games.inbound.reply_context import ReplyContext
from games.mail.reply_addresses import reply_address
from games.models import Game, InboundMail, OutboxMail, Seat, TableNote, User
from games.services import GameMoved

from .factories import (
    fresh,
    log_of,
    play_one,
    play_to_the_end,
    play_turns,
    quota_windows_end,
    table_of,
)
from .support.emails import Kind, written
from .support.moderators import moderating
from .support.replies import (
    PASS,
    Channel,
    Outcome,
    Post,
    SenderCheck,
    address_of,
    arrive,
    letter,
    line_of,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies")]


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    """Alice is asked to move, Bob waits."""
    return table_of(alice, bob)


@pytest.fixture
def post(game: Game, alice: User) -> Post:
    return Post(game, alice)


def one_line(text: str) -> str:
    """The text without the marks and line breaks of an answer."""
    return " ".join(text.replace("\n| ", " ").split())


def version(game: Game) -> int:
    return fresh(game).version


# -- a move --------------------------------------------------------------------------------


def test_a_reply_with_a_move_plays_it(game: Game, post: Post) -> None:
    before = version(game)
    line = line_of(game)
    row = post.write(line)
    assert (row.state, row.outcome, row.line) == ("done", Outcome.PLAYED, line)
    assert version(game) > before
    assert fresh(game).to_act == [1]
    assert log_of(game).entries[-1].by == post.user.pk


def test_the_answer_tells_what_happened_and_whose_turn_it_is(game: Game, post: Post) -> None:
    post.move()
    answer = post.answer()
    assert "Your move has been made." in answer.text
    assert "| Alice" in answer.text
    assert "Waiting for Bob." in answer.text
    assert "Your hand" in answer.text


def test_the_answer_to_a_move_that_ends_the_turn_has_no_picture_of_the_board(
    game: Game, post: Post
) -> None:
    post.move()
    answer = post.answer()
    assert not [name for name in answer.pictures if name.startswith("board@")]
    assert "The board" in answer.text


def test_the_answer_stands_in_the_thread_and_is_no_robots_to_answer(game: Game, post: Post) -> None:
    row = post.move()
    answer = post.answer()
    root = f"<game-{game.public_id}@127.0.0.1>"
    assert row.message_id
    assert answer["In-Reply-To"] == row.message_id
    assert answer["References"] == f"{root} {row.message_id}"
    assert answer["Auto-Submitted"] == "auto-replied"
    assert answer["Subject"] == "Atlantis: Round the mainland"
    assert answer["To"] == "alice@example.org"


def test_a_note_below_the_move_goes_to_the_table(game: Game, post: Post) -> None:
    row = post.write(f"{line_of(game)}\n\nnote Good luck to all!\nAnd fair winds.")
    assert row.outcome == Outcome.PLAYED
    assert TableNote.objects.get(game=game).text == "Good luck to all!\nAnd fair winds."


def test_other_words_below_the_move_go_nowhere(game: Game, post: Post) -> None:
    assert post.write(f"{line_of(game)}\n\nSee you on Sunday.").outcome == Outcome.PLAYED
    assert not TableNote.objects.exists()


def test_buying_is_answered_with_the_next_question_at_once(
    alice: User, bob: User, replies: Settings
) -> None:
    game = play_turns(table_of(alice, bob), 12)
    post = Post(game, alice)
    log = log_of(game)
    tile = max(tile.value for tile in log.engine.rules.view(log.state, 0).players[0].tiles)
    assert tile > 1
    row = post.write(f"buy {tile}")
    assert row.outcome == Outcome.PLAYED
    assert fresh(game).to_act == [0]
    answer = post.answer()
    assert answer.text.startswith("Move one of your figures\n")
    assert "Reply to this email, and write on the first line:" in answer.text
    assert any(name.startswith("board@") for name in answer.pictures)
    # The question is in the same thread, and its own reply address takes the next step.
    assert answer["References"].endswith(row.message_id)
    to = answer["Reply-To"].partition("<")[2].strip(">")
    assert to != address_of(game, alice, seq=row.seq)
    done = arrive(letter(line_of(game), to, "alice@example.org"), to)
    assert done.outcome == Outcome.PLAYED
    assert fresh(game).to_act == [1]


def test_the_line_may_be_in_german_and_french(game: Game, post: Post) -> None:
    line = line_of(game)
    for english, german in (
        *(("flag", "Flagge"), ("helmet", "Helm"), ("statue", "Statue"), ("crown", "Krone")),
        *(("olive", "Olive"), ("ring", "Ring"), ("amphora", "Amphore")),
    ):
        line = line.replace(english, german)
    assert post.write(line).outcome == Outcome.PLAYED


def test_a_whole_log_made_of_replies_verifies(game: Game, alice: User, bob: User) -> None:
    for _turn in range(12):
        mover = (alice, bob)[fresh(game).to_act[0]]
        assert Post(game, mover).move().outcome == Outcome.PLAYED
    assert services.game_resign(game_id=game.pk, user=alice)


# -- once ----------------------------------------------------------------------------------


def test_the_same_mail_twice_is_one_mail(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    raw = letter(line_of(game), to, alice.email)
    first, second = arrive(raw, to), arrive(raw, to)
    assert first.pk == second.pk
    assert second.copies == 2
    assert OutboxMail.objects.filter(kind=Kind.ANSWER).count() == 1


def test_a_message_id_that_was_there_is_the_same_mail_by_whatever_door(
    game: Game, alice: User
) -> None:
    to = address_of(game, alice)
    line = line_of(game)
    arrive(letter(line, to, alice.email, message_id="<one@mail.example.org>"), to)
    again = letter(f"{line} ", to, alice.email, message_id="<one@mail.example.org>")
    assert arrive(again, to, channel=Channel.WEBHOOK).copies == 2
    assert InboundMail.objects.count() == 1


def test_the_same_move_in_a_second_mail_is_made_once(game: Game, post: Post) -> None:
    line, seq = line_of(game), log_of(game).moved_at
    post.write(line, seq=seq)
    after = version(game)
    row = post.write(line, seq=seq)
    assert row.outcome == Outcome.REPEATED
    assert version(game) == after
    assert "had already been made" in post.answer().text


def test_a_mail_is_worked_off_once_however_often_it_is_nudged(game: Game, post: Post) -> None:
    row = post.move()
    assert not inbound.read_one(row.pk)
    assert inbound.read_waiting() == 0
    assert len(post.answers()) == 1


def test_a_reader_that_dies_in_the_middle_leaves_nothing_half_done(
    game: Game, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after the move and before the row is marked: both are undone and done again."""
    handle = handlers.handle

    def die(context: ReplyContext) -> str:
        handle(context)
        raise SystemExit

    before = version(game)
    monkeypatch.setattr(handlers, "handle", die)
    with pytest.raises(SystemExit):
        post.move()
    assert version(game) == before
    assert not OutboxMail.objects.filter(kind=Kind.ANSWER).exists()
    monkeypatch.undo()
    assert inbound.read_waiting() == 0  # the dead reader's time is not over yet
    InboundMail.objects.update(next_try_at=timezone.now() - timedelta(seconds=1))
    assert inbound.read_waiting() == 1
    assert version(game) > before
    assert len(post.answers()) == 1


def test_a_mail_that_cannot_be_worked_off_is_given_up_in_the_end(
    game: Game, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(context: ReplyContext) -> str:
        raise ZeroDivisionError("something nobody thought of")

    monkeypatch.setattr(handlers, "handle", fail)
    post.move()
    for _try in range(4):
        InboundMail.objects.update(next_try_at=timezone.now() - timedelta(seconds=1))
        inbound.read_waiting()
    row = InboundMail.objects.get()
    assert (row.state, row.attempts) == ("failed", 5)
    assert "nobody thought of" in row.error


def test_a_mail_that_is_given_up_is_answered_all_the_same(
    game: Game, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(context: ReplyContext) -> str:
        raise ZeroDivisionError("something nobody thought of")

    before = version(game)
    monkeypatch.setattr(handlers, "handle", fail)
    post.move()
    for _try in range(4):
        assert post.answers() == []
        InboundMail.objects.update(next_try_at=timezone.now() - timedelta(seconds=1))
        inbound.read_waiting()
    assert "an error on our side" in post.answer().text
    assert InboundMail.objects.get().answer == post.answers()[-1]
    assert version(game) == before


def test_a_mail_that_kills_its_readers_is_answered_all_the_same(game: Game, post: Post) -> None:
    to = address_of(game, post.user)
    raw = letter(line_of(game), to, post.user.email)
    (row,) = intake.store(raw, channel=Channel.RELAY, sender=None, recipients=[to])
    InboundMail.objects.update(attempts=5)
    assert not inbound.read_one(row.pk)
    assert InboundMail.objects.get().state == "failed"
    assert "an error on our side" in post.answer().text


def test_a_stranger_whose_mail_is_given_up_hears_nothing(game: Game, post: Post) -> None:
    to = address_of(game, post.user)
    raw = letter(line_of(game), to, "mallory@example.net")
    (row,) = intake.store(raw, channel=Channel.RELAY, sender=None, recipients=[to])
    InboundMail.objects.update(attempts=5)
    assert not inbound.read_one(row.pk)
    assert InboundMail.objects.get().state == "failed"
    assert not OutboxMail.objects.filter(kind=Kind.ANSWER).exists()


@pytest.mark.parametrize(
    "text",
    [
        "move",
        "👍",
        "0xflag",
        "٣ flag",
        "“”",
        "no idea!",
        "A" * 900,
        "3x",
        "bridge",
        "²x flag",
        "?!",
    ],
)
def test_any_text_is_answered(post: Post, text: str) -> None:
    row = post.write(text)
    assert row.state == "done"
    assert row.answer is not None


# -- old turns -----------------------------------------------------------------------------


def test_a_reply_to_an_old_turn_does_nothing_and_is_told_so(
    game: Game, alice: User, bob: User
) -> None:
    seq, line = log_of(game).moved_at, line_of(game)
    play_turns(game, 4)
    before = version(game)
    row = Post(game, alice).write(line if line != line_of(game) else "A flag", seq=seq)
    assert row.outcome in (Outcome.STALE, Outcome.REPEATED)
    assert version(game) == before


def test_the_answer_to_an_old_turn_shows_the_present_one_and_takes_a_move(
    game: Game, alice: User
) -> None:
    post = Post(game, alice)
    seq = log_of(game).moved_at
    other = "C crown" if "crown" not in line_of(game) else "A flag"
    play_turns(game, 4)
    row = post.write(other, seq=seq)
    assert row.outcome == Outcome.STALE
    answer = post.answer()
    assert "The game has moved on" in answer.text
    assert "Make your move on this page:" in answer.text
    to = answer["Reply-To"].partition("<")[2].strip(">")
    assert arrive(letter(line_of(game), to, alice.email), to).outcome == Outcome.PLAYED


def test_a_pause_does_not_make_a_turn_old(game: Game, post: Post, mona: User) -> None:
    seq, line = log_of(game).moved_at, line_of(game)
    services.moderate_pause(game_id=game.pk, by=mona, reason="Storm.")
    row = post.write(line, seq=seq)
    assert row.outcome == Outcome.REFUSED
    assert "This game is paused" in post.answer().text
    services.moderate_resume(game_id=game.pk, by=mona, reason="Calm.")
    assert post.write(line, seq=seq).outcome == Outcome.PLAYED


def test_a_player_who_is_not_asked_is_told_so(game: Game, bob: User) -> None:
    post = Post(game, bob)
    assert post.write("B flag").outcome == Outcome.REFUSED
    assert "It is not your turn." in post.answer().text


def test_a_finished_game_takes_no_move(game: Game, alice: User) -> None:
    seq = log_of(game).moved_at
    play_to_the_end(game)
    assert Post(game, alice).write("C crown", seq=seq).outcome == Outcome.STALE
    assert Post(game, alice).write("C crown").outcome == Outcome.REFUSED
    assert "This game is over." in Post(game, alice).answer().text


# -- commands ------------------------------------------------------------------------------


def test_show_brings_board_and_hand_again(game: Game, post: Post) -> None:
    before = version(game)
    assert post.write("Show!").outcome == Outcome.SHOWN
    answer = post.answer()
    assert "Your hand" in answer.text
    assert any(name.startswith("board@") for name in answer.pictures)
    assert version(game) == before


def test_legal_tells_places_and_prices(game: Game, post: Post) -> None:
    assert post.write("legal").outcome == Outcome.SHOWN
    text = post.answer().text
    assert "These are your legal moves." in text
    assert "| Figure A:\n|   A " in text
    assert " – space " in text


def test_preview_foretells_and_does_nothing(game: Game, post: Post) -> None:
    before, line = version(game), line_of(game)
    assert post.write(f"preview {line}").outcome == Outcome.SHOWN
    text = post.answer().text
    assert "Nothing has been changed yet" in text
    assert "| Figure" in text
    assert version(game) == before
    assert post.write(f"Vorschau {line}").outcome == Outcome.SHOWN


def test_preview_of_what_cannot_be_done_says_why(game: Game, post: Post) -> None:
    assert post.write("preview A sword").outcome == Outcome.UNCLEAR
    assert "is not an item" in post.answer().text.replace("\n", " ")


def test_a_note_alone_stands_beside_my_last_move(game: Game, post: Post, bob: User) -> None:
    play_one(game, note="First.")
    assert post.write("note Hello again, Bob").outcome == Outcome.ORDERED
    assert TableNote.objects.get(game=game).text == "First.\nHello again, Bob"
    assert (
        "Everyone in the game can now read your note next to your last move." in post.answer().text
    )


def test_resigning_asks_back_first(game: Game, post: Post) -> None:
    assert post.write("resign").outcome == Outcome.ASKED
    assert "if you really want to resign" in post.answer().text
    assert "with this one word:\n|     yes\n" in post.answer().text.replace("| R", "R")
    assert fresh(game).status == Game.Status.RUNNING
    assert post.write("yes, resign").outcome == Outcome.ORDERED
    assert Seat.objects.get(game=game, number=0).user is None
    assert "You have resigned." in written(post_of(post)).text


def post_of(post: Post) -> OutboxMail:
    return post.answers()[-1]


def test_nobody_resigns_without_having_been_asked(game: Game, post: Post) -> None:
    assert post.write("resign yes").outcome == Outcome.ASKED
    InboundMail.objects.update(received_at=timezone.now() - timedelta(days=8))
    assert post.write("Ja, aufgeben").outcome == Outcome.ASKED
    assert fresh(game).seats.get(number=0).user == post.user


def test_a_player_who_has_resigned_sees_no_hand_any_more(
    alice: User, bob: User, carol: User, replies: Settings
) -> None:
    game = table_of(alice, bob, carol)
    post = Post(game, alice)
    row = post.write("show")
    assert "Your hand" in post.answer().text
    services.game_resign(game_id=game.pk, user=alice)
    assert row.answer is not None
    late = written(row.answer)
    assert "Your hand" not in late.text
    assert late.pictures == {}


def test_mails_can_be_paused_and_come_again(game: Game, post: Post) -> None:
    assert post.write("pause mails").outcome == Outcome.ORDERED
    assert Seat.objects.get(game=game, number=0).mails_off
    assert "resume emails" in post.answer().text
    assert post.write("resume mails").outcome == Outcome.ORDERED
    assert not Seat.objects.get(game=game, number=0).mails_off


def test_help_lists_commands_and_how_a_move_is_written(game: Game, post: Post) -> None:
    assert post.write("Hilfe").outcome == Outcome.SHOWN
    text = post.answer().text
    assert "legal: list your legal moves" in text
    assert "To sell a tile first" in text


# -- not understood ------------------------------------------------------------------------


def test_what_is_not_understood_is_answered_with_line_reason_and_how(
    game: Game, post: Post
) -> None:
    before = version(game)
    row = post.write("Hi all, sorry for the delay")
    assert row.outcome == Outcome.UNCLEAR
    text = " ".join(post.answer().text.replace("\n| ", " ").split())
    assert "“Hi all, sorry for the delay”" in text
    assert "Reply to this email, and write on the first line:" in text
    assert version(game) == before
    assert "/t/" not in text


def test_a_greeting_above_the_move_is_named_as_what_is_in_the_way(game: Game, post: Post) -> None:
    before = version(game)
    for greeting in ("Hi,", "Hello everybody!", "Liebe Alle,", "Bonjour,"):
        assert post.write(f"{greeting}\n{line_of(game)}").outcome == Outcome.UNCLEAR
        text = " ".join(post.answer().text.replace("\n| ", " ").split())
        assert "Your email starts with a greeting." in text
    assert version(game) == before


def test_courtesy_behind_a_move_does_no_harm(game: Game, post: Post) -> None:
    line = line_of(game)
    row = post.write(f"{line}, please!")
    assert (row.outcome, row.line) == (Outcome.PLAYED, f"{line}, please!")


def test_the_player_who_is_asked_instead_is_named(alice: User, bob: User) -> None:
    game = table_of(alice, bob, kind="escape", options={"order": "seated"})
    post = Post(game, bob)
    assert post.write("place 6 E5").outcome == Outcome.REFUSED
    text = " ".join(post.answer().text.split())
    assert "Alice" in text and "seat 1" not in text


def test_what_the_rules_forbid_is_answered_with_the_rule(game: Game, post: Post) -> None:
    row = post.write("pass")
    assert row.outcome == Outcome.REFUSED
    assert "cannot pass" in post.answer().text.replace("\n| ", " ")
    assert "How to write a move:" not in post.answer().text


def test_three_in_a_row_get_the_link_to_the_form(game: Game, post: Post) -> None:
    for count in (1, 2, 3):
        post.write(f"what now {count}")
        assert ("/t/" in post.answer().text) == (count == 3)
    post.write("show")
    post.write("what now 4")
    assert "/t/" not in post.answer().text


def test_after_many_in_a_row_there_is_silence(game: Game, post: Post) -> None:
    rows = [post.write(f"blah {n}") for n in range(10)]
    assert [row.outcome for row in rows[-3:]] == [Outcome.UNCLEAR, Outcome.LIMIT, Outcome.QUIET]
    assert "reached the limit for unclear email replies" in one_line(post.answer().text)
    assert post.write("show").outcome == Outcome.SHOWN


def test_a_reply_of_nothing_but_quoted_text_is_told_so(game: Game, post: Post) -> None:
    assert post.write("").outcome == Outcome.UNCLEAR
    assert "no line of your own" in post.answer().text.replace("\n", " ")


def test_a_forwarded_mail_is_quoted_text(game: Game, post: Post) -> None:
    line = line_of(game)
    row = post.write(
        f"---------- Forwarded message ---------\nFrom: Bob <bob@example.org>\n"
        f"Date: Fri, 6 Nov 2026\nSubject: Atlantis\n\n{line}"
    )
    assert (row.outcome, row.line) == (Outcome.UNCLEAR, "")


def test_a_move_in_the_quoted_mail_is_never_played(game: Game, post: Post) -> None:
    before, line = version(game), line_of(game)
    for text in ("", f"> {line}", f"Thanks!\n\n> {line}", f"-- \n{line}"):
        row = post.write(text, quote=f"> {line}")
        assert row.outcome in (Outcome.UNCLEAR, Outcome.QUIET), text
    assert version(game) == before


# -- who writes ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("results", "checked"),
    [
        (None, SenderCheck.UNKNOWN),
        (
            "Authentication-Results: mx.example.org; dmarc=fail header.from=example.org",
            SenderCheck.FAIL,
        ),
        ("Authentication-Results: evil.example.net; dmarc=pass", SenderCheck.UNKNOWN),
    ],
)
def test_without_a_word_for_the_sender_a_move_waits_to_be_confirmed(
    game: Game, post: Post, results: str | None, checked: str
) -> None:
    before, line = version(game), line_of(game)
    row = post.write(line, results=results)
    assert (row.outcome, row.sender_check) == (Outcome.CONFIRM, checked)
    assert version(game) == before
    answer = post.answer()
    assert "/reply/" in answer.text
    assert line not in answer.text
    assert answer["To"] == "alice@example.org"


def test_without_a_word_for_the_sender_nothing_is_changed_by_a_command(
    game: Game, post: Post
) -> None:
    play_one(game)
    for line in ("pause mails", "note Hello", "resign yes"):
        assert post.write(line, results=None).outcome == Outcome.CONFIRM
    seat = Seat.objects.get(game=game, number=0)
    assert (seat.mails_off, seat.user) == (False, post.user)
    assert not TableNote.objects.exists()


def test_without_a_word_for_the_sender_what_is_wrong_is_told_at_once(
    game: Game, post: Post
) -> None:
    assert post.write("A sword", results=None).outcome == Outcome.UNCLEAR
    assert post.write("show", results=None).outcome == Outcome.SHOWN


def test_what_came_in_by_the_open_door_proves_nothing(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    row = arrive(letter(line_of(game), to, alice.email), to, channel=Channel.OPEN)
    assert (row.outcome, row.sender_check) == (Outcome.CONFIRM, SenderCheck.UNKNOWN)


def test_on_this_machine_alone_nobody_has_to_vouch(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    row = arrive(letter(line_of(game), to, alice.email, results=None), to, channel=Channel.LOCAL)
    assert row.outcome == Outcome.PLAYED


def test_a_move_from_somebody_elses_address_waits_for_the_player(
    game: Game, post: Post, bob: User
) -> None:
    before = version(game)
    row = post.write(line_of(game), sender=bob.email)
    assert (row.outcome, row.sender_check) == (Outcome.CONFIRM, SenderCheck.STRANGER)
    assert version(game) == before
    answer = post.answer()
    assert answer["To"] == "alice@example.org"
    assert "not linked to your account" in answer.text
    assert bob.email not in answer.text


def test_nothing_else_from_a_stranger_is_answered(game: Game, post: Post) -> None:
    for line in ("show", "resign", "help", "What is this?", "A sword", ""):
        assert post.write(line, sender="eve@example.net").outcome == Outcome.STRANGER
    assert post.answers() == []


def test_a_second_address_counts_once_it_is_verified(game: Game, post: Post) -> None:
    second = EmailAddress.objects.create(user=post.user, email="al@example.net", verified=False)
    pass_there = PASS.replace("header.from=example.org", "header.from=example.net")
    first = post.write("show", sender="al@example.net", results=pass_there)
    assert first.outcome == Outcome.STRANGER
    second.verified = True
    second.save()
    row = post.write(line_of(game), sender="AL@Example.NET", results=pass_there)
    assert (row.outcome, row.sender_check) == (Outcome.PLAYED, SenderCheck.PASS)


def test_an_address_that_was_never_verified_is_nobodys(game: Game, post: Post) -> None:
    EmailAddress.objects.create(user=post.user, email=post.user.email, verified=False)
    assert post.write("show").outcome == Outcome.STRANGER


def test_a_player_who_got_the_seat_later_does_not_inherit_the_old_players_reply(
    alice: User, bob: User, carol: User, dave: User, mona: User, replies: Settings
) -> None:
    game = table_of(alice, bob, carol)
    old, line = address_of(game, alice), line_of(game)
    services.moderate_hand_seat(game_id=game.pk, by=mona, reason="Away.", seat=0, to=dave)
    before = version(game)
    row = arrive(letter(line, old, alice.email), old)
    assert (row.sender_check, row.outcome) == (SenderCheck.STRANGER, Outcome.CONFIRM)
    assert row.answer is not None and row.answer.user == dave
    assert version(game) == before
    assert fresh(game).seats.get(number=0).user == dave


def test_two_from_addresses_are_nobody(game: Game, alice: User, bob: User) -> None:
    to = address_of(game, alice)
    raw = letter(line_of(game), to, alice.email)
    doubled = raw.replace(b"From: <alice@", b"From: <bob@example.org>, <alice@")
    twice = raw.replace(b"From: <alice", b"From: <bob@example.org>\r\nFrom: <alice")
    for odd in (doubled, twice):
        row = arrive(odd.replace(b"Message-ID: <", b"Message-ID: <x" + odd[-9:-8]), to)
        assert row.outcome == Outcome.FROM
        InboundMail.objects.all().delete()
    assert not OutboxMail.objects.filter(kind=Kind.ANSWER).exists()


# -- no answer -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "outcome"),
    [
        ("Auto-Submitted: auto-replied", Outcome.AUTO),
        ("Auto-Submitted: auto-generated (vacation)", Outcome.AUTO),
        ("X-Autoreply: yes", Outcome.AUTO),
        ("Precedence: bulk", Outcome.AUTO),
        ("List-Id: <friends.example.net>", Outcome.AUTO),
        ("List-Id: <abcdefghijkl.games.127.0.0.1>", Outcome.OWN),
        ("Return-Path: <>", Outcome.BOUNCE),
    ],
)
def test_machines_are_not_answered(game: Game, post: Post, head: str, outcome: str) -> None:
    before = version(game)
    assert post.write(line_of(game), head=head).outcome == outcome
    assert version(game) == before
    assert post.answers() == []


@pytest.mark.parametrize(
    "subject",
    ["Automatic reply: Atlantis", "Abwesenheitsnotiz: Re: Atlantis", "Réponse automatique : re"],
)
def test_replies_of_the_absent_are_known_by_their_subject(
    game: Game, alice: User, subject: str
) -> None:
    to = address_of(game, alice)
    raw = letter("I am away.", to, alice.email)
    raw = raw.replace(b"Subject: Re: Atlantis: Round the mainland", f"Subject: {subject}".encode())
    assert arrive(raw, to).outcome == Outcome.AUTO


def test_a_mail_that_says_it_is_not_automatic_is_believed(game: Game, post: Post) -> None:
    assert post.write(line_of(game), head="Auto-Submitted: no").outcome == Outcome.PLAYED


def test_the_null_sender_is_a_bounce(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    assert arrive(letter(line_of(game), to, alice.email), to, sender="").outcome == Outcome.BOUNCE
    InboundMail.objects.all().delete()
    unknown = arrive(letter("show", to, alice.email), to, sender=None)
    assert unknown.outcome == Outcome.SHOWN


def test_a_report_of_a_mail_server_is_a_bounce(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    raw = letter("Your mail could not be delivered.", to, alice.email).replace(
        b"Content-Type: text/plain; charset=utf-8",
        b'Content-Type: multipart/report; report-type=delivery-status; boundary="x"',
    )
    assert arrive(raw, to).outcome == Outcome.BOUNCE
    daemon = letter("Sorry.", to, "MAILER-DAEMON@mail.example.org")
    assert arrive(daemon, to).outcome == Outcome.BOUNCE


def test_our_own_mails_are_not_answered(game: Game, post: Post) -> None:
    assert post.write("show", sender="games@127.0.0.1").outcome == Outcome.OWN


def test_an_address_without_our_signature_is_not_even_kept(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    for other in (to.replace("move+", "move+x"), to.replace(".0.", ".1."), "games@127.0.0.1"):
        assert intake.store(b"", channel=Channel.RELAY, sender="", recipients=[other]) == []


def test_a_game_that_is_gone_is_nobodys(game: Game, alice: User) -> None:
    nowhere = reply_address("aaaaaaaaaaaa", 0, 1)
    nobody = reply_address(game.public_id, 7, 1)
    assert nowhere is not None and nobody is not None
    for to in (nowhere, nobody):
        assert arrive(letter("show", to, alice.email), to).outcome == Outcome.GONE


def test_a_mail_nested_beyond_measure_is_left_alone(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    nested = b"".join(
        b'Content-Type: multipart/mixed; boundary="%d"\r\n\r\n--%d\r\n' % (n, n)
        for n in range(5000)
    )
    head = letter("show", to, alice.email).partition(b"Content-Type")[0]
    start = time.process_time()
    assert arrive(head + nested + b"\r\nx" * 50_000, to).outcome == Outcome.BROKEN
    assert time.process_time() - start < 2


# -- size, attachments, charsets -----------------------------------------------------------


def test_a_mail_that_is_too_large_is_told_so(game: Game, post: Post) -> None:
    before = version(game)
    row = post.write(f"{line_of(game)}\n\n" + "x" * intake.MOST_BYTES)
    assert (row.outcome, row.is_truncated) == (Outcome.LARGE, True)
    assert len(row.raw) == intake.MOST_BYTES
    assert version(game) == before
    assert "too large" in post.answer().text


def test_a_mail_just_below_the_limit_is_read(game: Game, post: Post) -> None:
    filler = "\n".join(["x" * 70] * 3600)
    row = post.write(f"{line_of(game)}\n\n{filler}")
    assert not row.is_truncated
    assert row.outcome == Outcome.PLAYED


def test_attachments_are_left_alone(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    line = line_of(game)
    plain = letter(line, to, alice.email)
    head, _blank, body = plain.partition(b"MIME-Version: 1.0\r\n")
    mixed = (
        head
        + b'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="edge"\r\n\r\n--edge\r\n'
        + body
        + b"\r\n--edge\r\nContent-Type: text/plain\r\n"
        + b"Content-Disposition: attachment; filename=moves.txt\r\n\r\nC statue\r\n--edge--\r\n"
    )
    row = arrive(mixed, to)
    assert (row.outcome, row.line) == (Outcome.PLAYED, line)


def test_html_alone_will_do(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    line = line_of(game)
    head = letter("", to, alice.email).partition(b"Content-Type")[0]
    html = f"<div>{line}</div><blockquote>C statue</blockquote>"
    row = arrive(head + b"Content-Type: text/html; charset=utf-8\r\n\r\n" + html.encode(), to)
    assert (row.outcome, row.line) == (Outcome.PLAYED, line)


def test_a_wrong_charset_does_not_matter(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    raw = letter("Brücke 27 B Flagge", to, alice.email)
    for says in (b"us-ascii", b"x-nothing", b"iso-8859-1", b"hex"):
        wrong = raw.replace(b"charset=utf-8", b"charset=" + says)
        wrong = wrong.replace(b"Message-ID: <", b"Message-ID: <" + says)
        assert arrive(wrong, to).line == "Brücke 27 B Flagge"


# -- limits --------------------------------------------------------------------------------


def test_one_seat_is_read_so_often_an_hour(game: Game, post: Post, settings: Settings) -> None:
    settings.QUOTAS = {"replies_seat_hour": 3}
    found = [post.write("show").outcome for _mail in range(6)]
    assert found == [*[Outcome.SHOWN] * 3, Outcome.LIMIT, Outcome.QUIET, Outcome.QUIET]
    assert "the limit for email replies (3 per hour)" in one_line(post.answer().text)
    quota_windows_end()
    assert post.write("show").outcome == Outcome.SHOWN


def test_one_person_is_read_so_often_an_hour_at_all_tables(
    game: Game, alice: User, bob: User, settings: Settings
) -> None:
    settings.QUOTAS = {"replies_person_hour": 3}
    other = table_of(alice, bob)
    here, there = Post(game, alice), Post(other, alice)
    found = [post.write("show").outcome for post in (here, there, here, there, here)]
    assert found == [*[Outcome.SHOWN] * 3, Outcome.LIMIT, Outcome.QUIET]
    assert Post(game, bob).write("show").outcome == Outcome.SHOWN


def test_those_nobody_vouches_for_are_answered_so_often_a_day(
    game: Game, post: Post, settings: Settings
) -> None:
    settings.QUOTAS = {"unverified_replies_seat_day": 2}
    found = [post.write("show", results=None).outcome for _mail in range(4)]
    assert found == [Outcome.SHOWN, Outcome.SHOWN, Outcome.QUIET, Outcome.QUIET]
    assert post.write("show").outcome == Outcome.SHOWN  # they do not use up what is the player's


# -- kept and forgotten --------------------------------------------------------------------


def test_the_text_of_a_mail_is_forgotten_after_a_while(game: Game, post: Post) -> None:
    row = post.move()
    assert inbound.forget() == 0
    InboundMail.objects.update(received_at=timezone.now() - timedelta(days=31))
    assert inbound.forget() == 1
    kept = InboundMail.objects.get(pk=row.pk)
    assert (bytes(kept.raw), kept.outcome) == (b"", Outcome.PLAYED)


def test_a_mail_is_in_the_database_before_it_is_read(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    raw = letter("show", to, alice.email)
    (row,) = intake.store(
        raw, channel=Channel.RELAY, sender=alice.email, recipients=[to, to.upper()]
    )
    assert (bytes(row.raw), row.state, row.recipient) == (raw, "new", to)


def test_answers_are_in_the_players_language(carol: User, bob: User, replies: Any) -> None:
    game = table_of(carol, bob)
    Post(game, carol).write("zeig")
    row = OutboxMail.objects.get(kind=Kind.ANSWER)
    assert 'lang="de"' in written(row).html


def test_game_moved_is_no_error_of_the_outer_transaction(game: Game, post: Post) -> None:
    """A refusal inside of a service undoes the service's part alone."""
    with transaction.atomic(), pytest.raises(GameMoved):
        services.game_play_line(game_id=game.pk, user=post.user, seat=0, line="A flag", version=1)
    assert fresh(game).status == Game.Status.RUNNING


def test_a_moderator_sees_what_was_read_and_not_the_mail(
    game: Game, post: Post, client: Client
) -> None:
    line = line_of(game)
    row = post.write(f"{line}\n\nDear all, this is private.")
    moderating(User.objects.create_superuser("root@example.org", display_name="Root"), client)
    listed = client.get("/admin/games/inboundmail/").content.decode()
    assert line not in listed, "it is as secret as the game"
    assert "move made" in listed
    page = client.get(f"/admin/games/inboundmail/{row.pk}/change/").content.decode()
    assert "authenticated" in page
    for private in ("this is private", row.recipient, row.key):
        assert private not in page


def test_signs_that_no_address_has_do_no_harm(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    raw = letter(line_of(game), to, alice.email)
    odd = raw.replace(b"From: <alice@", b"From: <ali\x00ce@").replace(
        b"Subject: ", b"Subject: \x00"
    )
    assert arrive(odd, to, sender="ali\x00ce\udcff@example.org").outcome == Outcome.FROM
    assert InboundMail.objects.get().sender == "alice@example.org"
