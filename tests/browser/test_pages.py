"""Every page in every shape: axe finds nothing, nothing scrolls sideways, nothing breaks the
policy.

In the short form, axe looks at a page of each template in the wide light form, at some also in the
narrow dark one; in the long form, at all pages in both.
The policy is watched by `new_page`: whatever it had to stop fails the test.
"""

import pytest
from pytest_django import Settings

from games.mail import outbox, signed_links
from games.models import Game, Seat, User, address_digest
from games.web.dev_mailbox import sent_emails
from tests.browser.audits import check, look
from tests.factories import (
    log_of,
    miss_deadline,
    person,
    play_one,
    play_to_the_end,
    play_turns,
    table_of,
)
from tests.support.lengths import LONG, by_length
from tests.support.moderators import enrolment_link, make_admin
from tests.support.replies import UNCLEAR_LINE, unclear_reply

from .expectations import expect
from .people import Enter, answer, instant, table


@pytest.mark.long
def test_pages_for_everybody(enter: Enter, alice: User) -> None:
    table_of(alice, seats=3)
    page = enter(None)
    for path in ("/", "/about/", "/rules/atlantis/", "/accounts/login/"):
        look(page, path)
    look(page, "/nowhere/", 404)
    page.goto("/accounts/login/")
    page.get_by_label("Your email address").fill("nora@example.org")
    page.get_by_role("button", name="Send me a code").click()
    expect(page.get_by_role("heading", name="Check your email")).to_be_visible()
    check(page, dark=True)


@pytest.mark.long
def test_pages_of_an_account(enter: Enter, alice: User) -> None:
    page = enter(alice)
    look(page, "/settings/", dark=True)
    for path in (
        "/new/?game=escape&preset=family",
        "/settings/mails/",
        "/settings/mails/digest/",
        "/accounts/email/",
        "/accounts/sessions/",
        "/accounts/logout/",
        table(table_of(alice, seats=3, bots=1)),
    ):
        look(page, path)
    for path in ("/settings/feeds/", "/rules/"):
        look(page, path, audit=LONG)
    if LONG:  # other tests look at them, too
        for path in ("/", "/new/", "/tables/", "/settings/absences/"):
            look(page, path)


@pytest.mark.long
def test_pages_of_seats_and_players(enter: Enter, alice: User, bob: User, dave: User) -> None:
    """A seat that is free, one that was lost, and what a player page shows."""
    game = table_of(alice, bob, timeout_policy=Game.TimeoutPolicy.OPEN)
    miss_deadline(game)
    play_one(game)
    miss_deadline(game)
    for user in by_length([dave], [alice, dave]):
        look(enter(user), table(game), audit=LONG)
    gathering = table_of(alice, bob, seats=3)
    page = enter(dave)
    look(page, table(gathering), audit=LONG)
    player = page.locator("a[href*='/players/']").first.get_attribute("href")
    assert player is not None
    look(page, player, audit=LONG)
    start = enter(dave)
    start.goto("/new/")
    start.get_by_text("Choose everything yourself").click()
    seats = start.locator("input[name=bots]")
    for count in (2, 3):  # a table has no bots on seats that it does not have
        start.check(f"input[name=seat_count][value='{count}']")
        assert [seat.is_visible() for seat in seats.all()] == [n < count for n in range(4)]
    start.get_by_role("button", name="Practise Atlantis against a bot").click()
    expect(start.get_by_role("heading", name="Practice")).to_be_visible()  # the bot may be first
    check(start, audit=LONG)


@pytest.mark.long
def test_the_panel_of_choices(enter: Enter, alice: User, bob: User) -> None:
    """With its list, with the board zoomed, and with the keys explained."""
    page = enter(alice)
    page.goto(table(play_turns(table_of(alice, bob), 6)))
    instant(page)
    page.get_by_role("button", name="Show the list").click()
    page.keyboard.press("+")
    expect(page.get_by_role("button", name="Whole board")).to_be_visible()
    check(page, audit=LONG)
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()
    check(page, audit=LONG)


@pytest.mark.long
def test_pages_of_somebody_to_whom_emails_do_not_come(enter: Enter, alice: User, bob: User) -> None:
    for user in (alice, bob):
        user.mail_trouble = f"bounce:{address_digest(user.email)}"
        user.save()
    page = enter(alice)
    look(page, "/settings/mails/stopped/")
    look(page, table(table_of(alice, bob)), audit=LONG)


@pytest.mark.long
def test_pages_of_a_game(enter: Enter, alice: User, bob: User, carol: User) -> None:
    game = play_turns(table_of(alice, bob, carol), 6)
    Seat.objects.filter(game=game, user=alice).update(overdue=True)
    seq = log_of(game).moves[3][-1].seq
    page = enter(alice)
    for path in (table(game, "?typed=x"), table(game, f"at/{seq}/")):  # of the same template
        look(page, path, audit=LONG)
    look(page, "/")
    if LONG:  # below with a move
        look(page, table(game))
    page.goto(table(game))
    for question in ("figure", "landing"):
        answer(page, question)
        expect(page.locator(f"#orders input[name={question}]:checked")).to_have_count(1)
    expect(page.locator("#confirm")).to_be_visible()
    check(page, dark=True)


@pytest.mark.long
def test_pages_of_a_game_that_is_over(enter: Enter, alice: User, bob: User, carol: User) -> None:
    game = play_to_the_end(table_of(alice, bob, carol))
    page = enter(alice)
    look(page, table(game))
    if LONG:
        for path in (table(game, f"at/{log_of(game).moves[5][-1].seq}/"), "/"):
            look(page, path)


@pytest.mark.long
def test_pages_of_a_moderator(enter: Enter, mona: User, alice: User, bob: User) -> None:
    mona.is_superuser = True
    mona.save()
    page = enter(mona)
    game = play_turns(table_of(alice, bob), 3)
    Seat.objects.filter(game=game, user=bob).update(overdue=True)
    look(page, "/admin/games/game/", dark=True)
    for path in (
        "/accounts/2fa/",
        "/accounts/2fa/totp/deactivate/",
        "/admin/",
        f"/admin/games/game/{game.pk}/change/",
    ):
        look(page, path)
    if LONG:
        for path in (table(game), "/admin/games/outboxmail/", "/admin/games/user/"):
            look(page, path)
    # Where axe breaks the policy itself; it looks at them in test_admin_pages.
    look(page, f"/admin/games/user/{alice.pk}/change/", audit=False)
    reply = unclear_reply(game, alice)
    look(page, f"/admin/games/inboundmail/{reply.pk}/change/", audit=False)
    page.get_by_label("Reason").fill("A complaint")
    page.get_by_role("button", name="Read the text").click()
    expect(page.get_by_text(UNCLEAR_LINE, exact=True)).to_be_visible()
    check(page)
    page.goto(f"/admin/games/game/{game.pk}/change/")
    page.locator("#id_reason").fill("Misread the board")
    page.locator("summary", has_text="Roll back the game").click()
    page.get_by_role("button", name="Roll back the game").click()
    expect(page.locator(".boards svg")).to_have_count(2)
    check(page)


@pytest.mark.long
def test_browsers_may_post_the_forms_of_secret_links(enter: Enter, alice: User, bob: User) -> None:
    """They would send no origin where a page forbids all referrers."""
    game = table_of(alice, bob)
    page = enter(None)
    page.goto(signed_links.turn_path(game.public_id, 0, game.version, alice))
    page.get_by_role("button", name="Continue as Alice").click()
    expect(page.locator("#orders")).to_be_visible()
    page.goto(enrolment_link(make_admin("root@example.org")))
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("#authenticator_secret")).to_be_visible()
    check(page)


@pytest.mark.long
def test_pages_behind_the_links_of_emails(
    enter: Enter, alice: User, bob: User, settings: Settings
) -> None:
    running, waiting = table_of(alice, bob), table_of(alice, seats=3)
    settings.EMAIL_BACKEND = "games.mail.backends.FolderBackend"
    outbox.drain()
    page = enter(None)
    for path in (
        f"/i/{waiting.invite_token}/",
        signed_links.turn_path(running.public_id, 0, running.version, alice),
        signed_links.kind_off_path("turn", alice),
        f"/mailbox/{sent_emails(alice.email)[0].name}/",
    ):
        look(page, path)
    for path in (
        signed_links.off_path(running.public_id, alice),
        signed_links.never_path("zoe@example.net"),
        "/mailbox/",
    ):
        look(page, path, audit=LONG)  # as pages above


def test_somebody_new_sends_the_zone_of_the_browser_with_the_name(enter: Enter, db: None) -> None:
    nora = person("Nora")
    table_of(nora, seats=3)
    User.objects.filter(pk=nora.pk).update(display_name="")
    page = enter(nora, timezone_id="Asia/Tokyo")
    page.goto("/")
    page.get_by_label("What should other players call you?").fill("Nora")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label("What should other players call you?")).to_have_count(0)
    nora.refresh_from_db()
    assert (nora.display_name, nora.time_zone) == ("Nora", "Asia/Tokyo")


def test_the_invitation_link_is_copied(enter: Enter, alice: User) -> None:
    game = table_of(alice, seats=3)
    page = enter(alice, permissions=["clipboard-read", "clipboard-write"])
    page.goto(table(game))
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert game.invite_token in page.evaluate("navigator.clipboard.readText()")
