"""A suspended person appeals on the page, and a moderator answers in the admin."""

import pytest

from games import services
from games.mail import signed_links
from games.models import Appeal, Decision, User
from tests.browser.audits import check
from tests.factories import person
from tests.support.lengths import by_length

from .expectations import expect
from .people import Enter

WITH_AND_WITHOUT_JS = pytest.mark.parametrize("js", [True, False])


@pytest.fixture
def decision(alice: User, mona: User) -> Decision:
    mona.is_superuser = True
    return services.moderate_suspend(
        user=alice,
        until=None,
        ruling=services.Ruling(mona, "Insults at three tables", rule="polite"),
    )


@pytest.mark.long
@pytest.mark.parametrize("language", by_length(["de"], ["en", "de", "fr"]))
def test_the_page_of_a_decision_takes_one_appeal(
    enter: Enter, alice: User, decision: Decision, language: str
) -> None:
    alice.language = language
    alice.save()
    page = enter(None, bypass_csp=True, locale=language)
    page.goto(signed_links.appeal_path(decision, alice))
    expect(page.get_by_text("Insults at three tables")).to_be_visible()
    check(page, dark=True)
    page.locator("textarea").fill("I quoted Bob.\nHe wrote that first.")
    page.locator("main form button").click()
    expect(page.get_by_text("He wrote that first.")).to_be_visible()
    expect(page.locator("textarea")).to_have_count(0)
    check(page, dark=True)
    assert Appeal.objects.get().decision == decision


@WITH_AND_WITHOUT_JS
def test_an_appeal_is_answered_in_three_clicks_besides_the_text(
    enter: Enter, alice: User, decision: Decision, js: bool
) -> None:
    services.appeal_make(decision_id=decision.pk, text="I quoted Bob.")
    page = enter(
        person("Zoe", is_staff=True, is_superuser=True), java_script_enabled=js, bypass_csp=js
    )
    page.goto("/admin/")
    page.locator("#attention td a").first.click()
    expect(page.get_by_text("I quoted Bob.")).to_be_visible()
    if js:
        check(page)
    page.get_by_label("Reason").fill("Bob began")
    page.get_by_label("Decision").select_option("yes")
    page.get_by_role("button", name="Answer the appeal").click()
    expect(page.get_by_text("The appeal is answered.")).to_be_visible()
    assert User.objects.get(pk=alice.pk).is_active
