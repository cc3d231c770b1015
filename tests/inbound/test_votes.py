"""Votes by reply: nobody opens a page."""

from collections.abc import Iterator
from email.utils import parseaddr

import pytest

from games import services
from games.inbound import commands, confirmation
from games.inbound.command_words import CalendarDay
from games.inbound.commands import AskVote
from games.log import table_events
from games.management.commands.verify import verify_game
from games.models import Game, User
from tests.factories import fresh, log_of, miss_deadline, play_one, play_turns, table_of
from tests.support.emails import Kind, Read, row_for, written
from tests.support.quoting import STYLES, meaning, reply
from tests.support.replies import Outcome, Post, arrive, line_of, one_line, reply_email

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies", "shared_table")]

THIRD = CalendarDay(3, 1)


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("vote pause until 3 Jan", AskVote("pause", THIRD)),
        ("Vote: pause until 3 January, please", AskVote("pause", THIRD)),
        ("abstimmen Pause bis 3. Januar", AskVote("pause", THIRD)),
        ("Abstimmung: Pause bis zum 3. Januar", AskVote("pause", THIRD)),
        ("voter pause jusqu’au 3 janvier", AskVote("pause", THIRD)),
        ("vote une pause jusqu'au 3 janvier", AskVote("pause", THIRD)),
        ("vote pause", AskVote("pause")),
        ("vote pause until 3/1", AskVote("pause")),
        ("vote cancel", AskVote("cancel")),
        ("vote to end the game", AskVote("cancel")),
        ("Vote cancel: yes", AskVote("cancel", is_sure=True)),
        ("abstimmen abbrechen: ja", AskVote("cancel", is_sure=True)),
        ("voter annuler la partie : oui", AskVote("cancel", is_sure=True)),
        ("abstimmen abbrechen", AskVote("cancel")),
        ("vote annuler la partie", AskVote("cancel")),
        ("vote bot Ben", AskVote("bot", player="ben")),
        ("abstimmen Bot für Ben", AskVote("bot", player="ben")),
        ("voter robot pour Ben", AskVote("bot", player="ben")),
        ("vote bot", AskVote("bot")),
        ("vote take back", AskVote("take_back")),
        ("abstimmen zurücknehmen", AskVote("take_back")),
        ("abstimmen: meinen letzten Zug zurücknehmen", AskVote("take_back")),
        ("voter annuler mon coup", AskVote("take_back")),
        ("vote resume", AskVote("resume")),
        ("abstimmen Pause beenden", AskVote("resume")),
        ("vote reprendre", AskVote("resume")),
        ("vote annuler", AskVote(None)),
        ("vote for me!", AskVote(None)),
    ],
)
def test_a_line_that_asks_for_a_vote_is_read(line: str, command: AskVote) -> None:
    assert commands.parse(line) == command


def vote_of(game: Game) -> int:
    vote = log_of(game).vote
    assert vote is not None
    return vote.seq


def outcomes(game: Game) -> list[str]:
    events = (entry.event for entry in log_of(game).entries)
    return [event.outcome for event in events if isinstance(event, table_events.VoteSettled)]


@pytest.mark.parametrize(
    ("yes", "status"),
    [
        *((word, Game.Status.ABORTED) for word in ("yes", "Ja!", "oui", "Yes please", "👍")),
        *((word, Game.Status.RUNNING) for word in ("no", "Nein.", "non merci", "👎")),
    ],
)
def test_yes_or_no_answers_the_email_of_a_vote(
    game: Game, alice: User, bob: User, yes: str, status: Game.Status
) -> None:
    assert Post(game, bob).write("vote cancel").outcome == Outcome.ORDERED
    row = Post(game, alice).write(yes, seq=vote_of(game))
    assert row.outcome == Outcome.ORDERED
    assert fresh(game).status == status
    assert log_of(game).vote is None
    assert verify_game(game.pk)[2] == []


def test_yes_to_a_vote_plays_no_move_that_was_offered(game: Game, alice: User, bob: User) -> None:
    Post(game, bob).write("vote cancel")
    seq, post = vote_of(game), Post(game, alice)
    offered = post.write(f"I would like to play {line_of(game)}")
    assert offered.offer
    assert offered.answer is not None
    row = post.write("yes", seq=seq, head=f"In-Reply-To: {offered.answer.message_id}")
    assert row.outcome == Outcome.ORDERED
    assert fresh(game).status == Game.Status.ABORTED
    assert len(log_of(game).moves) == 1, "nothing but the setup"


def test_yes_to_a_vote_that_is_over_plays_no_move_either(
    game: Game, alice: User, bob: User
) -> None:
    Post(game, bob).write("vote cancel")
    seq, post = vote_of(game), Post(game, alice)
    post.write("no", seq=seq)
    post.write(f"I would like to play {line_of(game)}")
    row = post.write("yes", seq=seq)
    assert row.outcome == Outcome.REFUSED
    assert "End the game without a result” did not pass: someone said no" in one_line(
        post.answer().text
    )
    assert len(log_of(game).moves) == 1


def test_yes_to_another_email_is_no_vote(game: Game, alice: User, bob: User) -> None:
    Post(game, bob).write("vote cancel")
    assert Post(game, alice).write("yes").outcome == Outcome.UNCLEAR
    assert log_of(game).vote is not None


def test_an_answer_to_a_vote_ends_an_offer(game: Game, alice: User, bob: User) -> None:
    Post(game, bob).write("vote cancel")
    seq, post = vote_of(game), Post(game, alice)
    offered = post.write(f"I would like to play {line_of(game)}")
    assert offered.answer is not None
    post.write("no", seq=seq)
    row = post.write("yes", head=f"In-Reply-To: {offered.answer.message_id}")
    assert row.outcome == Outcome.REFUSED
    assert "You’ve written something else since this question." in one_line(post.answer().text)


def test_something_else_below_a_vote_is_asked_about(game: Game, alice: User, bob: User) -> None:
    Post(game, bob).write("vote cancel")
    post = Post(game, alice)
    assert post.write("why do you ask?", seq=vote_of(game)).outcome == Outcome.REFUSED
    assert "Answer “yes” or “no”" in one_line(post.answer().text)
    assert log_of(game).vote is not None


def test_a_forwarded_email_does_not_vote(game: Game, bob: User) -> None:
    Post(game, bob).write("vote cancel")
    row = Post(game, User.objects.get(display_name="Alice")).write(
        "yes", seq=vote_of(game), sender="mallory@example.org"
    )
    assert row.outcome == Outcome.STRANGER
    assert log_of(game).vote is not None


def test_an_automatic_reply_that_says_yes_does_not_vote(game: Game, alice: User, bob: User) -> None:
    Post(game, bob).write("vote cancel")
    row = Post(game, alice).write("yes", seq=vote_of(game), head="Auto-Submitted: auto-replied")
    assert row.outcome not in (Outcome.ORDERED, Outcome.PLAYED)
    assert log_of(game).vote is not None


def test_the_vote_of_an_unverified_sender_waits_for_a_button(
    game: Game, alice: User, bob: User
) -> None:
    Post(game, bob).write("vote cancel")
    row = Post(game, alice).write("yes", seq=vote_of(game), results=None)
    assert row.outcome == Outcome.CONFIRM
    assert log_of(game).vote is not None
    found = confirmation.find(row.pk)
    assert found is not None
    assert found.sentences == ("Agree to the vote.",)
    done = confirmation.confirm(row.pk)
    assert done is not None
    assert done.problem == ""
    assert fresh(game).status == Game.Status.ABORTED


def test_a_table_pauses_and_takes_back_by_replies_alone(game: Game, alice: User, bob: User) -> None:
    first = Post(game, alice)
    first.move()
    assert first.write("vote take back").outcome == Outcome.ORDERED
    assert Post(game, bob).write("yes", seq=vote_of(game)).outcome == Outcome.ORDERED
    assert fresh(game).to_act == [0]
    assert Post(game, bob).write("vote pause until tomorrow").outcome == Outcome.ORDERED
    assert first.write("oui", seq=vote_of(game)).outcome == Outcome.ORDERED
    assert fresh(game).status == Game.Status.PAUSED
    assert Post(game, bob).write("vote resume").outcome == Outcome.ORDERED
    first.write("ja", seq=vote_of(game))
    assert fresh(game).status == Game.Status.RUNNING
    assert outcomes(game) == ["passed"] * 3
    assert verify_game(game.pk)[2] == []


def test_a_late_player_is_named(alice: User, bob: User, carol: User) -> None:
    game = table_of(alice, bob, carol, timeout_policy="wait")
    miss_deadline(game)
    post = Post(game, bob)
    assert post.write("vote bot Zoe").outcome == Outcome.REFUSED
    assert post.write("vote bot Carol").outcome == Outcome.REFUSED
    assert post.write("vote bot alice").outcome == Outcome.ORDERED
    Post(game, carol).write("ja", seq=vote_of(game))
    assert game.seats.get(number=0).is_bot


@pytest.mark.parametrize("line", ["vote pause", "vote dance", "vote"])
def test_a_vote_that_we_do_not_know_is_answered_with_those_that_we_know(
    game: Game, bob: User, line: str
) -> None:
    post = Post(game, bob)
    assert post.write(line).outcome == Outcome.REFUSED
    assert "vote pause until 3 January" in one_line(post.answer().text)


def test_the_outcome_is_in_the_next_email(game: Game, alice: User, bob: User) -> None:
    Post(game, bob).write("vote cancel")
    Post(game, alice).write("no", seq=vote_of(game))
    play_one(game)
    mail = one_line(written(row_for(game, Kind.TURN, bob)).text)
    assert "The vote “End the game without a result” did not pass: someone said no." in mail


# -- quotations --------------------------------------------------------------------------------


def emails_of_votes(game: Game, alice: User, bob: User) -> Iterator[Read]:
    """To Alice: each vote, each answer to her replies about votes, and how they ended."""
    mine, theirs = Post(game, alice), Post(game, bob)
    for asked in ("vote cancel", "vote take back"):
        theirs.write(asked)
        yield written(row_for(game, Kind.VOTE, alice))
        mine.write("why?", seq=vote_of(game))
        yield mine.answer()
        mine.write("no", seq=vote_of(game))
        yield mine.answer()
    for asked in ("vote pause until tomorrow", "vote dance", "vote bot Bob", "help"):
        mine.write(asked)
        yield mine.answer()
    seq = vote_of(game)
    theirs.write("no", seq=seq)
    for late in ("no", "yes"):
        mine.write(late, seq=seq)
        yield mine.answer()


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_emails_about_votes_that_are_sent_back_are_neither_moves_nor_votes(
    alice: User, bob: User, language: str
) -> None:
    User.objects.filter(pk=alice.pk).update(language=language)
    game = play_turns(table_of(alice, bob), 4)
    log = log_of(game)
    view = log.engine.rules.view(log.state, 0)
    assert len(STYLES) == 12
    mails = list(emails_of_votes(game, alice, bob))
    read_as = [
        (mail.text[:60], style, found)
        for mail in mails
        for style in STYLES
        if (found := meaning(reply(mail, style), log, view))
    ]
    assert read_as == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("vote pause until tomorrow", "During the pause, nobody can move"),
        ("vote cancel", "The game then ends"),
        ("vote take back", "The game then goes back"),
    ],
)
def test_the_email_of_a_vote_says_what_would_happen_not_what_has_happened(
    alice: User, bob: User, line: str, said: str
) -> None:
    game = play_turns(table_of(alice, bob), 4)
    Post(game, bob).write(line)
    assert said in one_line(written(row_for(game, Kind.VOTE, alice)).text)


def test_a_game_with_bots_only_ends_by_its_own_words(alice: User) -> None:
    game = table_of(alice, bots=1)
    post = Post(game, alice)
    row = post.write("vote cancel")
    assert row.outcome == Outcome.REFUSED
    assert "reply “vote cancel: yes”" in one_line(post.answer().text)
    post.write("yes")
    assert fresh(game).status == Game.Status.RUNNING
    assert post.write("vote cancel: yes").outcome == Outcome.ORDERED
    assert fresh(game).status == Game.Status.ABORTED


def test_a_player_takes_the_seat_back_that_the_host_gave_to_a_bot(
    game: Game, alice: User, bob: User
) -> None:
    Game.objects.filter(pk=game.pk).update(host=bob)
    miss_deadline(game)
    services.moderate_hand_seat(game_id=game.pk, ruling=services.Ruling(bob, "gone"), seat=0)
    to = parseaddr(written(row_for(game, Kind.MISSED, alice))["Reply-To"])[1]
    assert arrive(reply_email("take my seat back", to, alice.email), to).outcome == Outcome.ORDERED
    assert game.seats.get(number=0).user == alice
