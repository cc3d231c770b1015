"""Votes on a phone without JavaScript, and axe on the block of a vote."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import translation
from django.utils.translation import gettext as _
from playwright.sync_api import Page

from games import services
from games.models import Game, User
from tests.factories import fresh, log_of, miss_deadline, play_one, play_turns, table_of
from tests.support.escape_games import escape_table
from tests.support.lengths import by_length

from .audits import look
from .expectations import expect
from .people import Enter, instant, table

PHONE = {"width": 360, "height": 740}
LAPTOP = {"width": 1366, "height": 768}


def test_a_pause_is_voted_on_a_phone_without_javascript(
    enter: Enter, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    asks = enter(bob, viewport=PHONE, java_script_enabled=False)
    asks.goto(f"{table(game)}?details=all")
    asks.get_by_text("Call a vote").click()
    day = datetime.now(UTC).date() + timedelta(days=5)
    asks.locator("input[name=until]").fill(day.isoformat())
    asks.get_by_role("button", name="Pause the game").click()
    expect(asks.get_by_text("The others are asked now.")).to_be_visible()
    answers = enter(alice, viewport=PHONE, java_script_enabled=False)
    answers.goto(table(game))
    answers.get_by_role("button", name="Yes, I agree").click()
    expect(answers.get_by_text("You’ve agreed.")).to_be_visible()
    assert fresh(game).status == Game.Status.PAUSED
    assert answers.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("make", [table_of, escape_table])
def test_on_ones_own_turn_hand_and_question_are_on_the_first_screen_with_an_open_vote(
    enter: Enter, alice: User, bob: User, carol: User, make: Callable[..., Game]
) -> None:
    game = play_turns(make(alice, bob, carol), 6)
    User.objects.update(language="de")  # whose questions are longer
    Game.objects.update(name="Sunday evening with the cousins")
    players = [alice, bob, carol]
    player = players.pop(fresh(game).to_act[0])
    services.vote_open(game_id=game.pk, user=players[0], about="cancel")
    page = enter(player, viewport=LAPTOP, locale="de")
    page.goto(table(game))
    assert_turn_on_the_first_screen(page)
    page.get_by_role("link", name="1 Abstimmung").click()
    page.get_by_role("button", name="Ja, ich stimme zu").click()
    expect(page.locator("#vote")).to_contain_text("Du hast zugestimmt.")
    page.goto(table(game))
    assert_turn_on_the_first_screen(page)


def assert_turn_on_the_first_screen(page: Page) -> None:
    instant(page)
    for part in ("#hand", "#orders legend >> visible=true"):
        expect(page.locator(part).last).to_be_in_viewport(ratio=1)
    boxes = [page.locator(part).bounding_box() for part in ("#orders", "#vote", ".counts")]
    form, vote, counts = boxes
    assert form and vote and counts
    assert form["y"] + form["height"] <= vote["y"]
    assert counts["height"] < 40  # one line


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_a_vote_that_one_has_answered_is_one_line(
    enter: Enter, alice: User, bob: User, language: str
) -> None:
    User.objects.update(language=language)
    game = table_of(alice, bob)
    services.vote_open(game_id=game.pk, user=bob, about="cancel")
    page = enter(bob, viewport=LAPTOP, locale=language)
    page.goto(table(game))
    summary, no = page.locator("#vote summary"), page.locator("#vote button[value=no]")
    expect(no).to_be_hidden()
    lines = summary.evaluate("s => s.clientHeight / parseFloat(getComputedStyle(s).lineHeight)")
    assert lines < 2
    summary.click()
    expect(no).to_be_visible()
    assert summary.evaluate("s => s.scrollWidth <= s.clientWidth")


@pytest.mark.long
@pytest.mark.parametrize("language", by_length(["de"], ["en", "de", "fr"]))
def test_the_block_of_a_vote_is_accessible(
    enter: Enter, alice: User, bob: User, language: str
) -> None:
    User.objects.filter(pk=bob.pk).update(language=language)
    game = table_of(alice, bob)
    play_one(game)
    page = enter(bob, locale=language)
    look(page, f"{table(game)}?details=all")
    services.vote_open(game_id=game.pk, user=alice, about="take_back")
    assert log_of(game).vote is not None
    look(page, table(game), dark=True)
    with translation.override(language):
        expect(page.get_by_role("button", name=_("Yes, I agree"))).to_be_visible()
    late_host = table_of(alice, bob, pace_days=1, name="Waiting for Alice")
    miss_deadline(late_host)
    look(page, table(late_host), dark=True)
    expect(page.locator("#call-host button")).to_contain_text("Alice")
