"""Everybody is told once how a vote ended: at once, with their next email, or in an answer."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from games import services
from games.log import table_events
from games.mail.relevance import check_before_send
from games.models import Game, OutboxMail, TablePresence, User, database_clock
from tests.factories import fresh, log_of, play_one, play_turns, table_of
from tests.support.emails import Kind, row_for, written
from tests.support.replies import Post, one_line
from tests.support.smtp_sink import SmtpSink

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies")]

Settle = Callable[[Game, User, User], object]


@pytest.fixture
def trio(alice: User, bob: User, carol: User) -> Game:
    """A table of Alice, who is asked, Bob and Carol, at which everybody has moved once."""
    User.objects.filter(pk=carol.pk).update(language="en")
    return play_turns(table_of(alice, bob, carol), 3)


def ask(game: Game, user: User, about: table_events.Proposal) -> int:
    until = (timezone.now() + timedelta(days=5)).astimezone(user.zone).date()
    services.vote_open(
        game_id=game.pk, user=user, about=about, until=until if about == "pause" else None
    )
    vote = log_of(game).vote
    assert vote is not None
    return vote.seq


def answer(game: Game, user: User, *, agrees: bool = True) -> None:
    vote = log_of(game).vote
    assert vote is not None
    services.vote_answer(game_id=game.pk, user=user, vote=vote.seq, agrees=agrees)


def told(game: Game, vote: int) -> list[str]:
    """Who is sent an email because of the end of this vote, in order."""
    after = OutboxMail.objects.filter(game=game, seq__gt=vote).exclude(kind=Kind.ANSWER)
    return sorted(mail.user.display_name for mail in after.select_related("user") if mail.user)


def refuse(game: Game, bob: User, carol: User) -> None:
    answer(game, bob, agrees=False)


def agree(game: Game, bob: User, carol: User) -> None:
    answer(game, bob)
    answer(game, carol)


def fall_silent(game: Game, bob: User, carol: User) -> None:
    due = fresh(game).vote_due_at
    assert due is not None
    services.votes_due(now=due)


@pytest.mark.parametrize(
    ("about", "settle", "readers", "words"),
    [
        ("cancel", refuse, ["Alice"], "did not pass: someone said no"),
        ("cancel", fall_silent, ["Alice"], "did not pass: not everyone answered"),
        ("take_back", lambda game, *_others: play_one(game), ["Alice"], "the game has changed"),
        ("pause", agree, ["Alice", "Bob"], "“Pause the game” passed. The game was paused"),
        ("cancel", agree, ["Alice", "Bob", "Carol"], "cancelled by a vote"),
    ],
    ids=["refused", "expired", "overtaken", "passed", "cancelled"],
)
def test_who_asked_gets_one_email_and_the_others_if_the_game_changes(
    trio: Game,
    alice: User,
    bob: User,
    carol: User,
    about: table_events.Proposal,
    settle: Settle,
    readers: list[str],
    words: str,
) -> None:
    play_one(trio)
    vote = ask(trio, alice, about)
    settle(trio, bob, carol)
    turns = OutboxMail.objects.filter(game=trio, kind=Kind.TURN, seq__gt=vote)
    turns.delete()
    assert told(trio, vote) == readers
    kind = Kind.OVER if fresh(trio).is_over else Kind.VOTE
    assert words in one_line(written(row_for(trio, kind, alice)).text)


def test_who_is_to_move_again_reads_in_that_email_that_the_move_was_taken_back(
    trio: Game, alice: User, bob: User, carol: User
) -> None:
    play_one(trio)
    vote = ask(trio, alice, "take_back")
    agree(trio, bob, carol)
    assert told(trio, vote) == ["Alice", "Bob"]
    mail = one_line(written(row_for(trio, Kind.TURN, alice)).text)
    assert "The vote “Take back a move” passed." in mail


def test_who_is_on_turn_when_a_vote_is_refused_reads_it_in_the_next_email(
    trio: Game, alice: User, bob: User, carol: User
) -> None:
    play_one(trio)
    ask(trio, alice, "cancel")
    answer(trio, carol, agrees=False)
    play_turns(trio, 3)
    words = "The vote “End the game without a result” did not pass: someone said no."
    assert words in one_line(written(row_for(trio, Kind.TURN, bob)).text)


@pytest.mark.parametrize(("line", "how"), [("no", "did not pass"), ("yes", "passed. The game was")])
def test_whose_answer_ends_it_reads_the_end_in_the_answer(
    trio: Game, alice: User, bob: User, carol: User, client: Client, line: str, how: str
) -> None:
    vote = ask(trio, alice, "pause")
    answer(trio, bob)
    if line == "no":
        Post(trio, carol).write(line, seq=vote)
        assert how in one_line(Post(trio, carol).answer().text)
    else:
        client.force_login(carol)
        form = {"vote": vote, "answer": line}
        page = client.post(f"/g/{trio.public_id}/vote/answer", form, follow=True)
        assert how in " ".join(page.content.decode().split())
    assert "Carol" not in told(trio, vote)


def test_no_email_tells_of_the_end_that_an_open_page_has_shown(
    outgoing: SmtpSink, trio: Game, alice: User, bob: User, client: Client
) -> None:
    client.force_login(alice)
    client.get(f"/g/{trio.public_id}/")
    ask(trio, alice, "cancel")
    answer(trio, bob, agrees=False)
    row = row_for(trio, Kind.VOTE, alice)
    assert check_before_send(row).wait
    TablePresence.objects.update(at=database_clock.now())
    assert "the page" in check_before_send(row).drop


def test_the_end_of_a_pause_that_was_voted_comes_as_news_of_votes(
    trio: Game, alice: User, bob: User, carol: User
) -> None:
    ask(trio, alice, "pause")
    agree(trio, bob, carol)
    due = fresh(trio).vote_due_at
    assert due is not None
    services.votes_due(now=due)
    last = fresh(trio).version
    assert {mail.kind for mail in OutboxMail.objects.filter(game=trio, seq__gte=last - 5)} <= {
        Kind.VOTE,
        Kind.TURN,
    }
    mail = written(row_for(trio, Kind.VOTE, alice))
    assert "The game was resumed." in one_line(mail.text)
    assert "Move one of your figures" in mail.words
