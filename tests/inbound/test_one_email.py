"""A reply is answered by one email, also where the answer asks the next question."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parseaddr

import pytest
from django.db import transaction
from django.test import Client

from games import services
from games.mail import outbox
from games.mail.compose import MailComposer
from games.models import Game, OutboxMail, User
from tests.factories import (
    fresh,
    log_of,
    miss_deadline,
    people_of,
    play_one,
    play_to_the_end,
    play_turns,
    table_of,
)
from tests.support.emails import Kind, Read, make_all_due, read, row_for, written
from tests.support.escape_games import escape_table
from tests.support.game_seeds import SHORT_GAMES, seeded
from tests.support.replies import (
    Outcome,
    Post,
    arrive,
    confirm_path,
    line_of,
    one_line,
    reply_email,
)
from tests.support.smtp_sink import SmtpSink

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies", "outgoing")]

State = OutboxMail.State


@dataclass(frozen=True)
class Inbox:
    """The new emails to Alice."""

    sink: SmtpSink
    user: User

    def new(self) -> list[Read]:
        """Return the emails that are sent now."""
        before = len(self.sink.messages)
        outbox.drain()
        mails = map(read, self.sink.messages[before:])
        return [mail for mail in mails if mail["To"] == self.user.email]


@pytest.fixture
def inbox(outgoing: SmtpSink, alice: User) -> Inbox:
    return Inbox(outgoing, alice)


# Each leaves one thing to reply to, and returns what Alice replies.
Scene = Callable[[Game, Post, Inbox], object]


def undo(game: Game, post: Post, inbox: Inbox) -> None:
    post.write(line_of(game))
    inbox.new()
    assert post.write("undo").outcome == Outcome.ORDERED


def undo_by_link(game: Game, post: Post, inbox: Inbox) -> None:
    post.write(line_of(game))
    row = post.write("undo", results=None)
    inbox.new()
    Client().post(confirm_path(row))


def show(game: Game, post: Post, inbox: Inbox) -> None:
    """Its turn email waits, as in quiet hours."""
    assert post.write("show").outcome == Outcome.SHOWN


def show_words(game: Game, post: Post, inbox: Inbox) -> None:
    assert post.write("show words").outcome == Outcome.SHOWN


def legal(game: Game, post: Post, inbox: Inbox) -> None:
    assert post.write("legal").outcome == Outcome.SHOWN


def stale(game: Game, post: Post, inbox: Inbox) -> None:
    seq = log_of(game).moved_at
    post.write(line_of(game))
    play_one(game)
    OutboxMail.objects.filter(kind=Kind.ANSWER).delete()
    assert post.write("what?", seq=seq).outcome == Outcome.STALE


def buy(game: Game, post: Post, inbox: Inbox) -> None:
    """Buying cards leaves the figure to be moved."""
    inbox.new()
    assert post.write(purchase(game)).outcome == Outcome.PLAYED


def offer(game: Game, post: Post, inbox: Inbox) -> None:
    inbox.new()
    assert post.write(purchase(game).replace("buy", "byu")).offer
    inbox.new()
    assert post.answer_last("yes").outcome == Outcome.PLAYED


def buy_by_link(game: Game, post: Post, inbox: Inbox) -> None:
    row = post.write(purchase(game), results=None)
    inbox.new()
    Client().post(confirm_path(row))


def seat_back(game: Game, post: Post, inbox: Inbox) -> None:
    inbox.new()
    to = parseaddr(written(row_for(game, Kind.MISSED, post.user))["Reply-To"])[1]
    row = arrive(reply_email("take my seat back", to, post.user.email), to)
    assert row.outcome == Outcome.ORDERED


def purchase(game: Game) -> str:
    log = log_of(game)
    tile = max(tile.value for tile in log.engine.rules.view(log.state, 0).players[0].tiles)
    return f"buy {tile}"


def mainland(*people: User) -> Game:
    return play_turns(table_of(*people), 12)


def lost(*people: User) -> Game:
    """Alice has lost her seat to a bot that is asked to move."""
    game = table_of(*people, timeout_policy=Game.TimeoutPolicy.SEAT1)
    miss_deadline(game)
    return fresh(game)


SCENES: list[tuple[Scene, Callable[..., Game]]] = [
    (undo, escape_table),
    (undo_by_link, escape_table),
    (show, escape_table),
    (show, mainland),
    (show_words, mainland),
    (legal, mainland),
    (stale, mainland),
    (buy, mainland),
    (offer, mainland),
    (buy_by_link, mainland),
    (seat_back, lost),
]


@pytest.mark.parametrize(("scene", "table"), SCENES)
def test_an_answer_that_asks_the_question_is_the_only_email_about_it(
    scene: Scene, table: Callable[..., Game], alice: User, bob: User, inbox: Inbox
) -> None:
    game = table(alice, bob)
    OutboxMail.objects.filter(kind=Kind.TURN).exclude(seq=game.version).delete()
    scene(game, Post(game, alice), inbox)
    mails = inbox.new()
    assert [mail["Auto-Submitted"] for mail in mails] == ["auto-replied"]
    assert fresh(game).to_act == [0]
    assert "Check code:" in mails[0].text
    assert inbox.new() == []


def test_the_email_of_the_turn_goes_out_if_the_answer_that_has_its_place_does_not(
    alice: User, bob: User, inbox: Inbox
) -> None:
    game = mainland(alice, bob)
    OutboxMail.objects.filter(kind=Kind.TURN).exclude(seq=game.version).delete()
    Post(game, alice).write("show")
    User.objects.filter(pk=alice.pk).update(email="alice@example.net")  # answers stay behind
    inbox.user.refresh_from_db()
    (mail,) = inbox.new()
    assert mail["Auto-Submitted"] == "auto-generated"
    assert "Move one of your figures" in mail.text


# -- bots ------------------------------------------------------------------------------------------


def against_bots(*people: User, bots: int = 2) -> Game:
    """The first of these people is asked, and after them the bots."""
    game = table_of(*people, bots=bots)
    OutboxMail.objects.all().delete()
    return game


def before_bots_end_it(user: User) -> Game:
    """The bots end this game after the next move of this player."""
    with seeded(SHORT_GAMES):
        game = against_bots(user)
    while True:
        with transaction.atomic():
            play_one(game)
            assert not fresh(game).is_over
            services.game_play_bots(game_id=game.pk)
            if fresh(game).is_over:
                transaction.set_rollback(True)
                break
    OutboxMail.objects.all().delete()
    return game


def test_an_answer_waits_for_the_bots_and_says_what_they_did_and_what_is_asked(
    alice: User, inbox: Inbox
) -> None:
    game = against_bots(alice)
    Post(game, alice).move()
    assert inbox.new() == []
    services.game_play_bots(game_id=game.pk)
    (mail,) = inbox.new()
    text = one_line(mail.text).partition("The board")[0]
    read_at = [
        text.index("Alice played"),
        *(m.start() for m in re.finditer(r"\(bot\) played", text)),
    ]
    assert len(read_at) == 3
    assert read_at == sorted(read_at)
    assert "Your move has been made." in mail.text
    assert "reply with your move on the first line, for example:" in mail.text
    assert "Your hand" in mail.text
    assert inbox.new() == []


def test_a_reply_to_an_answer_that_waited_is_a_reply_to_the_new_position(
    alice: User, inbox: Inbox
) -> None:
    game = against_bots(alice)
    Post(game, alice).move()
    services.game_play_bots(game_id=game.pk)
    (mail,) = inbox.new()
    to = parseaddr(mail["Reply-To"])[1]
    row = arrive(reply_email(line_of(game), to, alice.email), to)
    assert row.outcome == Outcome.PLAYED


def test_an_answer_does_not_wait_for_bots_that_are_slow(alice: User, inbox: Inbox) -> None:
    game = against_bots(alice)
    Post(game, alice).move()
    make_all_due()
    (mail,) = inbox.new()
    assert "Waiting for" in mail.text
    services.game_play_bots(game_id=game.pk)
    (mail,) = inbox.new()
    assert mail["Auto-Submitted"] == "auto-generated"


def test_an_answer_waits_for_bots_until_a_person_is_asked(
    alice: User, bob: User, inbox: Inbox
) -> None:
    game = against_bots(alice, bob, bots=1)
    Post(game, alice).move()
    assert inbox.new() == []
    services.game_play_bots(game_id=game.pk)
    (mail,) = inbox.new()
    assert "Waiting for Bob." in one_line(mail.text)
    assert "Alice played" in one_line(mail.text)
    assert len(mail.text.splitlines()) <= 20


def test_an_answer_that_waited_for_bots_that_ended_the_game_is_the_final_email(
    alice: User, inbox: Inbox
) -> None:
    game = before_bots_end_it(alice)
    Post(game, alice).move()
    assert inbox.new() == []
    services.game_play_bots(game_id=game.pk)
    assert fresh(game).is_over
    (mail,) = inbox.new()
    assert mail["Auto-Submitted"] == "auto-replied"
    assert "Your move has been made." in mail.text
    assert inbox.new() == []


# -- short -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("make", [table_of, escape_table])
def test_an_answer_to_a_move_that_asks_nothing_has_at_most_twenty_lines(
    make: Callable[..., Game], language: str, alice: User, bob: User, carol: User
) -> None:
    """Also if the moves of two bots followed, or a line was not read."""
    User.objects.update(language=language)
    game = play_to_the_end(make(alice, bob, carol))
    composer, log, people = MailComposer(), log_of(game), people_of(game)
    moves = log.moves[1:]
    for move, last in zip(moves, moves[2:], strict=False):
        seat, first = move[0].seat, move[0].seq
        assert seat is not None
        for seq, unread in ((move[-1].seq, False), (move[-1].seq, True), (last[-1].seq, False)):
            if seat in log.until(seq).projection.to_act:
                continue  # it asks the next question
            context = {"what": "played", "first": first, "unread": ["A flag"] if unread else []}
            row = OutboxMail(
                kind=Kind.ANSWER, game=game, user=people[seat], seat=seat, seq=seq, context=context
            )
            assert len(composer.compose(row).body.splitlines()) <= 20
