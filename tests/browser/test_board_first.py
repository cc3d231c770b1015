"""The board stays in view while a turn is entered, in windows of every size."""

from typing import Any

import pytest
from playwright.sync_api import Page

from games.models import Game, User
from tests.factories import play_turns, table_of
from tests.support.game_seeds import SHORT_GAMES, seeded
from tests.support.lengths import by_length

from .expectations import expect
from .people import Enter, instant, table

# What has changed is laid out and scrolled to in the first of two frames, at the latest.
DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    """With luck for which the first figure has several landings: one alone is chosen at once."""
    with seeded(SHORT_GAMES):
        return play_turns(table_of(alice, bob), 6)


def box(page: Page, selector: str) -> dict[str, Any]:
    found: dict[str, Any] = page.locator(selector).evaluate(
        "part => { const {top, bottom, height} = part.getBoundingClientRect();"
        " return {top, bottom, height, window: innerHeight, scrolled: scrollY} }"
    )
    return found


def choose(page: Page, question: str) -> None:
    """Tap the first thing on the board that answers this question."""
    value = page.locator(f"#orders input[name={question}]")
    expect(value.first).to_be_attached()
    mark = page.evaluate(
        "question => [...document.querySelectorAll('#board a.target:not(.idle)')].find(link =>"
        " new URL(link.href.baseVal ?? link.href, location).searchParams.get(question)).id",
        question,
    )
    # Playwright’s own click would scroll.
    page.locator(f"#board a#{mark} .halo").dispatch_event("click")
    expect(page.locator(f"#orders input[name={question}]:checked")).to_have_count(1)


@pytest.mark.long
@pytest.mark.parametrize(
    ("width", "height"),
    [(360, 740), *by_length((), ((768, 1024), (1366, 768), (1920, 1080)))],
)
def test_a_turn_is_entered_without_scrolling_the_board_away(
    enter: Enter, game: Game, alice: User, width: int, height: int
) -> None:
    """On a telephone, in the long form also on a tablet, a small screen and a large one."""
    page = enter(alice, viewport={"width": width, "height": height}, has_touch=width == 360)
    page.goto(table(game))
    for question in ("figure", "landing"):
        choose(page, question)
        board = box(page, "#board svg.board")
        assert board["scrolled"] == 0
        assert board["top"] <= height * 0.3
    confirm = box(page, "#confirm")
    assert confirm["top"] >= 0 and confirm["bottom"] <= height
    if width >= 1366:
        assert board["bottom"] <= height
        assert board["height"] >= height * 0.7
    page.locator("#confirm").click()
    expect(page.get_by_role("heading", name="Plan ahead")).to_be_visible()


def test_the_link_to_the_form_keeps_the_board_in_view(
    enter: Enter, game: Game, alice: User
) -> None:
    page = enter(alice, viewport={"width": 360, "height": 740})
    page.goto(f"{table(game)}#orders")
    instant(page)
    page.evaluate(DRAWN)
    assert box(page, "#board svg.board")["top"] >= 0
    assert box(page, "#orders")["bottom"] <= 740


# The answers in the panel that its upper edge cuts, and the lines that its lower edge cuts, or the
# button that sticks to it.
CUT = """() => {
    const panel = document.querySelector("#orders")
    const {top, bottom} = panel.getBoundingClientRect()
    const upper = panel.querySelector("#hand").getBoundingClientRect().bottom
    const lower = top + panel.clientTop + panel.clientHeight
    const button = panel.querySelector(".confirm .actions")?.getBoundingClientRect()
    const edge = button && button.bottom > lower - 12 ? button.top : lower
    const answers = [...panel.querySelectorAll("fieldset.settled .pick:has(:checked)")]
    const line = innerWidth < 992 ? ".preview" : ".preview li"
    const lines = [...panel.querySelectorAll(line + ", summary, .notation, .fresh a, #show-keys")]
    const isCut = (part, edge) => {
        const {top, bottom} = part.getBoundingClientRect()
        // What a closed <details> holds has a place all the same.
        return part.checkVisibility() && top + 5 < edge && edge < bottom - 5
    }
    return [...answers.filter((part) => isCut(part, upper)), ...lines.filter((part) => isCut(part, edge))]
        .map((part) => part.textContent)
}"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("width", "height"), [(1366, 768), *by_length((), ((360, 740), (768, 1024)))]
)
def test_the_panel_cuts_no_answer(
    enter: Enter, game: Game, alice: User, width: int, height: int
) -> None:
    """And no line of the preview, in German, whose lines are longer. In the long form, each landing
    is chosen."""
    User.objects.update(language="de")
    page = enter(alice, viewport={"width": width, "height": height})
    page.goto(table(game))
    instant(page)
    choose(page, "figure")
    expect(page.locator("#orders .on-board legend")).to_be_in_viewport()
    assert width > 1000 or page.locator("#orders").evaluate("panel => panel.scrollTop > 0")
    assert page.evaluate(CUT) == []
    landings = page.locator("#orders input[name=landing]").count()
    assert landings >= 2
    for nth in range(min(landings, by_length(3, landings))):
        landing = page.locator("#orders input[name=landing]").nth(nth)
        landing.dispatch_event("click")
        expect(landing).to_be_checked()
        expect(page.locator("#confirm")).to_be_in_viewport()
        assert page.evaluate(CUT) == []
