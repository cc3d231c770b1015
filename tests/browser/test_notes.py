"""The note to the table stays in its field while the move above it changes."""

from playwright.sync_api import Page

from games.models import User
from tests.factories import table_of

from .expectations import expect
from .people import Enter, answer, enter, table

__all__ = ["enter"]


def choose(page: Page, question: str, number: int) -> None:
    """Give this answer and wait until the page has followed."""
    answer(page, question, number)
    expect(page.locator("#orders.busy")).to_have_count(0)


def test_a_note_outlives_a_change_of_mind(enter: Enter, alice: User, bob: User) -> None:
    page = enter(alice)
    page.goto(table(table_of(alice, bob)))
    choose(page, "figure", 0)
    choose(page, "landing", 0)
    page.locator("details.note summary").click()
    page.locator("#note").fill("Mind the gap")
    page.get_by_role("link", name="Start over").click()
    expect(page.locator("#note")).to_have_count(0)  # no whole move, no note, for now
    choose(page, "landing", 1)
    expect(page.locator("#note")).to_have_value("Mind the gap")
    expect(page.locator("#note")).to_be_visible()
