"""A new SECRET_KEY, with and without the former one in SECRET_KEY_FALLBACKS.

docs/other-ways.md says how the keys are replaced.
"""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from atlantis_site.supervisor.stack import BASE_DIR
from atlantis_site.variables import Env
from games import services
from games.log import event_store
from games.mail import push, signed_links
from games.mail.reply_addresses import read_reply_address, reply_address
from games.models import CredentialChange, Game, MailAddress, User, address_digest
from games.web.players import player_of, player_url
from tests.factories import table_of
from tests.support.pages import signed_in
from tests.support.turn_links import only_watches, turn_link, turn_link_browser

pytestmark = pytest.mark.django_db

NEW_KEY = "the key of next year, " + "0123456789abcdefghijklmnopqrstuvwxyz"


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    """A table that waits for Alice."""
    return table_of(alice, bob, is_open=False)


@pytest.fixture
def rotate(replies: Settings) -> Callable[..., None]:
    """Replace SECRET_KEY as the documentation says; with keep=False without the former key."""

    def run(*, keep: bool = True) -> None:
        former = replies.SECRET_KEY
        replies.DATA_KEY = former
        replies.SECRET_KEY = NEW_KEY
        replies.SECRET_KEY_FALLBACKS = [former] if keep else []

    return run


def opens(path: str) -> bool:
    return Client().get(path).status_code == 200


@pytest.mark.parametrize("keep", [True, False], ids=["kept", "left out"])
def test_links_of_emails_work_as_long_as_the_former_key_is_kept(
    game: Game, alice: User, rotate: Callable[..., None], keep: bool
) -> None:
    services.change_report(user=alice, kind=CredentialChange.Kind.FEED_CREATED)
    change = CredentialChange.objects.get()
    _admin, enrolment = services.administrator_make(address="root@example.org")
    links = {
        "turn": turn_link(game, alice),
        "off": signed_links.off_path(game.public_id, alice),
        "kind": signed_links.kind_off_path("turn", alice),
        "never": signed_links.never_path("zoe@example.net"),
        "not me": signed_links.not_me_path(change.pk),
        "enrolment": reverse("enrolment", args=[enrolment]),
    }
    assert {name for name, path in links.items() if opens(path)} == set(links)
    rotate(keep=keep)
    assert {name for name, path in links.items() if opens(path)} == (set(links) if keep else set())


@pytest.mark.parametrize("keep", [True, False], ids=["kept", "left out"])
def test_sessions_and_turns_on_a_device_last_as_long_as_the_former_key_is_kept(
    game: Game, alice: User, bob: User, rotate: Callable[..., None], keep: bool
) -> None:
    browsers = {user: signed_in(user) for user in (alice, bob)}
    staff = signed_in(User.objects.create_user("mona@example.org", is_staff=True))
    scope = turn_link_browser(game, alice)
    rotate(keep=keep)
    for _request in range(2):  # the first one stores the session under the new key
        for browser in (*browsers.values(), staff):
            assert (browser.get("/settings/").status_code == 200) is keep
    assert only_watches(scope, game) is not keep


@pytest.mark.parametrize("keep", [True, False], ids=["kept", "left out"])
def test_reply_addresses_and_pages_of_players(
    alice: User, rotate: Callable[..., None], keep: bool
) -> None:
    address, page = reply_address("abcdefghijkl", 1, 17), player_url(alice)
    rotate(keep=keep)
    assert address is not None
    assert (read_reply_address(address) is not None) is keep
    assert player_of(page.split("/")[-2]) == (alice if keep else None)


@pytest.mark.parametrize("keep", [True, False], ids=["kept", "left out"])
def test_what_is_stored_as_a_digest_is_recognised_without_the_former_key(
    game: Game, alice: User, rotate: Callable[..., None], keep: bool
) -> None:
    services.address_refuse(digest=address_digest("zoe@example.net"), refused=True)
    feed = reverse("feed_news", args=[services.feed_key_create(user=alice, kind="news")])
    actor, device_key = event_store.actor_of(game, alice.pk), push.public_key()
    push._server_key.cache_clear()
    rotate(keep=keep)
    assert MailAddress.objects.filter(digest=address_digest("zoe@example.net")).exists()
    assert opens(feed)
    assert event_store.actor_of(game, alice.pk) == actor
    assert push.public_key() == device_key


def test_the_documented_lines_keep_each_former_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run twice within 180 days, as after an incident."""
    manual = (BASE_DIR / "docs" / "other-ways.md").read_text()
    lines = re.findall(r"^    (printf .*|openssl rand .*> secret_key)$", manual, re.MULTILINE)
    assert len(lines) == 2
    (tmp_path / "secret_key").write_text("first\n")
    (tmp_path / "secret_key_fallbacks").write_text("")
    for _change in range(2):
        second = (tmp_path / "secret_key").read_text().strip()
        subprocess.run(["sh", "-ec", "\n".join(lines)], cwd=tmp_path, check=True, timeout=60)
    monkeypatch.setenv("KEYS_FILE", str(tmp_path / "secret_key_fallbacks"))
    assert Env().list("KEYS") == [second, "first"]
