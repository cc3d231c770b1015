"""Votes on a phone without JavaScript, and axe on the block of a vote."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import translation
from django.utils.translation import gettext as _

from games import services
from games.models import Game, User
from tests.factories import fresh, log_of, miss_deadline, play_one, table_of
from tests.support.lengths import by_length

from .audits import look
from .expectations import expect
from .people import Enter, table

PHONE = {"width": 360, "height": 740}


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


def test_an_open_vote_does_not_push_the_form_of_the_turn_away(
    enter: Enter, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    services.vote_open(game_id=game.pk, user=bob, about="cancel")
    page = enter(alice, viewport={"width": 1366, "height": 768})
    page.goto(table(game))
    expect(page.locator("#orders")).to_be_in_viewport()
    form, vote = (page.locator(part).bounding_box() for part in ("#orders", "#vote"))
    assert form is not None
    assert vote is not None
    assert form["y"] + form["height"] <= vote["y"]
    page.get_by_role("link", name="1 vote").click()
    page.get_by_role("button", name="No", exact=True).click()
    expect(page.locator("#vote .card")).to_have_count(0)


def test_a_vote_that_one_has_answered_is_one_line(enter: Enter, alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    services.vote_open(game_id=game.pk, user=bob, about="cancel")
    page = enter(bob, viewport={"width": 1366, "height": 768})
    page.goto(table(game))
    expect(page.locator("#vote")).to_contain_text("You’ve agreed.")
    box = page.locator("#vote").bounding_box()
    assert box is not None
    assert box["height"] < 90
    page.locator("#vote summary").click()
    expect(page.get_by_role("button", name="Change my answer to no")).to_be_visible()


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
