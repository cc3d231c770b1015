"""Replies that are written to the others at the table, and replies that only sound like it."""

import itertools
from datetime import timedelta

import pytest
from django.test import Client

from games import services
from games.inbound import commands
from games.mail.reply_addresses import reply_address
from games.models import Game, InboundMail, Message, OutboxMail, User
from games.rules.errors import MoveError
from tests.factories import fresh, given_up, log_of, play_one
from tests.support.emails import Kind, Read, make_all_due, prefer, reply_to, row_for, written
from tests.support.quoting import STYLES, meaning, reply
from tests.support.replies import (
    Outcome,
    Post,
    arrive,
    confirm_path,
    line_of,
    one_line,
    reply_email,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies", "shared_table")]

QUESTION = "Did you mean to write this to the table? Reply “yes”"


@pytest.fixture
def post(game: Game, alice: User) -> Post:
    return Post(game, alice)


def texts() -> list[str]:
    return list(Message.objects.order_by("pk").values_list("text", flat=True))


def answer_messages(game: Game, user: User, text: str) -> InboundMail:
    """This user answers an email with messages."""
    to = reply_address(game.public_id, 0, 0)
    assert to is not None
    return arrive(reply_email(text, to, user.email), to)


# -- say -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["say", "Say:", "sag", "Sag: ", "dis", "SAY"])
def test_say_writes_all_lines_to_the_table(game: Game, post: Post, word: str) -> None:
    row = post.write(f"{word} Hello Bob\nhow are you?\n\nTake your time!\n-- \nAlice")
    assert row.outcome == Outcome.ORDERED
    assert texts() == ["Hello Bob\nhow are you?\n\nTake your time!"]
    assert Message.objects.get().seq is None
    assert "The others at the table can now read your message." in one_line(post.answer().text)


def test_a_message_that_looks_like_a_move_is_none(game: Game, post: Post) -> None:
    line, before = line_of(game), fresh(game).version
    post.write(f"say: {line}")
    assert fresh(game).version == before
    assert texts() == [line]


def test_a_message_that_is_too_long_is_refused_whole(game: Game, post: Post) -> None:
    row = post.write("say: " + "\n".join(["word " * 15] * 20))
    assert row.outcome == Outcome.REFUSED
    assert texts() == []
    assert "at most 1000 characters" in one_line(post.answer().text)


def test_an_unverified_sender_confirms_the_message_first(
    client: Client, game: Game, post: Post
) -> None:
    row = post.write("say Hello\nBob", results=None)
    assert row.outcome == Outcome.CONFIRM
    assert texts() == []
    path = post.answer().text.split("http://127.0.0.1:8000")[1].split()[0]
    assert "Hello" in client.get(path).content.decode()
    client.post(path)
    assert texts() == ["Hello\nBob"]


def test_a_stranger_with_the_forwarded_email_writes_nothing(game: Game, post: Post) -> None:
    assert post.write("say Hello", sender="eve@example.net").outcome == Outcome.STRANGER
    assert texts() == []


# -- a reply to messages -------------------------------------------------------------------------


def test_a_reply_to_an_email_with_messages_needs_no_word(alice: User, bob: User) -> None:
    game = given_up(alice, bob)
    services.message_write(game_id=game.pk, user=bob, text="Good game")
    make_all_due()
    Message.objects.update(at=Message.objects.get().at - timedelta(minutes=3))
    to = reply_to(written(row_for(game, Kind.TALK, alice)))
    row = arrive(reply_email("Indeed!\nAgain?", to, alice.email), to)
    assert row.outcome == Outcome.ORDERED
    assert texts() == ["Good game", "Indeed!\nAgain?"]


@pytest.mark.parametrize(
    "text", ["show", "resign", "pause", "note Hello", "{move}", "I play {move}"]
)
def test_there_a_command_or_a_move_is_asked_about(
    game: Game, alice: User, post: Post, text: str
) -> None:
    before = fresh(game).version
    text = text.format(move=line_of(game))
    answer_messages(game, alice, f"{text}\nwhat do you think?")
    assert QUESTION in one_line(post.answer().text)
    assert texts() == []
    post.answer_last("yes")
    assert texts() == [f"{text}\nwhat do you think?"]
    assert fresh(game).version == before


def test_there_yes_is_a_message_and_plays_no_offered_move(
    game: Game, alice: User, post: Post
) -> None:
    before = fresh(game).version
    post.write(f"I would like to play {line_of(game)}")
    answer_messages(game, alice, "Yes")
    assert fresh(game).version == before
    assert texts() == ["Yes"]


@pytest.mark.parametrize(
    "head", ["Auto-Submitted: auto-replied", "X-Autoreply: yes", "Precedence: bulk"]
)
def test_an_automatic_reply_to_an_email_with_messages_is_not_written(
    game: Game, alice: User, head: str
) -> None:
    to = reply_address(game.public_id, 0, 0)
    assert to is not None
    row = arrive(reply_email("Yes, I am away until Monday", to, alice.email, head=head), to)
    assert row.outcome not in (Outcome.ORDERED, Outcome.UNCLEAR)
    assert texts() == []


def test_a_stranger_with_the_forwarded_messages_writes_nothing(game: Game) -> None:
    to = reply_address(game.public_id, 0, 0)
    assert to is not None
    assert arrive(reply_email("Hello", to, "eve@example.net"), to).outcome == Outcome.STRANGER
    assert texts() == []


@pytest.mark.parametrize(
    "text",
    ["a" + "\n" * 1000 + "b", "in\u200bvis\u2066ible", "we said\n=-=-= Reply above =-=-=\nno"],
)
def test_what_nobody_types_is_no_move_and_fills_no_email(
    game: Game, alice: User, bob: User, text: str
) -> None:
    before = fresh(game).version
    answer_messages(game, alice, text)
    assert fresh(game).version == before
    for message in Message.objects.all():
        assert message.text.count("\n") <= 3
        assert "\u200b" not in message.text and "-=-" not in message.text


# -- courtesies ----------------------------------------------------------------------------------


@pytest.mark.parametrize("has_turn", [True, False])
def test_a_courtesy_is_offered_to_the_table(game: Game, post: Post, has_turn: bool) -> None:
    if not has_turn:
        play_one(game)
    row = post.write("Thanks, good game!\nWell played")
    assert row.offer == "say"
    assert QUESTION in one_line(post.answer().text)
    assert texts() == []
    assert post.answer_last("yes").outcome == Outcome.ORDERED
    assert texts() == ["Thanks, good game!\nWell played"]


def test_a_courtesy_that_is_declined_is_not_written(game: Game, post: Post) -> None:
    post.write("well played")
    assert post.answer_last("no").outcome == Outcome.SHOWN
    assert texts() == []


def test_a_move_of_the_others_ends_the_question(game: Game, post: Post, bob: User) -> None:
    play_one(game)
    post.write("good luck, Bob")
    play_one(game)
    assert post.answer_last("yes").outcome == Outcome.STALE
    assert texts() == []


COURTESIES = {
    "en": (
        ("hi all", "hello Bob", "hey", "dear friends", "haha", "well", "oh no", "wow"),
        ("thanks", "thank you", "well played", "nice move", "sorry", "good luck", "gg", "bravo"),
        ("see you", "have fun", "take your time", "what a game", "no hurry", "I am not done yet"),
        ("!", " :)"),
    ),
    "de": (
        ("hallo zusammen", "hi Bob", "hey", "liebe Leute", "haha", "na ja", "oh nein", "wow"),
        ("danke", "vielen Dank", "gut gespielt", "guter Zug", "sorry", "viel Glück", "gg", "bravo"),
        ("bis bald", "viel Spaß", "lass dir Zeit", "was für ein Spiel", "keine Eile", "ich komme"),
        ("!", " :)"),
    ),
    "fr": (
        ("salut tous", "bonjour Bob", "coucou", "chers amis", "haha", "bon", "oh non", "waouh"),
        ("merci", "merci bien", "bien joué", "beau coup", "désolé", "bonne chance", "gg", "bravo"),
        ("à bientôt", "amusez-vous", "prends ton temps", "quelle partie", "rien ne presse", "hop"),
        ("!", " :)"),
    ),
}


@pytest.mark.parametrize("language", COURTESIES)
def test_five_hundred_courtesies_are_neither_moves_nor_commands(game: Game, language: str) -> None:
    log = log_of(game)
    view, notation = log.engine.rules.view(log.state, 0), log.engine.notation
    lines = [f"{a}, {b}, {c}{d}" for a, b, c, d in itertools.product(*COURTESIES[language])]
    assert len(lines) >= 500
    wrong: list[tuple[str, object]] = []
    for line in lines:
        command = commands.parse(line)
        if not isinstance(command, commands.Move) or commands.is_yes(line) or commands.is_no(line):
            wrong.append((line, command))
            continue
        try:
            wrong.append((line, notation.parse(command.line, view)))
        except MoveError:
            if notation.suggest(command.line, view) is not None:
                wrong.append((line, "offered"))
    assert wrong == []


# -- quotations ----------------------------------------------------------------------------------

SAID = (
    "{move}",
    "show",
    "yes",
    "no",
    "say hello",
    "resign: yes",
    "vote cancel",
    "-=-=- {move}",
    "> {move}",
)


def quoting_mails(game: Game, alice: User, bob: User) -> list[Read]:
    """Emails to Alice that quote what Bob has written: that of a turn, and one of its own."""
    move = line_of(game)
    prefer(alice, modes={"talk": "gather"})
    for text in SAID:
        services.message_write(game_id=game.pk, user=bob, text=text.format(move=move))
    Message.objects.update(at=Message.objects.earliest("at").at - timedelta(minutes=3))
    rows = OutboxMail.objects.filter(game=game, user=alice, kind__in=(Kind.TURN, Kind.TALK))
    mails = []
    for row in (rows.get(kind=Kind.TURN), rows.filter(kind=Kind.TALK)[0]):
        Message.objects.update(unsent=[alice.pk])
        mails.append(written(row))
    return mails


def test_messages_that_are_sent_back_are_no_moves(game: Game, alice: User, bob: User) -> None:
    log = log_of(game)
    view = log.engine.rules.view(log.state, 0)
    assert len(STYLES) == 12
    mails = quoting_mails(game, alice, bob)
    assert all("|   say hello" in mail.text for mail in mails)
    read_as = [
        (mail["Subject"], style, found)
        for mail in mails
        for style in STYLES
        if (found := meaning(reply(mail, style), log, view))
    ]
    assert read_as == []


@pytest.mark.parametrize("results", ["verified", None])
def test_where_messages_are_closed_a_move_is_made_without_its_note(
    game: Game, alice: User, client: Client, results: str | None
) -> None:
    Game.objects.filter(pk=game.pk).update(talk_open=False)
    post = Post(game, alice)
    line = f"{line_of(game)}\n\nnote: With love"
    row = post.write(line) if results else post.write(line, results=None)
    if results is None:
        client.post(confirm_path(row))
    assert len(log_of(game).moves) == 2
    assert "Your note was not added. Messages are turned off at this table." in one_line(
        post.answer().text
    )
    assert not Message.objects.exists()
