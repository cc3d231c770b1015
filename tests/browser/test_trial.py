"""A stranger tries a few turns on a real board: no account, no field, nothing stored."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page

from games.models import Game
from tests.support.lengths import combined
from tests.support.trials import a_line, address, all_lines

from .audits import look
from .expectations import expect
from .people import Enter, Friend, instant

pytestmark = pytest.mark.django_db


FIRST = {
    "atlantis": "#board a.target[id^=space]:not(.idle)",
    "escape": "#board a.target:not(.idle)",
}


def move_on_the_board(page: Page, kind: str) -> None:
    page.locator(FIRST[kind]).first.dispatch_event("click")
    page.locator("#confirm").click()


def type_a_move(page: Page, kind: str) -> None:
    lines = parse_qs(urlsplit(page.url).query)["m"]
    page.get_by_text("Type a move instead").click()
    page.locator("#typed").fill(a_line(kind, *lines))
    page.get_by_role("button", name="Preview").click()
    page.locator("#confirm").click()


def test_a_stranger_has_moved_after_three_clicks_and_no_field(enter: Enter) -> None:
    somebody = Friend(enter(None), "Somebody")
    somebody.page.goto("/")
    somebody.click(somebody.page.get_by_role("link", name="Try a turn").first)
    instant(somebody.page)
    somebody.click("#board a.target[id^=space]:not(.idle)")
    somebody.click("#confirm")
    expect(somebody.page.locator(".turn")).to_contain_text("Turn 2 of 3")
    expect(somebody.page.locator("#log li")).to_have_count(2)
    assert (somebody.clicks, somebody.fields) == (3, 0)
    assert not Game.objects.exists()
    assert not somebody.page.context.cookies()


@pytest.mark.long
@pytest.mark.parametrize(("kind", "script"), combined(["atlantis", "escape"], [True, False]))
def test_after_three_turns_the_way_leads_to_the_sign_in(
    enter: Enter, kind: str, script: bool
) -> None:
    page = enter(None, java_script_enabled=script, viewport={"width": 360, "height": 740})
    page.goto(f"/rules/{kind}/")
    page.get_by_role("link", name="Try a turn").click()
    move_on_the_board(page, kind)
    expect(page.locator("#log li").nth(1 if kind == "atlantis" else 0)).to_be_attached()
    while page.locator("#orders[data-choices]").count():
        moves = page.locator("#log li").count()
        type_a_move(page, kind)
        expect(page.locator("#log li").nth(moves)).to_be_attached()
    expect(page.get_by_role("heading", name="Would you like to play on?")).to_be_visible()
    page.locator("#orders").get_by_role("link", name="Play a whole game").click()
    expect(page.locator("[name=login]")).to_be_visible()
    assert f"game%3D{kind}" in page.url


def test_the_back_button_takes_back_a_move(enter: Enter) -> None:
    page = enter(None)
    page.goto("/try/atlantis/")
    instant(page)
    move_on_the_board(page, "atlantis")
    expect(page.locator(".turn")).to_contain_text("Turn 2 of 3")
    page.go_back()
    expect(page.locator(".turn")).to_contain_text("Turn 1 of 3")


@pytest.mark.long
@pytest.mark.parametrize(("language", "kind"), combined(["en", "de", "fr"], ["escape", "atlantis"]))
def test_it_is_whole_on_a_phone_in_each_language(enter: Enter, kind: str, language: str) -> None:
    page = enter(None, viewport={"width": 360, "height": 740}, locale=language)
    lines = all_lines(kind)
    for count in (0, 1, len(lines)):
        look(page, address(kind, *lines[:count]))
        assert page.locator("html").get_attribute("lang") == language


@pytest.mark.parametrize("width", [360, 768, 1366, 1920])
def test_the_front_page_shows_both_games_and_no_empty_list(enter: Enter, width: int) -> None:
    page = enter(None, viewport={"width": width, "height": 768})
    look(page, "/")
    games = page.locator(".games.pictured > .game")
    expect(games).to_have_count(2)
    for game in games.all():
        expect(game).to_contain_text("2 to 4 players · about")
        expect(game.get_by_role("link", name="Try a turn")).to_be_visible()
    expect(page.get_by_role("heading", name="Open tables")).to_have_count(0)


@pytest.mark.parametrize("script", [True, False])
def test_the_preview_in_words_stands_before_the_hint(enter: Enter, script: bool) -> None:
    page = enter(None, java_script_enabled=script, viewport={"width": 360, "height": 740})
    page.goto("/try/atlantis/")
    page.locator(FIRST["atlantis"]).first.dispatch_event("click")
    expect(page.locator("#preview ~ .hint")).to_be_attached()
    expect(page.locator(".hint ~ #preview")).to_have_count(0)
    if script:  # which scrolls the form
        expect(page.locator("#preview .preview")).to_be_in_viewport()
