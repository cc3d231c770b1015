"""Without a network a page stays, says so and sends later; the last position can be read."""

import pytest
from playwright.sync_api import Page

from games.models import User
from tests.factories import fresh, play_one, table_of

from .expectations import expect, wait_for_script
from .people import Enter, answer, instant, table


def is_controlled(page: Page) -> None:
    """Wait until the service worker has kept this page."""
    wait_for_script(page, "navigator.serviceWorker.controller !== null")
    page.reload()
    wait_for_script(
        page, "async () => Boolean(await caches.match(location.origin + location.pathname))"
    )


def test_a_move_that_is_confirmed_offline_is_sent_later(
    enter: Enter, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    page = enter(alice, service_workers="allow")
    page.goto(table(game))
    instant(page)
    answer(page, "figure")
    page.context.set_offline(True)
    expect(
        page.get_by_text("You’re offline. This page shows the last known state.")
    ).to_be_visible()
    answer(page, "landing")  # choosing needs no network
    page.locator("#confirm").click()
    expect(page.get_by_text("will be sent as soon as you’re online")).to_be_visible()
    assert fresh(game).version == game.version
    page.context.set_offline(False)
    expect(page.get_by_text("Your move has been made.")).to_be_visible()
    assert fresh(game).version > game.version


def test_the_page_stays_until_the_next_one_can_be_fetched(
    enter: Enter, alice: User, bob: User
) -> None:
    """The network may fail once more after the move was sent; the browser's error must not take the
    place of the board."""
    page = enter(alice)
    path = table(table_of(alice, bob))
    page.goto(path)
    instant(page)
    for question in ("figure", "landing"):
        answer(page, question)
    page.context.set_offline(True)
    page.locator("#confirm").click()
    expect(page.get_by_text("will be sent as soon as you’re online")).to_be_visible()
    page.route(f"**{path}", lambda route: route.abort(), times=1)
    page.context.set_offline(False)
    expect(page.get_by_text("Your move has been made.")).to_be_visible()


@pytest.mark.usefixtures("event_process")
def test_the_last_position_is_readable_offline_until_the_reader_signs_out(
    enter: Enter, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    page = enter(bob, service_workers="allow")
    page.goto(table(game))
    is_controlled(page)
    play_one(game)
    expect(page.locator(".turn")).to_contain_text("It’s your turn")
    page.context.set_offline(True)
    page.goto(table(game))
    expect(page.locator(".turn")).to_contain_text("It’s your turn")
    expect(page.locator("#offline")).to_be_visible()
    page.context.set_offline(False)
    page.goto("/accounts/logout/")
    page.locator("main form button").click()
    page.wait_for_url("**/")
    kept = page.evaluate(
        "caches.keys().then((names) => names.filter((n) => n.startsWith('reader')))"
    )
    assert kept == []


def test_a_device_without_space_shows_whole_pages(enter: Enter, alice: User) -> None:
    page = enter(alice, service_workers="allow")
    page.goto("/")
    is_controlled(page)
    devtools = page.context.new_cdp_session(page)
    origin = page.evaluate("location.origin")
    devtools.send("Storage.overrideQuotaForOrigin", {"origin": origin, "quotaSize": 1})
    devtools.send("Network.clearBrowserCache")
    page.evaluate("caches.delete('files-1')")
    page.goto("/settings/")
    expect(page.locator("html.js")).to_be_attached()
    assert page.evaluate("getComputedStyle(document.querySelector('.brand')).display") == "flex"
