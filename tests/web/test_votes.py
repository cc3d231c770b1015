"""Votes on the page of a table, for those who may vote and for those who may not."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from games import services
from games.log import table_events
from games.models import Game, User
from tests.factories import fresh, log_of, miss_deadline, play_one, table_of
from tests.support.pages import page_of, signed_in, text, url
from tests.support.turn_links import turn_link_browser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table")]


def ask(game: Game, user: User, **form: object) -> str:
    """Ask for a vote on the page; what the page says then."""
    answer = signed_in(user).post(f"{url(game)}vote", form, follow=True)
    return text(answer)


def test_the_vote_stands_below_the_form_and_a_link_above_it(
    game: Game, alice: User, bob: User
) -> None:
    day = (timezone.now() + timedelta(days=5)).date().isoformat()
    assert "The others are asked now" in ask(game, bob, about="pause", until=day)
    page = page_of(game, alice)
    assert page.index('href="#vote"') < page.index("Your move")
    assert page.index("Your move") < page.index("Bob asked for a pause until")
    assert "Yes, I agree" in page
    mine = page_of(game, bob)
    assert "Yes, I agree" not in mine
    assert "Change my answer to no" in mine
    assert "<summary>You’ve agreed. Vote: Pause the game</summary>" in mine


def test_spectators_read_the_vote_and_cannot_answer(game: Game, bob: User, dave: User) -> None:
    ask(game, bob, about="cancel")
    page = page_of(game, dave)
    assert "Bob asked to end the game without a result." in page
    assert "Yes, I agree" not in page
    log = log_of(game)
    assert log.vote is not None
    form = {"vote": log.vote.seq, "answer": "yes"}
    answer = signed_in(dave).post(f"{url(game)}vote/answer", form, follow=True)
    assert "You are not a player" in text(answer)


@pytest.mark.parametrize(
    ("answer", "status"), [("yes", Game.Status.ABORTED), ("no", Game.Status.RUNNING)]
)
def test_a_button_answers_the_vote(
    game: Game, alice: User, bob: User, answer: str, status: Game.Status
) -> None:
    ask(game, bob, about="cancel")
    vote = log_of(game).vote
    assert vote is not None
    form = {"vote": vote.seq, "answer": answer}
    signed_in(alice).post(f"{url(game)}vote/answer", form)
    assert fresh(game).status == status
    later = text(signed_in(alice).post(f"{url(game)}vote/answer", form, follow=True))
    assert "The vote “End the game without a result” " in later


def test_a_get_asks_for_nothing_and_answers_nothing(game: Game, alice: User, bob: User) -> None:
    ask(game, bob, about="cancel")
    version = fresh(game).version
    for path in ("vote", "vote/answer"):
        signed_in(alice).get(f"{url(game)}{path}?about=pause&answer=yes")
    assert fresh(game).version == version


def test_a_day_that_is_none_is_explained(game: Game, bob: User) -> None:
    assert "Choose the day" in ask(game, bob, about="pause", until="soon")
    assert "There is no such vote" in ask(game, bob, about="dance")


def test_each_possible_vote_has_a_form_among_the_details(
    game: Game, alice: User, bob: User
) -> None:
    play_one(game)
    page = text(signed_in(alice).get(f"{url(game)}?details=all"))
    for title in ("Pause the game", "Take back a move", "End the game without a result"):
        assert title in page
    other = text(signed_in(bob).get(f"{url(game)}?details=all"))
    assert "Take back a move" not in other


def test_the_link_of_a_turn_email_does_not_vote(game: Game, alice: User, bob: User) -> None:
    ask(game, bob, about="cancel")
    browser = turn_link_browser(game, alice)
    page = text(browser.get(url(game)))
    assert "Bob asked to end the game without a result." in page
    assert "Yes, I agree" not in page
    vote = log_of(game).vote
    assert vote is not None
    browser.post(f"{url(game)}vote/answer", {"vote": vote.seq, "answer": "yes"})
    browser.post(f"{url(game)}vote", {"about": "pause"})
    assert fresh(game).status == Game.Status.RUNNING
    assert log_of(game).vote == vote


def test_before_a_move_is_taken_back_everybody_reads_what_was_drawn(
    game: Game, alice: User, bob: User
) -> None:
    play_one(game)
    services.vote_open(game_id=game.pk, user=alice, about="take_back")
    page = page_of(game, bob)
    assert "What has become known since that position:" in page
    assert "Alice drew" in page


def test_a_visitor_signs_in_before_voting(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    answer = Client().post(f"{url(game)}vote", {"about": "cancel"})
    assert answer.status_code == 302
    assert not any(
        isinstance(entry.event, table_events.VoteOpened) for entry in log_of(game).entries
    )


def test_where_the_host_is_late_the_page_offers_a_vote(alice: User, bob: User) -> None:
    game = table_of(alice, bob, pace_days=1, timeout_policy="wait")
    button = "Call a vote: Bot for Alice, who is late"
    assert button not in page_of(game, bob)
    assert miss_deadline(game) == 0
    page = " ".join(page_of(game, bob).split())
    assert button in page
    assert "Ask the host to step in" not in page
    answer = signed_in(bob).post(f"{url(game)}call-host", follow=True)
    assert "The host cannot be reached. Call a vote instead" in text(answer)
    assert "Done: everyone with a vote has agreed." in ask(game, bob, about="bot", late=0)
    assert game.seats.get(number=0).is_bot


def test_neither_the_host_nor_the_late_player_is_offered_a_vote_about_a_bot(
    alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, bob, carol, pace_days=1, timeout_policy="wait")
    play_one(game)
    assert miss_deadline(game) == 1
    assert "Call a vote: Bot" not in page_of(game, alice)
    assert "Call a vote: Bot" not in page_of(game, bob)
    page = " ".join(page_of(game, carol).split())
    assert "Abstimmen lassen: Bot für Bob" in page


def test_a_game_with_bots_only_ends_after_a_tick(alice: User) -> None:
    game = table_of(alice, bots=1)
    page = page_of(game, alice, "?details=all")
    assert "There is nobody else to ask, so it happens at once." in page
    assert "Each player gets an email" not in page
    assert "tick the box" in ask(game, alice, about="cancel")
    assert fresh(game).status == Game.Status.RUNNING
    ask(game, alice, about="cancel", sure="1")
    assert fresh(game).status == Game.Status.ABORTED
