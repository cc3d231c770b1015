"""What a player decides with is on the first screen of a table, in windows of every size.

Hints are on, and the game of three is in its middle. What lies on the first screen is measured
without a scroll.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from games.models import Game, User
from games.rules.move_form import FormField
from tests.factories import fresh, log_of, play_one, play_turns, table_of
from tests.support.game_seeds import seeded
from tests.support.lengths import LONG, by_length

from .audits import OUTSIDE, check
from .expectations import expect
from .people import Enter, instant, table

LUCK = 5
DEAR = 5  # the price of the move in the preview
NAME = "Sunday evening with the cousins"
WIDE = [(1366, 768), (1920, 1080)]
TABLET, TELEPHONE = (768, 1024), (360, 740)
# Parts of the form that are not in its visible part.
HIDDEN_IN_FORM = """selector => {
    const { top, bottom, left, right } = document.querySelector("#orders").getBoundingClientRect()
    return [...document.querySelectorAll(selector)].filter((part) => {
        const box = part.getBoundingClientRect()
        return box.top < top || box.left < left || box.bottom > bottom + 0.5 || box.right > right
    }).map((part) => part.outerHTML)
}"""
# How far the lowest of these parts reaches below the upper edge of the form.
COVERED = """selector => Math.max(...[...document.querySelectorAll(selector)]
    .map((part) => part.getBoundingClientRect().bottom)) -
    document.querySelector("#orders").getBoundingClientRect().top"""
PATH = "#board .path, #board [id^=space-], #board a.target:not(.idle) .halo"
OWN = "#orders .held, #orders .my-hand .tile"
COINS = "#orders .coins .pick"


def moves(game: Game) -> Iterator[tuple[str, str, tuple[FormField, ...]]]:
    """(figure, landing, questions) of the moves of Alice."""
    log = log_of(game)
    ask = log.engine.presentation.forms(log.engine.rules.view(log.state, 0))
    figures = [field for field in ask({}).fields if field.name == "figure"]
    for figure in figures[0].choices if figures else ():
        landings = ask({"figure": [figure.value]}).fields[-1]
        for landing in landings.choices if landings.name == "landing" else ():
            fields = ask({"figure": [figure.value], "landing": [landing.value]}).fields
            yield figure.value, landing.value, fields


def dear_move(game: Game) -> tuple[str, str] | None:
    """(figure, landing) of a move of Alice that costs enough."""
    for figure, landing, fields in moves(game):
        if any(field.name == "pay" and field.due >= DEAR for field in fields):
            return figure, landing
    return None


@pytest.fixture
def game(alice: User, bob: User, carol: User) -> Game:
    """Alice is to move, and can make a dear move."""
    with seeded(LUCK):
        game = play_turns(table_of(alice, bob, carol, name=NAME), 15)
    while fresh(game).to_act != [0] or dear_move(game) is None:
        play_one(game)
    return fresh(game)


def open_table(enter: Enter, user: User, game: Game, size: tuple[int, int], **more: Any) -> Page:
    touch = {"has_touch": True, "is_mobile": True} if size == TELEPHONE else {}
    page = enter(user, viewport={"width": size[0], "height": size[1]}, **touch, **more)
    page.goto(table(game))
    return page


def choose(page: Page, question: str, value: str) -> None:
    pick = page.locator(f"#orders input[name={question}][value='{value}']")
    pick.dispatch_event("click")
    expect(pick).to_be_checked()


def preview(page: Page, game: Game) -> None:
    """Choose the dear move."""
    figure, landing = dear_move(game) or ("", "")
    choose(page, "figure", figure)
    choose(page, "landing", landing)
    expect(page.locator("#confirm")).to_be_visible()


def outside(page: Page, selector: str) -> list[str]:
    assert page.locator(selector).count(), f"there is no {selector}"
    assert page.evaluate("scrollY") == 0
    found: list[str] = page.evaluate(OUTSIDE, selector)
    return found


@pytest.mark.parametrize(
    ("size", "language"),
    [(WIDE[0], "fr"), (WIDE[1], "en"), *by_length((), ((WIDE[0], "de"), (WIDE[0], "en")))],
)
def test_in_a_wide_window_everything_to_decide_with_is_on_the_first_screen(
    enter: Enter, game: Game, alice: User, size: tuple[int, int], language: str
) -> None:
    User.objects.update(language=language)
    page = open_table(enter, alice, game, size)
    instant(page)
    for part in (OWN, ".player .tile", "#board > svg", "#orders .on-board legend"):
        assert outside(page, part) == []
    assert page.evaluate("document.documentElement.scrollHeight") <= 2 * size[1]
    preview(page, game)
    for part in (COINS, ".player .tile", "#board > svg", "#confirm", ".sum"):
        assert outside(page, part) == []
    assert page.evaluate("document.documentElement.scrollHeight") <= 2 * size[1]
    left = [page.locator(part).bounding_box() for part in ("#board", ".play", ".side")]
    assert all(box is not None for box in left)
    assert [box["x"] for box in left if box] == sorted({box["x"] for box in left if box})


def test_on_a_tablet_board_and_hand_are_on_the_first_screen(
    enter: Enter, game: Game, alice: User
) -> None:
    page = open_table(enter, alice, game, TABLET)
    instant(page)
    for part in (OWN, "#board > svg", "#orders .on-board legend"):
        assert outside(page, part) == []
    assert page.evaluate(COVERED, PATH) <= 0
    preview(page, game)
    assert outside(page, COINS) == []
    assert page.evaluate(COVERED, PATH) <= 0


def test_on_a_telephone_the_path_is_above_the_question_and_the_hand_in_it(
    enter: Enter, game: Game, alice: User
) -> None:
    page = open_table(enter, alice, game, TELEPHONE)
    instant(page)
    board = page.locator("#board > svg").bounding_box()
    assert board is not None and board["y"] <= 130
    assert page.evaluate(COVERED, PATH) <= 0
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    hand = page.locator("#orders .holding").evaluate(
        "hand => [hand.scrollHeight - hand.clientHeight, hand.getBoundingClientRect().bottom]"
    )
    assert hand[0] == 0 and hand[1] <= 740
    assert page.locator(".turn .short time > span").first.inner_text() == "2 d 23 h"


@pytest.mark.parametrize("nth", by_length((0, -1), range(-8, 8)))
def test_on_a_telephone_the_preview_leaves_the_landing_in_view(
    enter: Enter, game: Game, alice: User, nth: int
) -> None:
    """Also where it lies at the foot of the board."""
    page = open_table(enter, alice, game, TELEPHONE)
    instant(page)
    figures = page.locator("#orders input[name=figure]")
    choose(page, "figure", figures.nth(nth % figures.count()).get_attribute("value") or "")
    landings = page.locator("#orders input[name=landing]")
    choose(page, "landing", landings.nth(nth % landings.count()).get_attribute("value") or "")
    expect(page.locator("#confirm")).to_be_visible()
    assert page.evaluate(COVERED, "#board .chosen .halo") <= 0
    top = page.evaluate(
        "Math.min(...[...document.querySelectorAll('#board .chosen .halo')]"
        ".map((part) => part.getBoundingClientRect().top))"
    )
    assert top >= 0
    assert page.evaluate(HIDDEN_IN_FORM, "#confirm") == []
    lines = page.locator(".preview").evaluate(
        "list => list.clientHeight / parseFloat(getComputedStyle(list).lineHeight)"
    )
    assert lines <= 2.1
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def paid(page: Page) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", page.locator(".sum").inner_text())]


@pytest.mark.parametrize("size", [WIDE[0], TELEPHONE])
def test_the_payment_is_chosen_on_the_own_tiles_and_cards(
    enter: Enter, game: Game, alice: User, size: tuple[int, int]
) -> None:
    page = open_table(enter, alice, game, size)
    instant(page)
    preview(page, game)
    assert page.evaluate(HIDDEN_IN_FORM, COINS) == []
    ticked = page.locator(".coins input:checked")
    price = paid(page)[1]
    assert price >= DEAR and paid(page)[0] >= price
    press = page.locator(".coins .pick:has(:checked)").first
    worth = int(page.locator(".coins input:checked").first.get_attribute("data-worth") or 0)
    before, count = paid(page)[0], ticked.count()
    press.tap() if size == TELEPHONE else press.click()
    assert page.evaluate(HIDDEN_IN_FORM, COINS) == []
    assert paid(page) == [before - worth, price]
    expect(page.locator("#missing")).to_be_visible()
    expect(page.locator("#confirm")).to_be_disabled()
    expect(page.locator("#orders .notice")).to_contain_text(f"This move costs {price} points")
    assert ticked.count() == count - 1
    expect(page.locator("#confirm")).to_be_disabled()
    for coin in named(page, ".coins input:not(:checked):enabled"):
        if paid(page)[0] < price:
            coin.locator("..").click()
            expect(coin).to_be_checked()
    expect(page.locator("#missing")).to_be_hidden()
    expect(page.locator("#confirm")).to_be_enabled()
    assert page.evaluate(HIDDEN_IN_FORM, f"{COINS}, #confirm") == []
    check_line = page.locator("#preview input[name=line]").get_attribute("value") or ""
    page.locator("#confirm").click()
    expect(page.locator(".message.success")).to_be_visible()
    assert made(game) == check_line


def named(page: Page, selector: str) -> list[Locator]:
    """The parts that match now, by their ids."""
    ids = page.locator(selector).evaluate_all("parts => parts.map((part) => part.id)")
    return [page.locator(f"#{name}") for name in ids]


def made(game: Game) -> str:
    """The last move of Alice in notation."""
    log = log_of(game)
    events = [move[0].event for move in log.moves if getattr(move[0].event, "seat", None) == 0]
    return log.engine.notation.describe(events[-1], None)


def test_the_payment_is_chosen_without_javascript(enter: Enter, game: Game, alice: User) -> None:
    page = open_table(enter, alice, game, TABLET, java_script_enabled=False)
    figure, landing = dear_move(game) or ("", "")
    for question, value in (("figure", figure), ("landing", landing)):
        page.locator(f"#orders input[name={question}][value='{value}']").check()
        page.locator("#go-on").click()
    price = paid(page)[1]
    for coin in named(page, ".coins input:checked"):
        coin.uncheck()
    page.locator("#go-on").click()
    expect(page.locator("#confirm")).to_be_disabled()
    expect(page.locator("#orders .notice")).to_contain_text(f"This move costs {price} points")
    assert paid(page) == [0, price]
    for coin in named(page, ".coins input:enabled"):
        coin.check()
    page.locator("#go-on").click()
    assert paid(page)[0] >= price
    line = page.locator("#preview input[name=line]").get_attribute("value") or ""
    page.locator("#confirm").click()
    expect(page.locator(".message.success")).to_be_visible()
    assert made(game) == line


def bridge_move(game: Game) -> tuple[str, str] | None:
    """(figure, landing) of a move of Alice with which she can build her bridge."""
    for figure, landing, fields in moves(game):
        if any(field.name == "bridge" and len(field.choices) > 1 for field in fields):
            return figure, landing
    return None


@pytest.mark.parametrize("size", [WIDE[0], TELEPHONE])
def test_the_question_that_an_answer_brings_is_in_view(
    enter: Enter, alice: User, bob: User, size: tuple[int, int]
) -> None:
    """Where the bridge goes, which is asked before the preview that is there already."""
    with seeded(LUCK):
        game = table_of(alice, bob)
    while fresh(game).to_act != [0] or (answers := bridge_move(fresh(game))) is None:
        play_one(game)
    page = open_table(enter, alice, game, size)
    instant(page)
    choose(page, "figure", answers[0])
    choose(page, "landing", answers[1])
    page.locator("#orders input[name=bridge]").last.dispatch_event("click")
    gap = "#orders fieldset:has(input[name=gap])"
    expect(page.locator(gap)).to_be_attached()
    assert page.evaluate(HIDDEN_IN_FORM, f"{gap}, #confirm") == []


def test_at_most_one_hint_is_visible_and_none_while_waiting(
    enter: Enter, game: Game, alice: User, bob: User
) -> None:
    page = open_table(enter, alice, game, WIDE[0])
    instant(page)
    hint = page.locator(".hint:visible")
    expect(hint).to_have_count(1)
    expect(hint).to_contain_text("Choose an outlined figure")
    figure, landing = dear_move(game) or ("", "")
    choose(page, "figure", figure)
    expect(hint).to_have_count(1)
    expect(hint).to_contain_text("A card moves a figure")
    choose(page, "landing", landing)
    expect(hint).to_contain_text("You pay with tiles or cards")
    address = page.url
    with page.expect_response("**/hints*"):  # the hint leaves the page before the server knows
        page.get_by_role("button", name="Stop showing hints").click()
    expect(hint).to_have_count(0)
    assert page.url == address
    other = open_table(enter, alice, game, TELEPHONE)
    instant(other)
    expect(other.locator(".hint")).to_have_count(0)
    waiting = open_table(enter, bob, game, WIDE[0])
    expect(waiting.locator(".hint")).to_have_count(0)
    expect(waiting.locator("#hand .held").first).to_be_visible()
    check(waiting)


@pytest.mark.parametrize("language", by_length(["en"], ["en", "de", "fr"]))
def test_the_states_of_paying_pass_the_audits(
    enter: Enter, game: Game, alice: User, language: str
) -> None:
    User.objects.update(language=language)
    page = open_table(enter, alice, game, WIDE[0])
    instant(page)
    preview(page, game)
    check(page, dark=True)
    page.locator(".coins .pick:has(:checked)").first.click()
    expect(page.locator("#orders .notice #confirm")).to_be_disabled()
    check(page, dark=LONG)


def test_each_target_on_the_board_is_large_enough_for_a_finger(
    enter: Enter, game: Game, alice: User
) -> None:
    page = open_table(enter, alice, game, TELEPHONE)
    instant(page)
    sizes = (
        "parts => parts.map((part) => part.getBoundingClientRect()).map((b) => [b.width, b.height])"
    )
    for question in ("figure", "landing"):
        found = page.locator("#board a.target:not(.idle) .halo").evaluate_all(sizes)
        assert found and all(min(size) >= 24 for size in found), found
        picks = page.locator(f"#orders input[name={question}]")
        choose(page, question, picks.first.get_attribute("value") or "")
