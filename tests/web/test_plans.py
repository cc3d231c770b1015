"""The plan for the next turn on the page, and in the emails to its owner."""

import re

import pytest

from games import services
from games.models import Game, OutboxMail, User
from tests.factories import fresh, log_of, play_one, play_turns, table_of
from tests.support.atlantis_plans import dear, plan_of, send
from tests.support.emails import Kind, written
from tests.support.pages import complete_move, page_of, signed_in, text, url
from tests.support.replies import one_line

pytestmark = pytest.mark.django_db


@pytest.fixture
def game(alice: User, bob: User, carol: User) -> Game:
    """Everybody has moved once; it is Alice's turn."""
    return play_turns(table_of(alice, bob, carol), 3)


def test_who_waits_plans_on_the_board_and_saves_it(
    game: Game, alice: User, bob: User, carol: User
) -> None:
    page = page_of(game, bob)
    assert "Plan ahead" in page and "visible only to you" in page
    page, form = complete_move(game, bob)
    assert form["line"].startswith("plan ") and "at most" in form["line"]
    saved = signed_in(bob).post(url(game, "play"), form, follow=True)
    assert "Saved. You can change it at any time." in text(saved)
    again = page_of(game, bob)
    assert "Your plan:" in again and "Delete the plan" in again
    assert "Your plan:" not in page_of(game, alice)
    assert "Dein Plan:" not in page_of(game, carol)
    play_one(game)
    assert "This was played as planned." in page_of(game, alice)


def test_a_plan_is_deleted_on_the_page(game: Game, bob: User) -> None:
    send(game, bob, plan_of(game, bob))
    form = {"line": "no plan", "version": str(fresh(game).version)}
    assert 'value="no plan"' in page_of(game, bob, "?do=none")
    signed_in(bob).post(url(game, "play"), form)
    assert log_of(game).state.plans[1] is None


def test_one_sent_once_the_turn_has_begun_shows_the_same_move_to_confirm(
    game: Game, bob: User
) -> None:
    line, version = plan_of(game, bob), fresh(game).version
    play_one(game)
    answer = signed_in(bob).post(url(game, "play"), {"line": line, "version": str(version)})
    assert answer.status_code == 422
    assert "Your turn has begun" in text(answer) and 'id="orders"' in text(answer)
    assert fresh(game).to_act == [1]


def test_a_plan_that_did_not_fit_says_why_on_the_page_and_in_the_email_of_the_turn(
    game: Game, alice: User, bob: User
) -> None:
    send(game, bob, dear(game, bob))
    play_one(game)
    why = "Your plan did not fit. Line 1 ("
    assert why in page_of(game, bob) and why not in page_of(game, alice)
    (mail,) = OutboxMail.objects.filter(kind=Kind.TURN, seat=1, seq=fresh(game).version)
    assert why in one_line(written(mail).text)
    play_one(game)
    assert why not in page_of(game, bob)


def test_its_owner_gets_one_email_with_the_move_and_the_cards_drawn(game: Game, bob: User) -> None:
    send(game, bob, plan_of(game, bob))
    before = set(OutboxMail.objects.values_list("pk", flat=True))
    play_one(game)
    mails = OutboxMail.objects.exclude(pk__in=before)
    assert sorted((mail.kind, mail.seat) for mail in mails) == [("planned", 1), ("turn", 2)]
    said = one_line(written(mails.get(kind=Kind.PLANNED)).text)
    assert "Your plan was played." in said and "as planned" in said and "Drew" in said
    assert "reply “plan”" in said


def test_after_the_game_everybody_reads_the_lines_that_were_not_used(
    game: Game, alice: User, bob: User, mona: User
) -> None:
    send(game, bob, dear(game, bob))
    play_one(game)
    left = "Bob made a plan for the next turn. 1. Figure"
    assert left not in one_line(page_of(game, alice))
    services.moderate_abort(game_id=game.pk, ruling=services.Ruling(mona, "Enough."))
    assert left in one_line(page_of(game, alice))


@pytest.mark.parametrize(
    ("language", "exactly"),
    [
        ("en", "is played as planned only if it is exactly what you saw"),
        ("de", "nur dann wie geplant gespielt, wenn er genau dem entspricht, was du gesehen hast"),
        ("fr", "n’est joué comme prévu que s’il donne exactement ce que vous avez vu"),
    ],
)
def test_the_rules_say_what_as_planned_means_and_who_sees_it(
    alice: User, language: str, exactly: str
) -> None:
    User.objects.filter(pk=alice.pk).update(language=language)
    page = text(signed_in(alice).get("/rules/atlantis/"))
    assert 'href="#plan"' in page and 'id="plan"' in page
    assert exactly in page


def test_the_email_of_a_plan_tells_what_the_others_did_before_it(game: Game, bob: User) -> None:
    send(game, bob, plan_of(game, bob))
    play_one(game)
    (mail,) = OutboxMail.objects.filter(kind=Kind.PLANNED)
    found = written(mail)
    for said in (one_line(found.text), found.words):
        played, _plan, before = said.partition("Before that")
        assert "Bob played" in played and "Alice played" in before
    assert re.search(r"<h1[^>]*>\s*Your plan was played\s*</h1>", found.html)


def test_a_move_typed_while_waiting_is_answered_with_how_to_plan_it(game: Game, bob: User) -> None:
    line = plan_of(game, bob).removeprefix("plan ").partition(",")[0]
    assert "write: plan " in page_of(game, bob, f"?typed={line}")
