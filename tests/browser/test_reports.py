"""Reports and blocks: in each language, on a telephone, without JavaScript; and how moderators
decide about reports and appeals."""

import pytest
from django.urls import reverse

from games import selectors, services
from games.models import Action, Decision, OutboxMail, Report, User
from games.web.players import player_url
from tests.browser.audits import check, look
from tests.factories import person, table_of
from tests.support.emails import Kind, reply_to, written
from tests.support.lengths import by_length
from tests.support.replies import arrive, reply_email

from .expectations import expect
from .people import Enter, table


@pytest.mark.long
@pytest.mark.parametrize("language", by_length(["de"], ["en", "de", "fr"]))
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


# What the moderators' pages are called, by their language.
WORDS = {
    "en": {
        "remove": "Remove this message",
        "ban": "Stop someone from writing messages",
        "reason": "Reason",
        "show": "Show what will happen",
        "decide": "Decide about these reports",
        "decision": "Decision",
        "answer": "Answer the appeal",
    },
    "de": {
        "remove": "Diese Nachricht entfernen",
        "ban": "Nachrichten verbieten",
        "reason": "Begründung",
        "show": "Zeigen, was geschieht",
        "decide": "Über diese Meldungen entscheiden",
        "decision": "Entscheidung",
        "answer": "Einspruch beantworten",
    },
}


@pytest.mark.usefixtures("replies")
@pytest.mark.parametrize(("language", "width", "js"), [("en", 1280, True), ("de", 390, False)])
def test_from_a_report_to_an_appeal_that_is_granted(
    enter: Enter, alice: User, bob: User, mona: User, language: str, width: int, js: bool
) -> None:
    """Five clicks besides the text: the report, its message, the measure, the form, the effects."""
    mina = person("Mina", is_staff=True)
    User.objects.filter(pk__in=(mona.pk, mina.pk)).update(language=language)
    game, words = table_of(alice, bob), WORDS[language]
    said = services.message_write(game_id=game.pk, user=bob, text="You donkey")
    seen = selectors.game_for(alice, game.public_id)
    services.message_report(game=seen, user=alice, key=said.pk, text="He insults me.")
    view = {"viewport": {"width": width, "height": 900}, "java_script_enabled": js}
    page = enter(User.objects.get(pk=mona.pk), **view)
    page.goto("/admin/")
    page.locator("#attention td a").first.click()
    for seen_words in ("You donkey", "He insults me."):
        expect(page.get_by_text(seen_words).first).to_be_visible()
    page.get_by_label(words["remove"]).check()
    page.get_by_label(words["ban"]).check()
    page.get_by_label(words["reason"], exact=True).fill("Insults")
    page.get_by_role("button", name=words["show"]).click()
    assert Report.objects.get().outcome == ""
    page.get_by_role("button", name=words["decide"]).click()
    expect(page.locator(".messagelist .success")).to_be_visible()
    assert "We have acted on your report." in written(news(alice)).text
    ban = Decision.objects.get(action=Action.CLOSE_TALK)
    statement = OutboxMail.objects.get(dedupe_key=f"decision:{ban.pk}")
    assert not User.objects.get(pk=bob.pk).may_talk
    to = reply_to(written(statement))
    arrive(reply_email("I quoted Alice.", to, bob.email), to)
    page = enter(User.objects.get(pk=mina.pk), **view)
    page.goto("/admin/")
    page.locator("#attention td a").first.click()
    expect(page.get_by_text("I quoted Alice.")).to_be_visible()
    page.get_by_label(words["decision"], exact=True).select_option("yes")
    page.get_by_label(words["reason"], exact=True).fill("So he did")
    page.get_by_role("button", name=words["answer"]).click()
    expect(page.locator(".messagelist .success")).to_be_visible()
    assert User.objects.get(pk=bob.pk).may_talk


def news(user: User) -> OutboxMail:
    return OutboxMail.objects.filter(kind=Kind.REPORT, user=user).latest("pk")


def test_axe_finds_nothing_on_the_pages_of_reports(
    enter: Enter, alice: User, bob: User, mona: User
) -> None:
    """Without a policy, as in test_admin_pages."""
    game = table_of(alice, bob)
    said = services.message_write(game_id=game.pk, user=bob, text="You donkey " + "x" * 90)
    seen = selectors.game_for(alice, game.public_id)
    made = services.message_report(game=seen, user=alice, key=said.pk, text="He insults me.")
    page = enter(mona, bypass_csp=True)
    for name, row in (
        ("report_changelist", None),
        ("report_change", made),
        ("message_change", said),
    ):
        page.goto(reverse(f"admin:games_{name}", args=[row.pk] if row is not None else []))
        check(page)
