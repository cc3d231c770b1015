"""A moderator suspends a person, who reads so at the sign-in."""

from datetime import timedelta

import pytest

from games import services
from games.models import User, database_clock
from tests.browser.audits import check
from tests.factories import table_of
from tests.support.accounts import sent_code
from tests.support.lengths import by_length

from .expectations import expect
from .people import Enter

WITH_AND_WITHOUT_JS = pytest.mark.parametrize("js", [True, False])


@WITH_AND_WITHOUT_JS
def test_from_a_table_to_a_suspended_person_in_three_clicks_besides_the_text(
    enter: Enter, alice: User, bob: User, mona: User, js: bool
) -> None:
    game = table_of(alice, bob)
    page = enter(mona, java_script_enabled=js, bypass_csp=js)
    page.goto(f"/admin/games/game/{game.pk}/change/")
    page.get_by_role("link", name="Alice", exact=True).first.click()
    page.get_by_label("Reason").fill("Insults at three tables")
    page.get_by_label("Rule of conduct").select_option("polite")
    page.get_by_text("Suspend", exact=True).first.click()
    if js:
        check(page)
    page.get_by_role("button", name="Suspend", exact=True).click()
    expect(page.get_by_text("Alice cannot sign in, join or move until")).to_be_visible()
    expect(page.get_by_text("Bob (English): moderator action")).to_be_visible()
    if js:
        check(page)
    page.get_by_role("button", name="Suspend", exact=True).click()
    expect(page.get_by_text("Done: Suspend: Insults at three tables")).to_be_visible()
    expect(page.get_by_text("The suspension ends:")).to_be_visible()
    assert not User.objects.get(pk=alice.pk).is_active


@pytest.mark.long
@pytest.mark.parametrize("language", by_length(["de"], ["en", "de", "fr"]))
def test_the_sign_in_says_until_when(enter: Enter, alice: User, mona: User, language: str) -> None:
    alice.language = language
    alice.save()
    until = database_clock.now() + timedelta(days=7)
    services.moderate_suspend(user=alice, until=until, ruling=services.Ruling(mona, "Insults"))
    page = enter(None, bypass_csp=True, locale=language)
    page.goto("/accounts/login/")
    page.locator("[name=login]").fill(alice.email)
    page.keyboard.press("Enter")
    code = page.locator("[name=code]")
    expect(code).to_be_focused()
    page.keyboard.type(sent_code(alice.email))
    page.keyboard.press("Enter")
    said = {"en": "suspended", "de": "gesperrt", "fr": "suspendu"}[language]
    expect(page.get_by_role("heading", name=said)).to_be_visible()
    check(page)
