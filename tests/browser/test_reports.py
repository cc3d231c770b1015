"""Reports and blocks: in each language, on a telephone, without JavaScript; and how a moderator
closes reports."""

import pytest
from django.urls import reverse

from games import selectors, services
from games.models import Report, User
from games.web.players import player_url
from tests.browser.audits import check, look
from tests.factories import table_of

from .expectations import expect
from .people import Enter, table


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_the_forms_fit_every_window_and_axe_finds_nothing(
    enter: Enter, alice: User, bob: User, language: str
) -> None:
    bob.language = language
    bob.save()
    game = table_of(alice, bob)
    said = services.message_write(game_id=game.pk, user=alice, text="You donkey " + "x" * 90)
    services.person_block(user=bob, person=alice, is_blocked=True)
    page = enter(bob)
    paths = [f"{table(game)}report/message/{said.pk}/", f"{table(game)}report/0/"]
    for path in (*paths, f"{player_url(alice)}report/", player_url(alice), "/settings/blocked/"):
        look(page, path, dark=True)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_player_reports_a_message_and_blocks_its_author(
    enter: Enter, alice: User, bob: User, scripts: bool
) -> None:
    game = table_of(alice, bob)
    services.message_write(game_id=game.pk, user=alice, text="You donkey")
    page = enter(bob, java_script_enabled=scripts)
    page.goto(table(game))
    page.locator("#talk").get_by_role("link", name="Report (You donkey)").click()
    page.get_by_label("What happened?").fill("She insults me.")
    page.get_by_role("button", name="Send report").click()
    expect(page.get_by_text("Your report has reached the moderators.")).to_be_visible()
    assert Report.objects.get().quoted == "You donkey"
    page.get_by_text("Mute, block or report").click()
    page.get_by_role("button", name="Block Alice").click()
    expect(page.get_by_text("You have blocked Alice.")).to_be_visible()
    page.get_by_role("button", name="Unblock (Alice)").click()
    expect(page.get_by_text("You have blocked nobody.")).to_be_visible()


@pytest.mark.parametrize(("width", "scripts"), [(768, True), (1280, False)])
def test_reports_are_closed_in_three_clicks_besides_the_text(
    enter: Enter, alice: User, bob: User, mona: User, width: int, scripts: bool
) -> None:
    game = table_of(alice, bob)
    said = services.message_write(game_id=game.pk, user=bob, text="You donkey")
    seen = selectors.game_for(alice, game.public_id)
    services.message_report(game=seen, user=alice, key=said.pk, text="He insults me.")
    services.name_report(user=alice, person=bob, text="It is rude.")
    page = enter(mona, java_script_enabled=scripts, viewport={"width": width, "height": 900})
    page.goto(reverse("admin:games_report_changelist"))
    page.get_by_role("link", name="The name of Bob").click()
    page.get_by_label("Sentence to the reporters").select_option("acted")
    page.get_by_label("Reason").fill("I removed it.")
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_text("Closed. The people who reported it get an email.")).to_be_visible()
    assert set(Report.objects.values_list("outcome", flat=True)) == {"acted"}


def test_axe_finds_nothing_on_the_pages_of_reports(
    enter: Enter, alice: User, bob: User, mona: User
) -> None:
    """Without a policy, as in test_admin_pages."""
    game = table_of(alice, bob)
    said = services.message_write(game_id=game.pk, user=bob, text="You donkey " + "x" * 90)
    seen = selectors.game_for(alice, game.public_id)
    made = services.message_report(game=seen, user=alice, key=said.pk, text="He insults me.")
    page = enter(mona, bypass_csp=True)
    for path in ("changelist", "change"):
        arguments = [made.pk] if path == "change" else []
        page.goto(reverse(f"admin:games_report_{path}", args=arguments))
        check(page)
