"""The page of a new table: what the button creates is said beside it, and both stay in view."""

import re

import pytest
from playwright.sync_api import ViewportSize

from games.models import Game, User
from tests.support.lengths import combined

from .expectations import expect
from .people import Enter

SIZES: list[ViewportSize] = [
    {"width": 360, "height": 740},
    {"width": 768, "height": 1024},
    {"width": 1366, "height": 768},
]


@pytest.mark.long
@pytest.mark.parametrize(("size", "script"), combined(SIZES, [True, False]))
def test_the_button_is_in_reach_before_and_after_a_choice(
    enter: Enter, alice: User, size: ViewportSize, script: bool
) -> None:
    page = enter(alice, viewport=size, java_script_enabled=script)
    button = page.get_by_role("button", name="Create table")
    for path in ("/new/?game=escape", "/new/?game=escape&preset=family"):
        page.goto(path)
        expect(button).to_be_in_viewport(ratio=1)
    page.locator("details summary").click()
    expect(button).to_be_in_viewport(ratio=1)
    button.click()
    assert page.url.rpartition("/new/")[1] == ""
    assert Game.objects.get().seat_count == 4


def test_the_summary_follows_what_is_chosen(enter: Enter, alice: User) -> None:
    page = enter(alice)
    page.goto("/new/?game=atlantis")
    summary = page.locator("#chosen")
    expect(summary).to_have_text(
        "2 players · 3 days per move · Anyone: the table is listed publicly"
    )
    page.locator("details summary").click()
    page.get_by_label("3 players").check()
    page.get_by_role("checkbox", name="Bot on seat 2").check()
    page.get_by_label("Time per move").select_option("7")
    expect(summary).to_have_text(
        "3 players · Bot on seat 2 · 7 days per move · Anyone: the table is listed publicly"
    )


def test_practice_asks_for_the_name_first(enter: Enter, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(display_name="")
    page = enter(alice)
    page.goto("/new/?game=atlantis")
    page.get_by_role("button", name="Practise Atlantis").click()
    expect(page.get_by_label("What should other players call you?")).to_be_focused()
    assert not Game.objects.exists()
    page.get_by_label("What should other players call you?").fill("Alice")
    page.get_by_role("button", name="Practise Atlantis").click()
    expect(page.get_by_role("heading", name="Practice")).to_be_visible()
    alice.refresh_from_db()
    assert alice.display_name == "Alice"


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_what_was_typed_stays_over_presets_games_and_errors(
    enter: Enter, alice: User, script: bool
) -> None:
    User.objects.filter(pk=alice.pk).update(display_name="")
    page = enter(alice, java_script_enabled=script)
    page.goto("/new/?game=atlantis")
    name = page.get_by_label("What should other players call you?")
    title = page.get_by_label("Table name")
    name.fill("Robin")
    title.fill("Sunday")
    for choice in ("With friends", "Escape from Atlantis!", "Family with bots", "Atlantis"):
        page.get_by_role("button", name=re.compile(f"^{choice}")).click()
        expect(name).to_have_value("Robin")
        expect(title).to_have_value("Sunday")
    page.locator("details summary").click()
    page.get_by_role("checkbox", name="Bot on seat 1").check()
    page.get_by_role("checkbox", name="Bot on seat 2").check()
    title.press("Enter")
    expect(page.get_by_text("You need a seat yourself")).to_be_visible()
    expect(name).to_have_value("Robin")
    expect(title).to_have_value("Sunday")
    page.get_by_role("checkbox", name="Bot on seat 1").uncheck()
    title.press("Enter")
    expect(page.get_by_role("heading", name="Sunday")).to_be_visible()
    assert Game.objects.get().name == "Sunday"
