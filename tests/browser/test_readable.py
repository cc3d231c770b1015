"""Pages can be read: small text, small windows, large zoom, forced colours, figures side by
side."""

import pytest
from playwright.sync_api import Page

from games.models import User
from games.rules import GAMES
from tests.factories import play_to_the_end, play_turns, table_of
from tests.support.escape_games import escape_table
from tests.support.lengths import by_length

from .expectations import expect
from .people import Enter, answer, instant, table

SMALLEST = 11  # CSS pixels of letters
# The words of the page that are smaller, as the browser shows them. The board can be zoomed six
# times.
SMALL_TEXT = """smallest => {
    const found = new Set()
    const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (words.nextNode()) {
        const part = words.currentNode.parentElement
        if (!words.currentNode.data.trim() || !part.getClientRects().length) continue
        const svg = part.ownerSVGElement
        let pixels = parseFloat(getComputedStyle(part).fontSize)
        if (svg?.closest("[aria-hidden=true]") || part.closest("title, desc, defs")) continue
        if (svg) pixels *= Math.abs(part.getScreenCTM().d) || Infinity
        if (svg?.matches("#board > svg")) pixels *= 6
        if (pixels < smallest) found.add(`${words.currentNode.data.trim()} ${pixels}`)
    }
    return [...found]
}"""
# The pairs of figures of which one hides the letter of the other, and the number of letters.
HIDDEN = """() => {
    const letters = [...document.querySelectorAll("#board > svg text")]
        .filter((text) => /^([A-D]|[UVWX][0-9]+)$/.test(text.textContent.trim()))
        .filter((text) => !text.closest(".names, .land-names, .row-names"))
    const boxes = letters.map((text) => text.getBoundingClientRect())
    const hidden = []
    boxes.forEach((a, n) => boxes.slice(n + 1).forEach((b, m) => {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left)
        const tall = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
        if (wide > 0 && tall > 0 && wide * tall > 0.35 * a.width * a.height)
            hidden.push([letters[n].textContent, letters[n + 1 + m].textContent, wide, tall])
    }))
    return [letters.length, hidden]
}"""


OPEN_ALL = "document.querySelectorAll('details').forEach((part) => { part.open = true })"


def too_wide(page: Page) -> int:
    wide: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return wide


@pytest.mark.parametrize("kind", GAMES)
def test_figures_of_four_players_do_not_hide_each_other(
    enter: Enter, alice: User, bob: User, carol: User, dave: User, kind: str
) -> None:
    people = (alice, bob, carol, dave)
    game = play_turns(escape_table(*people), 50) if kind == "escape" else table_of(*people)
    page = enter(alice, viewport={"width": 1366, "height": 768})
    page.goto(table(game))
    number, hidden = page.evaluate(HIDDEN)
    assert number >= 12
    assert hidden == []


@pytest.mark.long
@pytest.mark.parametrize("kind", GAMES)
def test_small_words_can_be_zoomed(enter: Enter, alice: User, bob: User, kind: str) -> None:
    """Of the table, while it is played and afterwards, and of the pages around it.

    The short form looks at the latter once, and on a telephone alone.
    """
    game = play_turns(table_of(alice, bob, kind=kind, options={}), 6)
    over = play_to_the_end(table_of(alice, bob, kind=kind, options={}))
    page = enter(alice, viewport={"width": 360, "height": 740})
    around = ("/", "/tables/", "/rules/atlantis/", "/rules/escape/#picture")
    tables = (table(game), table(over, "?details=all&log=all"))
    for path in (*tables, *by_length(around if kind == "atlantis" else (), around)):
        page.goto(path)
        page.evaluate(OPEN_ALL)
        for width in by_length((360,), (360, 768, 1366)):
            page.set_viewport_size({"width": width, "height": 740})
            assert page.evaluate(SMALL_TEXT, SMALLEST) == [], (path, width)
            assert too_wide(page) <= 0, (path, width)


@pytest.mark.long
@pytest.mark.parametrize("zoom", by_length([400], [200, 400]))
def test_a_turn_can_be_made_on_an_enlarged_page(
    enter: Enter, alice: User, bob: User, zoom: int
) -> None:
    """In a window of 1280 × 1024 pixels; only the board may need scrolling in two directions."""
    window = {"width": 1280 * 100 // zoom, "height": 1024 * 100 // zoom}
    page = enter(alice, viewport=window, device_scale_factor=zoom / 100)
    game = play_turns(table_of(alice, bob), 6)
    for path in ("/", "/tables/", "/new/", "/settings/mails/", "/rules/atlantis/", table(game)):
        page.goto(path)
        assert too_wide(page) <= 0, path
    instant(page)
    for question in ("figure", "landing"):
        answer(page, question)
    covered = page.evaluate(
        """() => {
            document.querySelector("#board").scrollIntoView()
            const panel = document.querySelector("#orders").getBoundingClientRect()
            return Math.max(0, innerHeight - panel.top) / innerHeight
        }"""
    )
    assert covered <= 0.6, "the question covers the board"
    page.locator("#confirm").click()
    expect(page.locator(".message.success")).to_be_visible()


def test_choices_are_seen_in_forced_colours(enter: Enter, alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 6)
    page = enter(alice, forced_colors="active", viewport={"width": 1366, "height": 768})
    page.goto(table(game))
    instant(page)
    page.get_by_role("button", name="Show the list").click()
    answer(page, "figure")
    lines = page.evaluate(
        """[...document.querySelectorAll("#orders input[name=figure]")].map((input) =>
            [input.checked, getComputedStyle(input.closest(".pick")).outlineStyle])"""
    )
    assert [True, "solid"] in lines and [False, "none"] in lines
    board = page.locator("#board > svg")
    assert board.evaluate("svg => getComputedStyle(svg).forcedColorAdjust") == "none"


def test_the_rest_of_log_and_details_comes_without_leaving_the_page(
    enter: Enter, alice: User, bob: User
) -> None:
    game = play_turns(table_of(alice, bob), 18)
    page = enter(alice)
    page.goto(table(game))
    instant(page)
    answer(page, "figure")
    address = page.url
    lines = page.locator("#log li")
    shown = lines.count()
    page.get_by_role("link", name="Show all moves").click()
    expect(page.get_by_role("link", name="Show all moves")).to_have_count(0)
    assert lines.count() > shown
    page.get_by_role("link", name="Game details, votes, emails, resigning").click()
    expect(page.locator("#details input[name=sure]")).to_be_attached()
    assert page.url == address
    expect(page.locator("#orders input[name=figure]:checked")).to_have_count(1)


def test_the_lists_of_moderators_fit_small_windows(
    enter: Enter, mona: User, alice: User, bob: User
) -> None:
    """Each row is a block of lines there, with the heading of its column before each."""
    mona.is_superuser = True
    mona.save()
    table_of(alice, bob)
    page = enter(mona, viewport={"width": 360, "height": 740})
    for name, heading in (("game", "To move"), ("outboxmail", "State"), ("user", "Language")):
        page.goto(f"/admin/games/{name}/")
        box = page.locator(".results")
        for width in (768, 360):
            page.set_viewport_size({"width": width, "height": 740})
            expect(page.locator("#result_list.labelled")).to_be_visible()
            assert box.evaluate("box => box.scrollWidth <= box.clientWidth"), (name, width)
        cell = page.locator(f"#result_list td[data-label='{heading}']").first
        shown = cell.evaluate("cell => getComputedStyle(cell, '::before').content")
        assert heading in shown, name
    page.set_viewport_size({"width": 1920, "height": 1080})
    expect(page.locator("#result_list:not(.labelled)")).to_be_visible()
