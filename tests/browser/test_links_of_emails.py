"""The links of emails in a real browser, which sends a cookie only where its path allows it."""

import pytest
from playwright.sync_api import Page

from games import services
from games.mail import signed_links
from games.models import CredentialChange, User
from games.web import turn_scope
from tests.browser.audits import check
from tests.factories import fresh, table_of
from tests.support.lengths import LONG

from .expectations import expect
from .people import Enter, answer, table


def play(page: Page) -> None:
    """Make the first move that the form offers."""
    for question in ("figure", "landing"):
        answer(page, question)
        expect(page.locator("#orders.busy")).to_have_count(0)
    page.locator("#confirm").click()


@pytest.mark.long
def test_a_turn_is_played_by_its_link_without_a_sign_in(
    enter: Enter, alice: User, bob: User
) -> None:
    game = table_of(alice, bob, is_open=False)
    page = enter(None)
    page.goto(signed_links.turn_path(game.public_id, 0, game.version, alice))
    page.get_by_role("button", name="Continue as Alice").click()
    expect(page.get_by_text("Playing as Alice by email link")).to_be_visible()
    check(page, audit=LONG)
    cookies = {cookie["name"].split("_")[0]: cookie for cookie in page.context.cookies()}
    assert "sessionid" not in cookies
    scope = cookies[turn_scope.COOKIE.split("_")[0]]
    assert (scope["path"], scope["httpOnly"], scope["sameSite"]) == (table(game), True, "Lax")
    play(page)
    expect(page.get_by_text("This turn is over")).to_be_visible()
    check(page, audit=LONG)
    assert 0 not in fresh(game).to_act
    page.goto("/settings/")
    expect(page.get_by_label("Your email address")).to_be_visible()


@pytest.mark.long
def test_the_pages_that_protect_an_account_can_be_used(enter: Enter, alice: User) -> None:
    page = enter(alice)
    page.goto("/settings/delete/")
    check(page)
    page.get_by_role("button", name="Delete my account in seven days").click()
    expect(page.get_by_role("heading", name="Confirm it’s you")).to_be_visible()
    check(page)
    services.change_report(user=alice, kind=CredentialChange.Kind.SIGNED_OUT)
    stranger = enter(None)
    stranger.goto(signed_links.not_me_path(CredentialChange.objects.get().pk))
    check(stranger)
    stranger.get_by_role("button", name="This was not me").click()
    expect(stranger.get_by_role("heading", name="Restore your account")).to_be_visible()
    check(stranger)
    page.goto("/settings/")
    expect(page.get_by_label("Your email address")).to_be_visible()
