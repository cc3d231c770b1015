"""An open page follows its table: nobody has to reload it."""

import re

import pytest
from playwright.sync_api import Page

from games import services
from games.models import User
from tests.factories import fresh, play_one, play_turns, table_of
from tests.support.escape_games import escape_table

from .expectations import expect
from .people import Enter, answer, hold_request, instant, table


def look_again(page: Page) -> None:
    """Come back to the window, so that the test need not wait for the next round."""
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def test_the_page_shows_a_move_of_another_player(enter: Enter, alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    page = enter(bob)
    page.goto(table(game))
    expect(page.locator(".turn")).to_contain_text("Alice is to move")
    page.evaluate("window.same = true")
    play_one(game)
    look_again(page)
    expect(page.locator(".turn")).to_contain_text("It’s your turn")
    expect(page).to_have_title("● " + page.title().removeprefix("● "))
    expect(page.locator("#news")).to_contain_text("It’s your turn")
    assert page.evaluate("window.same"), "the page was not loaded again"


def test_the_page_says_who_resigned(enter: Enter, alice: User, bob: User) -> None:
    game = table_of(bob, alice, resign_policy="bot")
    page = enter(alice, reduced_motion="no-preference")
    page.goto(table(game))
    services.game_resign(game_id=game.pk, user=bob)
    look_again(page)
    expect(page.locator("#news")).to_contain_text("Bob resigned. A bot takes over.")
    expect(page.locator("#seats")).to_contain_text("Bob resigned")


@pytest.mark.usefixtures("event_process")
def test_moves_appear_by_themselves_and_what_was_typed_stays(
    enter: Enter, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    page = enter(bob, reduced_motion="no-preference")
    page.goto(table(game))
    page.wait_for_selector("html[data-live=stream]")
    icon = page.locator("link[rel=icon]")
    assert "logo-turn" not in (icon.get_attribute("href") or "")
    page.evaluate("window.same = true")
    play_one(game)
    expect(page.locator(".turn")).to_contain_text("It’s your turn")
    expect(page).to_have_title(re.compile("^● "))
    assert "logo-turn" in (icon.get_attribute("href") or "")
    sentence = page.locator("#log li.line p").first.inner_text().partition(".")[0]
    expect(page.locator("#news")).to_contain_text(sentence)
    page.locator("#orders details.typed summary").click()
    page.locator("#typed").fill("A fish")
    play_one(game)
    expect(page.locator(".turn")).to_contain_text("Alice is to move")
    play_one(game)
    expect(page.locator("#typed")).to_have_value("A fish")
    assert page.evaluate("window.same"), "the page was not loaded again"


@pytest.mark.usefixtures("event_process")
def test_the_first_page_shows_whose_turn_it_is(enter: Enter, alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    page = enter(bob)
    page.goto("/")
    page.wait_for_selector("html[data-live=stream]")
    expect(page.locator("li.game-row .now")).to_contain_text("Alice (to move)")
    play_one(game)
    expect(page.locator("li.game-row.mine")).to_be_visible()
    expect(page).to_have_title(re.compile("^● "))


def test_a_note_stays_when_the_page_is_refreshed(
    enter: Enter, alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    page = enter(alice)
    page.goto(table(game))
    for question in ("figure", "landing"):
        answer(page, question)
        expect(page.locator(f"#orders input[name={question}]:checked")).to_have_count(1)
    page.locator("#orders details.note summary").click()
    page.locator("#note").fill("Hello")
    page.locator("#note").blur()
    services.moderate_extend(game_id=game.pk, days=2, ruling=services.Ruling(mona, "A storm"))
    look_again(page)
    expect(page.get_by_text("A storm")).to_be_visible()
    expect(page.locator("#note")).to_have_value("Hello")


def test_the_lobby_page_leads_to_the_game_when_it_starts(
    enter: Enter, alice: User, bob: User
) -> None:
    game = table_of(alice, seats=2)
    page = enter(alice)
    page.goto(table(game))
    expect(page.get_by_text("1 of 2 seats taken")).to_be_visible()
    services.game_join(game_id=game.pk, user=bob, token=game.invite_token)
    look_again(page)
    expect(page.locator("#board")).to_be_visible()
    instant(page)
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()


def test_the_invitation_link_can_be_copied_after_somebody_has_joined(
    enter: Enter, alice: User, bob: User
) -> None:
    game = table_of(alice, seats=3)
    page = enter(alice)
    page.goto(table(game))
    services.game_join(game_id=game.pk, user=bob, token=game.invite_token)
    look_again(page)
    expect(page.get_by_role("heading", name="2 of 3 seats taken")).to_be_visible()
    expect(page.get_by_role("button", name="Copy")).to_be_visible()


def test_what_is_chosen_while_news_arrive_stays(
    enter: Enter, alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    page = enter(alice)
    page.goto(table(game))
    instant(page)
    held_request = hold_request(page, table(game))
    services.moderate_extend(game_id=game.pk, days=2, ruling=services.Ruling(mona, "A storm"))
    page.evaluate("document.dispatchEvent(new Event('newer'))")
    request = held_request()
    old = request.fetch()  # the page before the choice
    answer(page, "landing")
    request.fulfill(response=old)
    expect(page.get_by_text("A storm")).to_be_visible()
    expect(page.locator("#orders input[name=landing]:checked")).to_have_count(1)
    expect(page.locator("#confirm")).to_be_visible()


def test_news_leave_an_enlarged_board_as_it_is(
    enter: Enter, alice: User, bob: User, mona: User
) -> None:
    """On a crowded board in a small window, which is enlarged by keys, and by a tap beside
    pieces."""
    game = play_turns(escape_table(alice, bob), 40)
    reader = (alice, bob)[fresh(game).to_act[0]]
    page = enter(reader, viewport={"width": 360, "height": 740})
    page.goto(table(game))
    instant(page)
    board = page.locator("#board > svg")
    whole = board.get_attribute("viewBox") or ""
    for reason in ("A storm", "A flood"):
        if reason == "A storm":
            page.keyboard.press("+")
        else:
            page.get_by_role("button", name="Whole board").click()
            box = board.bounding_box()
            assert box is not None
            page.mouse.click(box["x"] + 8, box["y"] + 150)
        expect(board).not_to_have_attribute("viewBox", whole)
        enlarged = board.get_attribute("viewBox") or ""
        services.moderate_extend(game_id=game.pk, days=2, ruling=services.Ruling(mona, reason))
        with page.expect_response("**/choices*"):
            page.evaluate("document.dispatchEvent(new Event('newer'))")
        expect(page.get_by_text(reason)).to_be_visible()
        instant(page)
        expect(board).to_have_attribute("viewBox", enlarged)
