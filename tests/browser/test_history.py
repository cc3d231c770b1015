"""Looking back at a game: a slider through its positions, all moves in a row, one player's
lines."""

import re

import pytest
from playwright.sync_api import ViewportSize

from games.models import User
from tests.factories import fresh, play_one, play_turns, table_of
from tests.support.escape_games import escape_table

from .expectations import expect
from .people import Enter, instant, table


def test_a_slider_shows_positions_and_plays_moves_and_the_log_shows_one_player(
    enter: Enter, alice: User, bob: User, dave: User
) -> None:
    page = enter(dave)
    page.goto(table(play_turns(table_of(alice, bob), 4)))
    steps = page.locator(".position-nav")
    slider = page.get_by_role("slider", name="Move")
    expect(slider).to_have_value("4")
    now = page.locator("#board > svg desc").text_content()
    slider.press("Home")
    expect(steps).to_contain_text("move 0 of 4")
    expect(page.locator("#board > svg desc")).not_to_have_text(now or "")
    assert "/at/" in page.url
    slider.press("End")
    slider.press("ArrowLeft")
    expect(steps).to_contain_text("move 3 of 4")
    page.get_by_role("button", name="Play all moves").click()
    expect(steps).to_contain_text("move 4 of 4")
    expect(page.get_by_role("button", name="Play all moves")).to_be_visible()
    expect(page.locator("#board > svg desc")).to_have_text(now or "")

    page.locator("#by-1").check()
    expect(page.locator("#log .line.seat-1:visible")).not_to_have_count(0)
    expect(page.locator("#log .line:not(.seat-1):visible")).to_have_count(0)


def test_heading_and_log_follow_the_slider(
    enter: Enter, alice: User, bob: User, dave: User
) -> None:
    page = enter(dave)
    page.goto(table(play_turns(table_of(alice, bob), 4)))
    lines = page.locator("#log .line.seat-0, #log .line.seat-1")
    expect(lines).to_have_count(4)
    page.locator("#by-1").check()
    page.get_by_role("slider", name="Move").press("Home")
    expect(page.locator(".turn")).to_have_text("Position after move 0 of 4")
    expect(lines).to_have_count(0)
    expect(page.locator("#by-1")).to_be_checked()


@pytest.mark.parametrize("size", [(360, 740), (768, 1024)])
@pytest.mark.parametrize("kind", ["atlantis", "escape"])
def test_the_turn_line_replays_the_moves_since_ones_own_and_returns(
    enter: Enter, alice: User, bob: User, kind: str, size: tuple[int, int]
) -> None:
    game = play_turns((table_of if kind == "atlantis" else escape_table)(alice, bob), 4)
    while 0 in fresh(game).to_act:
        play_one(game)
    moves = 0
    while 0 not in fresh(game).to_act:
        play_one(game)
        moves += 1
    viewport: ViewportSize = {"width": size[0], "height": size[1]}
    page = enter(alice, viewport=viewport)
    page.goto(table(game))
    instant(page)
    link = page.get_by_role("link", name=re.compile(f"{moves} moves? since yours"))
    expect(link).to_be_in_viewport(ratio=1)
    seen = []
    page.on("framenavigated", lambda frame: seen.append(frame.url))
    link.click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.locator(".turn.call")).to_be_visible()  # all moves later, at the table
    assert page.url.endswith(table(game))
    steps = [url for url in seen if "/at/" in url]
    assert len(dict.fromkeys(steps)) >= moves
