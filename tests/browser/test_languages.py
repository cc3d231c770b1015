"""German and French on a telephone: the longest words fit on the table's page and in its emails."""

import pytest
from playwright.sync_api import Page, ViewportSize

from games.models import User
from tests.factories import person, play_one, play_to_the_end, play_turns, table_of
from tests.support.emails import Kind, row_for, written
from tests.support.lengths import LONG

from .expectations import expect
from .people import Enter, answer, table

TELEPHONE: ViewportSize = {"width": 360, "height": 740}


@pytest.fixture(params=["de", "fr"])
def reader(request: pytest.FixtureRequest, transactional_db: None) -> User:
    """Somebody who reads German or French."""
    return person("Noa", language=request.param, time_zone="Europe/Paris")


def assert_it_fits(page: Page) -> None:
    """No sideways scrolling, and no words that run out of their box (what only readers aloud get
    has no box). The name of a table in play may end in an ellipsis. The tiles and cards to pay with
    have no words, and a tick over their corner."""
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true })")
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, f"{page.url} is {wide} pixels too wide"
    cut = page.evaluate(
        """[...document.querySelectorAll(
            'button, .button, .badge, .presets > a, label, dt, dd, th, td, h1, h2, h3'
        )]
        .filter((box) => !box.matches('.table-title h1') ||
            getComputedStyle(box).textOverflow !== 'ellipsis')
        .filter((box) => !box.matches('.coins label'))
        .filter((box) => box.clientWidth > 9 && box.scrollWidth > box.clientWidth + 1)
        .map((box) => box.innerText)"""
    )
    assert not cut, f"{page.url} cuts off {cut}"


OTHER_PAGES = ("/", "/new/", "/new/?game=escape", "/settings/", "/rules/atlantis/")


@pytest.mark.long
def test_pages_fit_a_telephone(enter: Enter, reader: User, bob: User) -> None:
    """The table before and during a turn, its end, its lobby and pages around it; in the short
    form, all but the first in German, whose words are the longest, and one page around it in
    French.
    """
    game = play_turns(table_of(reader, bob), 8)
    page = enter(reader, viewport=TELEPHONE)
    page.goto(table(game))
    assert_it_fits(page)
    for question in ("figure", "landing"):
        answer(page, question)
        expect(page.locator(f"#orders input[name={question}]:checked")).to_have_count(1)
    expect(page.locator("#confirm")).to_be_visible()
    assert_it_fits(page)
    others = [OTHER_PAGES[2]]
    if LONG or reader.language == "de":
        over, waiting = play_to_the_end(game), table_of(reader, seats=3, bots=1)
        others = [*OTHER_PAGES, table(over), table(waiting)]
    for path in others:
        page.goto(path)
        assert_it_fits(page)


def test_a_turn_email_fits_a_telephone(enter: Enter, reader: User, bob: User) -> None:
    game = play_turns(table_of(bob, reader), 7)
    if game.seats.get(user=reader).asked_at is None:
        play_one(game)
    page = enter(None, viewport=TELEPHONE)
    page.goto("about:blank")  # the policy of the site is not that of emails
    page.set_content(written(row_for(game, Kind.TURN, reader)).html)
    assert_it_fits(page)
