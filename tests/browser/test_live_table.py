"""An open page follows its table: nobody has to reload it."""

from playwright.sync_api import Page, expect

from games import services
from games.models import User
from tests.factories import play_one, table_of

from .people import Enter, enter, table

__all__ = ["enter"]


def look_again(page: Page) -> None:
    """Come back to the window, so that the test need not wait for the next round."""
    page.evaluate("dispatchEvent(new Event('focus'))")


def test_the_page_shows_a_move_of_another_player(enter: Enter, alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    page = enter(bob)
    page.goto(table(game))
    expect(page.locator(".turn")).to_contain_text("Alice is to move")
    page.evaluate("window.same = true")
    play_one(game)
    look_again(page)
    expect(page.locator(".turn")).to_contain_text("It is your turn")
    expect(page).to_have_title("● " + page.title().removeprefix("● "))
    expect(page.locator("#news")).to_contain_text("It is your turn")
    assert page.evaluate("window.same"), "the page was not loaded again"


def test_a_note_stays_when_the_page_is_refreshed(
    enter: Enter, alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    page = enter(alice)
    page.goto(table(game))
    for question in ("figure", "landing"):
        page.locator(f"#orders input[name={question}]").first.check()
        expect(page.locator(f"#orders input[name={question}]:checked")).to_have_count(1)
    page.locator("#orders details.note summary").click()
    page.locator("#note").fill("Hello")
    page.locator("#note").blur()
    services.moderate_extend(game_id=game.pk, by=mona, reason="A storm", days=2)
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
