"""Choosing on the page is instant: the server is asked only to confirm."""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from django.db import transaction
from playwright.sync_api import Locator, Page, Request

from games import services
from games.models import Game, User
from games.services.locked_game import LockedGame
from tests.factories import fresh, log_of, play_turns, table_of
from tests.support.escape_games import escape_table, game_with, play_line
from tests.support.lengths import by_length

from .expectations import expect, wait_for_script
from .people import Enter, answer, hold_request, instant, table


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    return play_turns(table_of(alice, bob), 6)


@pytest.fixture
def first_turn(monkeypatch: pytest.MonkeyPatch, alice: User, bob: User) -> Game:
    """A game of Escape in its first turn."""
    return game_with(monkeypatch, (alice, bob), lambda state: state.board.turn == 1)


def panel(page: Page) -> object:
    """Return the questions and texts of the form, and the links of the board."""
    return page.evaluate(
        """() => [
            ...[...document.querySelectorAll("#orders form.ask fieldset")].map((field) =>
                [field.className.replace(/ (unfolded|focused)/g, ""), field.textContent,
                 [...field.querySelectorAll("input")].map((i) => [i.name, i.value, i.checked])]),
            [...document.querySelectorAll("#board a.target:not(.idle)")].map((a) =>
                [a.id, [...a.classList].sort().join(" "), a.getAttribute("aria-label")]).sort(),
            document.querySelector("#preview .preview")?.textContent,
            document.querySelector("#preview [name=line]")?.value,
        ].flat(9).map((x) => String(x).replace(/\\s+/g, " ").trim())"""
    )


@contextmanager
def questions(page: Page) -> Iterator[list[str]]:
    """Collect the requests of the page, except those for changes of the table and for pictures."""
    asked: list[str] = []

    def note(request: Request) -> None:
        url = request.url.partition("?")[0]
        if not url.endswith(("/events/", "/version", ".svg")):
            asked.append(url)

    page.on("request", note)
    yield asked
    page.remove_listener("request", note)


def test_a_turn_is_chosen_without_the_server_and_looks_as_the_server_shows_it(
    enter: Enter, game: Game, alice: User
) -> None:
    page = enter(alice)
    page.goto(table(game))
    instant(page)
    with questions(page) as asked:
        page.locator("#board a.target[id^=figure]:not(.idle) .halo").first.dispatch_event("click")
        page.locator("#board a.target[id^=space]:not(.idle) .halo").first.dispatch_event("click")
        expect(page.locator("#confirm")).to_be_visible()
    assert not asked
    ours, address = panel(page), page.url
    plain = enter(alice)
    plain.route("**/choices*", lambda route: route.abort())
    plain.goto(address)
    assert panel(plain) == ours
    page.keyboard.press("Escape")
    expect(page.locator("#confirm")).to_have_count(0)
    assert "landing" not in page.url
    page.locator("#board a.target[id^=space]:not(.idle) .halo").first.dispatch_event("click")
    page.locator("#confirm").click()
    expect(page.get_by_text("Your move has been made.")).to_be_visible()
    assert fresh(game).version > game.version


def tap(page: Page, kind: str) -> str:
    """Tap the first thing of this kind on the board that may be chosen, and is not; its id."""
    link = page.locator(f"#board a.{kind}.target:not(.idle):not(.chosen)").first
    found = link.get_attribute("id") or ""
    page.locator(f"#board a#{found} .halo").dispatch_event("click")
    return found


@pytest.mark.long
def test_the_steps_of_a_turn_are_chosen_without_a_page_of_the_server(
    enter: Enter, first_turn: Game, alice: User, bob: User
) -> None:
    """The moves after a step are fetched while the board is looked at. The long form goes two
    steps."""
    page = enter((alice, bob)[first_turn.to_act[0]])
    page.goto(table(first_turn))
    instant(page)
    with questions(page) as asked:
        for number in by_length((1,), (1, 2)):
            piece = tap(page, "explorer")
            expect(page.locator(f"#orders input[name=step{number}]").first).to_be_attached()
            stood = page.locator(f"#{piece}").get_attribute("transform") or ""
            tap(page, "hex")
            expect(page.locator(f"#orders input[name=step{number}]:checked")).to_have_count(1)
            expect(page.locator(f"#{piece}")).not_to_have_attribute("transform", stood)
        tap(page, "hex")
        expect(page.locator("#confirm")).to_be_visible()
    assert set(asked) <= {page.url.partition("?")[0] + "choices"}
    plain = enter((alice, bob)[first_turn.to_act[0]])
    plain.route("**/choices*", lambda route: route.abort())
    plain.goto(page.url)
    assert panel(plain) == panel(page)
    page.keyboard.press("Escape")
    expect(page.locator("#confirm")).to_have_count(0)
    tap(page, "hex")
    page.locator("#confirm").click()
    expect(page.locator(".message.success")).to_be_visible()


def middle(link: Locator) -> tuple[float, float]:
    box = link.locator(".halo").bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_piece_is_dragged_to_where_it_goes(
    enter: Enter, first_turn: Game, alice: User, bob: User
) -> None:
    page = enter((alice, bob)[first_turn.to_act[0]])
    page.goto(table(first_turn))
    instant(page)
    page.mouse.move(*middle(page.locator("#board a.explorer:not(.idle)").first))
    page.mouse.down()
    page.mouse.move(5, 5, steps=3)
    goal = page.locator("#board a.target[href*=step1]").first
    expect(goal).to_be_attached()
    page.mouse.up()
    expect(page.locator("#orders input[name=who1]:checked")).not_to_have_value("none")
    expect(page.locator("#orders input[name=step1]:checked")).to_have_count(0)
    piece = page.locator("#board a.explorer.chosen")
    stood = piece.get_attribute("transform") or ""
    found = piece.get_attribute("id")
    page.mouse.move(*middle(piece))
    page.mouse.down()
    page.mouse.move(*middle(goal), steps=3)
    expect(page.locator("#board a.aimed")).to_have_count(1)
    page.mouse.up()
    expect(page.locator("#orders input[name=step1]:checked")).to_have_count(1)
    expect(page.locator(f"#{found}")).not_to_have_attribute("transform", stood)
    expect(page.locator("#board [style*=translate], #board .aimed")).to_have_count(0)


def test_a_finger_beside_the_pieces_scrolls_the_page_and_enlarges_the_board(
    enter: Enter, first_turn: Game, alice: User, bob: User
) -> None:
    telephone = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    page = enter((alice, bob)[first_turn.to_act[0]], **telephone)
    page.goto(table(first_turn))
    instant(page)
    box = page.locator("#board > svg").bounding_box()
    assert box is not None
    devtools = page.context.new_cdp_session(page)
    x, y = box["x"] + 8, box["y"] + 150
    for kind, points in (
        ("touchStart", [{"x": x, "y": y}]),
        ("touchMove", [{"x": x, "y": y - 50}]),
        ("touchMove", [{"x": x, "y": y - 100}]),
        ("touchEnd", []),
    ):
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert page.evaluate("scrollY") == 100
    page.evaluate("scrollTo(0, 0)")
    whole = page.locator("#board > svg").get_attribute("viewBox") or ""
    for _attempt in range(5):  # a tap at once after a swipe only stops its momentum
        page.touchscreen.tap(x, y)
        with suppress(AssertionError):
            expect(page.locator("#board > svg")).not_to_have_attribute(
                "viewBox", whole, timeout=5_000
            )
            break
    expect(page.locator("#board > svg")).not_to_have_attribute("viewBox", whole)
    assert "who1" not in page.url, "neither the swipe nor a tap beside everything chooses a piece"


def test_keys_choose_undo_explain_and_confirm(enter: Enter, game: Game, alice: User) -> None:
    page = enter(alice)
    page.goto(table(game))
    instant(page)
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_hidden()
    figure = page.locator("#orders input[name=figure]").last.get_attribute("value") or ""
    page.keyboard.press(figure.lower())
    expect(page.locator("#orders input[name=figure]:checked")).to_have_value(figure)
    landing = page.locator("#orders input[name=landing]").first.get_attribute("value") or ""
    page.keyboard.type(landing[:2])
    expect(page.locator("#orders input[name=landing]:checked")).to_have_value(landing)
    page.keyboard.press("Escape")
    expect(page.locator("#orders input[name=landing]:checked")).to_have_count(0)
    page.keyboard.type(landing[:2])
    expect(page.locator("#confirm")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your move has been made.")).to_be_visible()


def test_the_board_is_zoomed_by_the_wheel_and_dragged(
    enter: Enter, game: Game, alice: User
) -> None:
    page = enter(alice)
    page.goto(table(game))
    instant(page)
    board = page.locator("#board > svg")
    whole = board.get_attribute("viewBox") or ""
    board.hover()
    page.keyboard.down("Control")
    page.mouse.wheel(0, -60)
    page.keyboard.up("Control")
    expect(board).not_to_have_attribute("viewBox", whole)
    zoomed = board.get_attribute("viewBox") or ""
    box = board.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 40, steps=4)
    page.mouse.up()
    expect(board).not_to_have_attribute("viewBox", zoomed)
    assert "figure" not in page.url, "a drag chooses nothing"
    page.get_by_role("button", name="Whole board").click()
    expect(board).to_have_attribute("viewBox", whole)


def test_two_fingers_zoom_the_board_and_one_drags_it(enter: Enter, game: Game, alice: User) -> None:
    page = enter(alice, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page.goto(table(game))
    instant(page)
    board = page.locator("#board > svg")
    whole = board.get_attribute("viewBox") or ""
    box = board.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + 150
    devtools = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        fingers = [{"x": left, "y": top, "id": n} for n, (left, top) in enumerate(points)]
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

    touch("touchStart", (x - 20, y), (x + 20, y))
    for far in (30, 40, 60):
        touch("touchMove", (x - far, y), (x + far, y))
    touch("touchEnd")
    expect(board).not_to_have_attribute("viewBox", whole)
    zoomed = board.get_attribute("viewBox") or ""
    assert float(zoomed.split()[2]) < float(whole.split()[2]) / 2
    touch("touchStart", (x, y))
    for far in (10, 25, 40):
        touch("touchMove", (x + far, y + far))
    touch("touchEnd")
    expect(board).not_to_have_attribute("viewBox", zoomed)
    assert (board.get_attribute("viewBox") or "").split()[2] == zoomed.split()[2]
    assert page.evaluate("[visualViewport.scale, scrollY]") == [1, 0], "only the board has moved"
    assert "figure" not in page.url, "a drag chooses nothing"


def height(element: Locator) -> float:
    box = element.bounding_box()
    return box["height"] if box else 0


def test_what_can_be_tapped_is_listed_for_those_who_ask(
    enter: Enter, game: Game, alice: User
) -> None:
    page = enter(alice)
    page.goto(table(game))
    instant(page)
    figures = page.locator("#orders label.pick.marked")
    assert height(figures.first) <= 2
    page.get_by_role("button", name="Show the list").click()
    assert height(figures.first) > 20
    answer(page, "figure")
    assert re.search("figure=", page.url)
    assert len(log_of(game).moves) >= 6


# Notes that the script has read a page that it fetched, before it shows that page.
NOTE_READING = """() => {
    const read = DOMParser.prototype.parseFromString
    DOMParser.prototype.parseFromString = function (...words) {
        window.hasRead = true
        return read.apply(this, words)
    }
}"""


def test_a_choice_counts_though_its_form_is_fetched_anew_between_press_and_release(
    enter: Enter, alice: User, bob: User
) -> None:
    page = enter(alice)
    page.route("**/choices*", lambda route: route.abort())
    page.goto(table(table_of(alice, bob)))
    held_request = hold_request(page, "/?figure=A")
    page.locator("#board a[id^=figure-0-]").first.click()
    request = held_request()
    pick = page.locator("#orders input[name=landing]").first
    pick.focus()
    page.keyboard.down("Space")
    page.evaluate(NOTE_READING)
    request.fulfill(response=request.fetch())
    wait_for_script(page, "window.hasRead")
    page.keyboard.up("Space")
    expect(page.locator("#confirm")).to_be_visible()
    expect(pick).to_be_checked()


def test_the_notice_of_an_order_that_an_undo_took_stays_while_its_player_chooses(
    enter: Enter, alice: User, bob: User
) -> None:
    game = escape_table(alice, bob)
    play_line(game, alice, "place 6 E5")
    play_line(game, bob, "standing shark always")
    with transaction.atomic():
        services.step_undo_locked(LockedGame(game.pk), alice)
    page = enter(bob)
    page.goto(table(game))
    notice = page.locator("#orders").get_by_text("Alice took back their last step. What you had")
    expect(notice).to_be_visible()
    answer(page, "do", 1)
    expect(page.locator("#orders")).to_contain_text("Which attacker?")
    expect(notice).to_be_visible()
