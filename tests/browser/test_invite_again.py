"""A host has friends of earlier games at the table with one click each."""

import pytest

from games.models import Invitation, User
from tests.factories import table_of

from .audits import check
from .expectations import expect
from .people import Enter, table


@pytest.mark.parametrize("width", [360, 1366])
def test_friends_are_invited_by_a_click_and_their_seats_say_so(
    enter: Enter, alice: User, bob: User, carol: User, width: int
) -> None:
    table_of(alice, bob, carol)
    game = table_of(alice, seats=4)
    page = enter(alice, viewport={"width": width, "height": 740})
    page.goto(table(game))
    for name in ("Bob", "Carol"):
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.locator(".seat-list")).to_contain_text(f"waiting for {name}")
    expect(page.get_by_text("Invite again")).to_have_count(0)
    assert [sent.invitee for sent in Invitation.objects.order_by("pk")] == [bob, carol]
    expect(page.locator(".seat-list .free")).to_have_count(3)
    check(page)
