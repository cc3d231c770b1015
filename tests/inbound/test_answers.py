"""Emails say where and how to reply, and contain no line that could be read as a move."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from games import services
from games.inbound import commands, mime, reply_parser
from games.log import pipeline
from games.mail import outbox, queue
from games.mail.reply_addresses import read_reply_address
from games.models import Game, OutboxMail, User
from games.rules.errors import MoveError
from games.rules.escape.model import Creature, CreatureStage
from tests.factories import log_of, play_one, play_to_the_end, play_turns, table_of
from tests.support.emails import Kind, Read, read, reply_to, row_for, rows_for, written
from tests.support.escape_games import game_with
from tests.support.lengths import by_length
from tests.support.replies import (
    Outcome,
    Post,
    arrive,
    before_the_end,
    line_of,
    reply_email,
)
from tests.support.smtp_sink import SmtpSink

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table")]


# -- emails that can be answered --------------------------------------------------------------


def test_a_turn_email_names_the_address_of_its_very_position(
    replies: Settings, alice: User, bob: User
) -> None:
    game = play_turns(table_of(alice, bob), 3)
    mail = written(rows_for(game, Kind.TURN)[-1])
    log = log_of(game)
    assert read_reply_address(reply_to(mail)) == (game.public_id, 1, log.moved_at)
    assert mail["Reply-To"].startswith("Atlantis by Mail <move+")


def test_it_says_how_to_answer_and_above_which_line(
    replies: Settings, alice: User, bob: User
) -> None:
    mail = written(row_for(table_of(alice, bob), Kind.TURN))
    lead, marker, *_rest = mail.text.split("\n\n")
    asked, until = lead.splitlines()
    assert asked == "Move one of your figures"
    assert re.fullmatch(r"3 days left, until \w{3} \d\d? \w{3}, \d\d:\d\d, Berlin time", until)
    assert marker == "-=-=- Reply above this line -=-=-"
    assert "Reply to this email, and write on the first line:" in mail.text
    assert "-=-=- Reply above this line -=-=-" in mail.words
    assert "Or reply with your move on the first line, for example:" in mail.words


def test_an_answer_without_a_button_does_not_say_or(
    replies: Settings, alice: User, bob: User
) -> None:
    post = Post(play_turns(table_of(alice, bob), 2), alice)
    post.write("what now?")
    words = post.answer().words
    assert "Reply to this email, and write on the first line:" in words
    assert "Or reply" not in words


@pytest.mark.parametrize(
    ("text", "preview"),
    [
        ("what now?", "We didn’t understand your reply. Nothing has been changed."),
        ("status", "These are your games."),
        ("stop", "All emails of this service are off"),
        ("resign", "Reply “resign” if you really want to resign"),
    ],
)
def test_beside_the_subject_a_mailbox_shows_what_became_of_the_reply(
    replies: Settings, alice: User, bob: User, text: str, preview: str
) -> None:
    post = Post(play_turns(table_of(alice, bob), 2), alice)
    post.write(text)
    assert post.answer().blocks[0].startswith(preview)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("legal", "Before your move, sell a tile to draw cards:"),
        ("rules", "Write the figure, then the cards"),
        ("help", "Write the figure, then the cards"),
    ],
)
def test_an_answer_that_lists_the_forms_does_not_repeat_them(
    replies: Settings, alice: User, bob: User, text: str, said: str
) -> None:
    post = Post(play_turns(table_of(alice, bob), 2), alice)
    post.write(text)
    mail = post.answer()
    for words in (" ".join(mail.text.split()), mail.words):
        assert words.count(said) == 1
        assert "write on the first line:" not in words
        assert "Reply “legal”" not in words
        assert ("Possible now:" in words) == (text != "legal")


@pytest.mark.parametrize("text", ["pass", "undo", "A 9×crown", "preview pass"])
def test_what_was_understood_and_cannot_be_done_is_not_called_unclear(
    replies: Settings, alice: User, bob: User, text: str
) -> None:
    post = Post(play_turns(table_of(alice, bob), 2), alice)
    post.write(text)
    mail = post.answer()
    for said in (mail.text, mail.words):
        assert "Your reply couldn’t be carried out" in said
        assert "Nothing has been changed." in said
        assert "didn’t understand" not in said
        assert "only the first line" not in said


def test_a_second_move_in_a_reply_is_asked_about(replies: Settings, alice: User, bob: User) -> None:
    post = Post(table_of(alice, bob), alice)
    line = line_of(post.game)
    other = "B flag" if line != "B flag" else "B ring"
    assert post.write(f"{line}\n\n{other}\n\nBest wishes\nAlice").outcome == Outcome.REFUSED
    mail = post.answer()
    assert f"what you want: “{other}”" in " ".join(mail.text.replace("\n| ", " ").split())
    assert f"what you want: “{other}”" in mail.words


@pytest.mark.parametrize("below", ["Best wishes\nAlice", "note: my plan was\n{}"])
def test_what_is_no_second_move_is_not_mentioned(
    replies: Settings, alice: User, bob: User, below: str
) -> None:
    post = Post(table_of(alice, bob), alice)
    line = line_of(post.game)
    assert post.write(f"{line}\n{below.format(line)}").outcome == Outcome.PLAYED
    assert "only the first line" not in post.answer().words


def test_without_a_reply_domain_no_email_speaks_of_replies(game: Game, settings: Settings) -> None:
    settings.MAIL_REPLY_DOMAIN = ""
    for row in OutboxMail.objects.filter(game=game):
        mail = written(row)
        assert mail["Reply-To"] == ""
        assert "-=-=-" not in mail.text + mail.html
        assert "eply to this email" not in mail.text + mail.html


def test_every_email_of_a_game_can_be_answered(game: Game, replies: Settings, mona: User) -> None:
    services.deadline_check(now=timezone.now() + timedelta(days=4))
    services.moderate_extend(game_id=game.pk, days=9, ruling=services.Ruling(mona, "Flu."))
    for row in OutboxMail.objects.filter(game=game).exclude(kind=Kind.INVITATION):
        named = read_reply_address(reply_to(written(row)))
        assert named is not None and named.seat == row.seat


def test_a_reminder_takes_a_move_after_a_part_of_the_turn_is_done(
    replies: Settings, alice: User, bob: User
) -> None:
    game = play_turns(table_of(alice, bob), 12)
    log = log_of(game)
    tile = max(tile.value for tile in log.engine.rules.view(log.state, 0).players[0].tiles)
    Post(game, alice).write(f"buy {tile}")
    pipeline.execute(queue.reminder(game, game.seats.get(number=0), "half"))
    to = reply_to(written(row_for(game, Kind.REMINDER)))
    assert arrive(reply_email(line_of(game), to, alice.email), to).outcome == "played"


# -- no move in an email -----------------------------------------------------------------------


def answers_of(post: Post) -> Iterator[Read]:
    """One answer of every kind at this position."""
    line = line_of(post.game)
    for text in (
        "show",
        "legal",
        "help",
        f"preview {line}",
        "what?",
        "pass",
        "resign",
        "",
        "show words",
        "rules",
        "status",
        f"{line} kthxbye",
        "hlep",
    ):
        post.write(text)
        yield post.answer()
    for text in (line, "show"):
        post.write(text, results=None)
        yield post.answer()
    post.write(line)
    yield post.answer()


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "moves"),
    [
        *by_length([], [("atlantis", 0), ("atlantis", 6)]),
        ("atlantis", 13),
        ("escape", 0),
        ("escape", 25),
    ],
)
def test_an_answer_is_small_and_no_line_of_it_is_a_move_or_is_read_as_an_order(
    replies: Settings, alice: User, bob: User, kind: str, moves: int
) -> None:
    """Whatever a mail program makes of the quoted answer, no line of it does anything."""
    options = {"order": "seated"} if kind == "atlantis" else {}
    game = play_turns(table_of(alice, bob, kind=kind, options=options), moves)
    no_line_is_read(game, alice, bob)


def test_no_line_of_an_answer_moves_a_serpent(
    replies: Settings, monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    """A line so short that it can stand alone where the text is wrapped."""
    asked = CreatureStage(0, Creature.SERPENT), CreatureStage(1, Creature.SERPENT)
    game = game_with(monkeypatch, (alice, bob), lambda state: state.board.stage in asked)
    no_line_is_read(game, alice, bob)


def no_line_is_read(game: Game, alice: User, bob: User) -> None:
    seat = log_of(game).projection.to_act[0]
    post = Post(game, (alice, bob)[seat])
    log = log_of(game)
    view = log.engine.rules.view(log.state, seat)
    answers = list(answers_of(post))
    assert len(answers) == 16
    for answer in answers:
        assert len(answer.html.encode()) < 102_000
        wide = [line for line in answer.text.splitlines() if len(line) > 78]
        assert all("http" in line for line in wide), wide
    lines = {line for mail in answers for line in (*mail.text.splitlines(), *mail.blocks)}
    lines = {
        line for line in lines if not line.startswith("|")
    }  # see tests/inbound/test_quoting.py
    for words in {said for line in lines for said in (line, f"> {line}", line.strip(" >-"))}:
        assert isinstance(commands.parse(words), commands.Move), words
        with pytest.raises(MoveError):
            raise AssertionError(words, log.engine.notation.parse(words, view))


def test_a_move_that_leads_to_a_second_decision_is_answered_with_its_question(
    replies: Settings, alice: User, bob: User
) -> None:
    game = play_turns(table_of(alice, bob), 12)
    post = Post(game, alice)
    log = log_of(game)
    tile = max(tile.value for tile in log.engine.rules.view(log.state, 0).players[0].tiles)
    post.write(f"buy {tile}")
    log = log_of(game)
    assert post.answer().text.startswith("Move one of your figures\n")
    assert "Move one of your figures" in post.answer().words


def test_a_quoted_answer_without_marks_is_not_read(game: Game, replies: Settings) -> None:
    """Outlook quotes without marks: our own mark above the text is what saves it."""
    mail = written(row_for(game, Kind.TURN))
    raw = f"Content-Type: text/plain; charset=utf-8\r\n\r\nB flag\r\n\r\n{mail.text}"
    said = reply_parser.read(mime.read(raw.encode()))
    assert said.text == ["B flag"]


# -- secrets and size ------------------------------------------------------------------------


def test_an_answer_shows_my_hand_and_nobody_elses(
    replies: Settings, alice: User, bob: User
) -> None:
    game = play_turns(table_of(alice, bob), 6)
    post = Post(game, alice)
    post.move()
    answer = post.answer()
    log = log_of(game)
    drawn = [e for e in log.engine_events if type(e).__name__ == "Drew"]
    assert drawn[-1].seat == 0
    assert "Drew" in answer.text
    post.write("show")
    answer = post.answer()
    mine = log.engine.presentation.hand(log.engine.rules.view(log.state, 0))
    assert all(f"{held.label} × {held.count}" in answer.text for held in mine)


def test_an_answer_is_the_same_bytes_each_time(game: Game, replies: Settings, alice: User) -> None:
    post = Post(game, alice)
    post.move()
    row = post.answers()[-1]
    first = written(row).message.as_bytes()
    play_one(game)
    assert written(row).message.as_bytes() == first


def sent_to(post: Post, sink: SmtpSink) -> list[Read]:
    """Return the emails that the outbox now sends to this person about the end and their
    replies."""
    OutboxMail.objects.exclude(kind__in=(Kind.ANSWER, Kind.OVER)).delete()
    outbox.drain()
    return [mail for mail in map(read, sink.messages) if mail["To"] == post.user.email]


def test_the_reply_that_ends_the_game_is_answered_with_the_final_email(
    replies: Settings, outgoing: SmtpSink, alice: User, bob: User
) -> None:
    post = before_the_end(alice, bob)
    reply = post.move()
    assert reply.outcome == "played"
    assert Game.objects.get(pk=post.game.pk).status == Game.Status.FINISHED
    (mail,) = sent_to(post, outgoing)
    assert mail["In-Reply-To"] == reply.message_id
    assert mail["Auto-Submitted"] == "auto-replied"
    for text in (mail.text, mail.words):
        assert "Your move has been made." in text
        assert "Congratulations!" in text or "won" in text
    assert f"| {post.user.name}" in mail.text
    assert "View the whole game with everything revealed, or play again" in mail.text
    assert any(name.startswith("board@") for name in mail.pictures)
    states = OutboxMail.objects.filter(game=post.game, kind=Kind.OVER).values_list("state")
    assert set(states) == {(OutboxMail.State.SENT,)}


def test_the_last_mover_on_the_page_gets_one_email(
    replies: Settings, outgoing: SmtpSink, alice: User, bob: User
) -> None:
    post = before_the_end(alice, bob)
    play_one(post.game)
    (mail,) = sent_to(post, outgoing)
    assert "Your move has been made." not in mail.text
    assert mail["Auto-Submitted"] == "auto-generated"


def test_a_reply_that_ends_the_game_by_resigning_is_answered_with_the_final_email(
    game: Game, replies: Settings, outgoing: SmtpSink, alice: User
) -> None:
    Game.objects.filter(pk=game.pk).update(resign_policy=Game.ResignPolicy.END)
    post = Post(game, alice)
    post.write("resign")
    reply = post.answer_last("resign")
    _asked_back, mail = sent_to(post, outgoing)
    assert mail["In-Reply-To"] == reply.message_id
    assert "You’ve resigned." in mail.text
    assert "was cancelled" in mail.text or "is over" in mail.text


def test_a_game_of_replies_that_is_over_is_over(replies: Settings, alice: User, bob: User) -> None:
    game = play_to_the_end(table_of(alice, bob))
    post = Post(game, alice)
    assert post.write("show").outcome == "shown"
    assert "The game is over." in post.answer().text
