"""Fifty turns on a telephone: how often somebody has to scroll and to tap."""

import statistics

import pytest
from playwright.sync_api import Page, expect

from games.models import Game, User
from tests.factories import fresh, play_one, table_of
from tests.support.lengths import by_length

from .people import Enter, enter, instant, table

__all__ = ["enter"]

TELEPHONE = {"width": 360, "height": 740}
TURNS = by_length(2, 50)
MOST_TAPS, MOST_SCROLLS = 4, 1
HIDDEN = """selector => {
    const part = document.querySelector(selector)
    const { left, top, width, height } = part.getBoundingClientRect()
    const x = left + width / 2, y = top + height / 2
    const above = document.elementFromPoint(x, y)
    return !(above && (part.contains(above) || above.closest("a") === part.closest("a")))
}"""


class Thumb:
    """Taps what is in sight, scrolls to what is not, and counts both."""

    def __init__(self, page: Page) -> None:
        self.page, self.taps, self.scrolls = page, 0, 0

    def tap(self, selector: str) -> None:
        if self.page.evaluate(HIDDEN, selector):
            self.scrolls += 1
            self.page.locator(selector).first.scroll_into_view_if_needed()
        self.taps += 1
        self.page.locator(selector).first.dispatch_event("click")


def make_a_turn(page: Page) -> Thumb:
    """Tap a figure, a space and the button, as far as they are asked."""
    thumb = Thumb(page)
    if not page.locator("#confirm").count():  # there is something to choose
        instant(page)
    for kind in ("figure", "space", "mainland"):
        if page.locator("#confirm").count():
            break
        wanted = f'#board a[id^="{kind}"].target:not(.idle):not(.chosen)'
        if page.locator(wanted).count():
            thumb.tap(f"{wanted} .halo")
    thumb.tap("#confirm")
    expect(page.get_by_text("Your move has been made.")).to_be_visible()
    return thumb


@pytest.mark.long
def test_a_turn_takes_at_most_one_scroll_and_four_taps(
    enter: Enter, alice: User, bob: User
) -> None:
    page = enter(alice, viewport=TELEPHONE, has_touch=True, is_mobile=True)
    thumbs: list[Thumb] = []
    game = table_of(alice, bob)
    while len(thumbs) < TURNS:
        now = fresh(game)
        if now.status != Game.Status.RUNNING:
            game = table_of(alice, bob)
        elif now.to_act == [0]:
            page.goto(table(game))
            thumbs.append(make_a_turn(page))
        else:
            play_one(game)
    assert statistics.median(thumb.taps for thumb in thumbs) <= MOST_TAPS
    assert statistics.median(thumb.scrolls for thumb in thumbs) <= MOST_SCROLLS
