"""The note to the table stays in its field while the move above it changes."""

from playwright.sync_api import Page

from games.models import User
from tests.factories import table_of

from .expectations import expect, wait_for_script
from .people import Enter, answer, table


def choose(page: Page, question: str, number: int) -> None:
    """Give this answer and wait until the page has followed."""
    answer(page, question, number)
    expect(page.locator("#orders.busy")).to_have_count(0)


def test_a_note_outlives_changes_of_mind(enter: Enter, alice: User, bob: User) -> None:
    """The page stays, and so does the focus."""
    page = enter(alice)
    page.goto(table(table_of(alice, bob)))
    page.evaluate("window.stayed = true")
    choose(page, "figure", 0)
    choose(page, "landing", 0)
    note = page.get_by_label("Note on this move")
    page.get_by_text("Add a note").click()
    note.fill("Mind the gap")
    answer(page, "landing", 1)
    expect(page.locator("#orders input[name=landing]").nth(1)).to_be_focused()
    expect(note).to_have_value("Mind the gap")
    page.get_by_role("link", name="Start over").click()
    expect(note).to_have_count(0)  # no whole move, no note, for now
    choose(page, "landing", 1)
    expect(note).to_have_value("Mind the gap")
    expect(note).to_be_visible()
    assert page.evaluate("window.stayed")


def test_a_note_unfolds_above_the_button_on_a_phone(enter: Enter, alice: User, bob: User) -> None:
    """The form scrolls by itself there, and its button sticks to the lower edge."""
    page = enter(alice, viewport={"width": 360, "height": 740})
    page.goto(table(table_of(alice, bob)))
    choose(page, "figure", 0)
    choose(page, "landing", 0)
    page.get_by_text("Add a note").click()
    wait_for_script(
        page,
        """() => {
        const [note, button] = ["note", "confirm"].map(id => document.getElementById(id))
        return note.getBoundingClientRect().bottom <= button.getBoundingClientRect().top
    }""",
    )
