"""News, messages and the sticky board lie on nothing that a player presses or reads next."""

import pytest
from playwright.sync_api import Page, ViewportSize

from games.mail import signed_links
from games.models import Game, User
from tests.factories import fresh, play_one, play_turns, table_of
from tests.support.escape_games import escape_table
from tests.support.lengths import combined

from .expectations import expect
from .people import Enter, Friend, instant, table

SIZES: list[ViewportSize] = [
    {"width": 360, "height": 740},
    {"width": 768, "height": 1024},
    {"width": 1366, "height": 768},
    {"width": 1920, "height": 1080},
]
by_size = pytest.mark.parametrize("size", SIZES, ids=lambda size: str(size["width"]))
LONG_NEWS = "Alice moves the figure from the lagoon to the temple and takes two tiles. " * 3
# What floats, with the parts below it; "" for nothing. What lies above the window is not seen.
COVERED = """() => {
    const floats = ["#news.shown", ".messages"].flatMap((name) =>
        [...document.querySelectorAll(name)])
    const parts = document.querySelectorAll(
        "#confirm, #orders, #orders legend, .asked, #board > svg, #board a.target:not(.idle)")
    const found = []
    for (const float of floats) {
        const a = float.getBoundingClientRect()
        if (getComputedStyle(float).pointerEvents !== "none") found.push("takes the pointer")
        for (const part of parts) {
            const b = part.getBoundingClientRect()
            const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top
            if (b.width && !apart && b.bottom > a.top) found.push(part.id || part.textContent)
        }
    }
    return floats.length ? found.join() : "nothing floats"
}"""


def shown_news(page: Page, text: str) -> None:
    page.evaluate(
        "(text) => { const news = document.getElementById('news'); news.textContent = text;"
        " news.classList.add('shown') }",
        text,
    )


def someones_turn(alice: User, bob: User, kind: str) -> tuple[Game, User]:
    game = play_turns((table_of if kind == "atlantis" else escape_table)(alice, bob), 6)
    return game, (alice, bob)[fresh(game).to_act[0]]


@pytest.mark.long
@pytest.mark.parametrize(("size", "kind"), combined(SIZES, ["atlantis", "escape"]))
def test_news_and_messages_lie_on_the_header_only(
    enter: Enter, alice: User, bob: User, size: ViewportSize, kind: str
) -> None:
    game, player = someones_turn(alice, bob, kind)
    page = enter(player, viewport=size)
    page.goto(table(game))
    instant(page)
    shown_news(page, LONG_NEWS)
    assert page.evaluate(COVERED) == ""
    for _choice in range(2):
        page.locator("#board a.target:not(.idle):not(.chosen) .halo").first.dispatch_event("click")
        assert page.evaluate(COVERED) == ""
    page.evaluate("document.getElementById('news').remove()")
    page.evaluate(
        """() => {
            const list = document.createElement("div")
            list.className = "messages"
            list.innerHTML = "<p class='message success'>Your move has been made.</p>".repeat(3)
            document.getElementById("main").prepend(list)
        }"""
    )
    assert page.evaluate(COVERED) == ""


def test_what_was_done_is_over_when_the_next_state_comes(
    enter: Enter, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    page = enter(alice)
    page.goto(table(game))
    instant(page)
    for kind in ("figure", "space"):
        page.locator(f"#board a.target[id^={kind}]:not(.idle) .halo").first.dispatch_event("click")
    page.locator("#confirm").click()
    expect(page.locator(".message.success")).to_be_visible()
    play_one(game)
    page.evaluate("document.dispatchEvent(new Event('newer'))")
    expect(page.locator(".turn.call")).to_be_visible()
    expect(page.locator(".message")).to_have_count(0)


def test_news_say_the_time_left_once(enter: Enter, alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    page = enter(bob)
    page.goto(table(game))
    play_one(game)
    page.evaluate("document.dispatchEvent(new Event('newer'))")
    expect(page.locator("#news")).to_contain_text("It’s your turn.")
    assert (page.locator("#news").text_content() or "").count("2 d 23") == 0
    assert (page.locator("#news").text_content() or "").count("left") == 1


def test_a_sign_in_has_one_message_and_greets_only_who_was_here(enter: Enter, alice: User) -> None:
    game = table_of(alice, seats=3)
    cleo = Friend(enter(None), "Cleo")
    cleo.page.goto(f"/i/{game.invite_token}/")
    cleo.join()
    assert cleo.page.locator(".message").all_inner_texts() == ["You have joined the table."]
    cleo.page.goto("/accounts/logout/")
    cleo.page.locator("main form button").first.click()
    cleo.page.goto("/accounts/login/")
    cleo.sign_in()
    assert cleo.page.locator(".message").all_inner_texts() == ["Welcome back, Cleo."]


@by_size
@pytest.mark.parametrize("me", ["alice", "bob"])
def test_the_board_never_meets_the_details(
    enter: Enter, alice: User, bob: User, size: ViewportSize, me: str
) -> None:
    game = play_turns(table_of(alice, bob), 6)
    page = enter({"alice": alice, "bob": bob}[me], viewport=size)
    for query in ("", "?details=all"):
        page.goto(table(game, query))
        met = page.evaluate(
            """() => {
                const found = []
                for (let at = 0; at <= document.documentElement.scrollHeight; at += 60) {
                    scrollTo({ top: at, behavior: "instant" })
                    const board = document.querySelector("#board").getBoundingClientRect()
                    const below = document.querySelector("#details").getBoundingClientRect()
                    if (board.bottom > below.top + 0.5) found.push(at)
                }
                return found
            }"""
        )
        assert met == [], query


@by_size
def test_by_the_link_of_an_email_the_table_stands_as_for_who_is_signed_in(
    enter: Enter, alice: User, bob: User, size: ViewportSize
) -> None:
    game = table_of(alice, bob)
    pages = [enter(None, viewport=size), enter(alice, viewport=size)]
    User.objects.update(wants_hints=False)
    pages[0].goto(signed_links.turn_path(game.public_id, 0, game.version, alice))
    pages[0].get_by_role("button", name="Continue as Alice").click()
    expect(pages[0].get_by_role("button", name="Stop on this device")).to_be_attached()
    found = []
    for page in pages:
        page.goto(table(game))
        instant(page)
        names = ("#head", "#board > svg", "#hand", "#orders legend")
        boxes = [page.locator(name).first.bounding_box() for name in names]
        found.append([box["y"] for box in boxes if box is not None])
    assert len(found[0]) == len(found[1]) == 4
    # The menu of who is signed in may take a line more.
    assert all(with_link <= signed_in for with_link, signed_in in zip(*found, strict=True))
    assert found[0][1] - found[0][0] == found[1][1] - found[1][0]
