"""Signing in with the code from an email."""

from games.models import User
from tests.support.accounts import sent_code

from .expectations import expect
from .people import Enter


def test_the_code_can_be_typed_at_once(enter: Enter, alice: User) -> None:
    page = enter(None)
    page.goto("/accounts/login/")
    page.get_by_label("Your email address").fill(alice.email)
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Code")).to_be_focused()
    page.keyboard.type(sent_code(alice.email))
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Sign out")).to_be_visible()
