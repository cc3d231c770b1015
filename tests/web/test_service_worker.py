"""The site as an app: what a device shows of it, and whose pages it may keep."""

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from games.models import User
from tests.factories import play_turns, table_of
from tests.support.pages import signed_in
from tests.support.turn_links import turn_link_browser

pytestmark = pytest.mark.django_db
HEADER = "Atlantis-Reader"


def test_the_manifest_names_icons_that_exist(client: Client) -> None:
    answer = client.get("/manifest.webmanifest")
    assert answer["Content-Type"] == "application/manifest+json"
    manifest = answer.json()
    assert (manifest["start_url"], manifest["display"]) == ("/", "standalone")
    assert {icon["sizes"] for icon in manifest["icons"]} == {"192x192", "512x512"}
    for icon in manifest["icons"]:
        assert finders.find(icon["src"].removeprefix("/static/"))


def test_the_service_worker_is_checked_for_changes_each_time(client: Client) -> None:
    answer = client.get("/service-worker.js")
    assert answer["Content-Type"].startswith("text/javascript")
    assert answer["Cache-Control"] == "no-cache"


def test_pages_that_may_be_kept_say_whose_they_are(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    readers = set()
    for user in (alice, bob):
        client = signed_in(user)
        found = {client.get(path)[HEADER] for path in ("/", f"/g/{game.public_id}/")}
        assert len(found) == 1
        readers |= found
        assert HEADER not in client.get("/settings/")
        assert HEADER not in client.get(f"/g/{game.public_id}/version")
    assert len(readers) == 2
    assert "nobody" not in readers


def test_pages_of_visitors_and_of_turn_links_make_a_device_forget(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 1)
    path = f"/g/{game.public_id}/"
    assert Client().get(path)[HEADER] == "nobody"
    link = turn_link_browser(game, bob)
    assert b'id="orders"' in link.get(path).content
    assert link.get(path)[HEADER] == "nobody"


def test_a_sign_out_clears_the_device(alice: User) -> None:
    client = signed_in(alice)
    assert "Clear-Site-Data" not in client.get("/")
    answer = client.post("/accounts/logout/")
    assert answer["Clear-Site-Data"] == '"cache", "storage"'
    assert "Clear-Site-Data" not in client.get("/")
