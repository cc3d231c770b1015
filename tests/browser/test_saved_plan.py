"""A saved plan is read on the page of the table before one is asked what to do with it."""

import pytest

from games.models import Game, User
from tests.factories import play_turns, table_of
from tests.support.atlantis_plans import plan_of, send

from .audits import OUTSIDE
from .expectations import expect
from .people import Enter, table


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    """It is Alice's turn; Bob has a plan of two lines, to which a third can be added."""
    game = play_turns(table_of(alice, bob), 6)
    two, _else, _third = plan_of(game, bob).rpartition(" / else ")
    assert " / else " in two
    send(game, bob, two)
    return game


@pytest.mark.parametrize(("width", "height"), [(360, 740), (1366, 768)])
@pytest.mark.parametrize("language", ["en", "de"])
def test_each_line_of_a_plan_stands_above_the_buttons_and_all_of_them_are_on_the_screen(
    enter: Enter, game: Game, bob: User, width: int, height: int, language: str
) -> None:
    User.objects.filter(pk=bob.pk).update(language=language)
    page = enter(bob, viewport={"width": width, "height": height}, has_touch=width == 360)
    page.goto(table(game))
    picks = page.locator("#orders .pick:has([name=do])")
    plan = page.locator("#orders fieldset:has([name=do]) > small")
    expect(picks).to_have_count(3)
    _your_plan, first, second = plan.inner_text().splitlines()
    assert first.startswith("1. ") and second.startswith("2. ")
    assert page.evaluate(OUTSIDE, "#orders .pick:has([name=do])") == []
    assert page.evaluate(OUTSIDE, "#orders fieldset:has([name=do]) > small") == []
    lines, button = plan.bounding_box(), picks.first.bounding_box()
    assert lines and button and lines["y"] + lines["height"] <= button["y"]
