"""The core in Firefox: signing in, a turn of each game by taps, what others do, no JavaScript.

The long form makes both turns with and without JavaScript.
"""

from collections.abc import Iterator

import pytest

from games.models import Game, User
from tests.factories import fresh, play_one, table_of
from tests.support.accounts import sent_code
from tests.support.escape_games import game_with
from tests.support.lengths import by_length
from tests.support.processes import LiveSite

from .firefox import Firefox, firefoxes
from .people import session_of, table

OPEN = ".target:not(.idle):not(.chosen)"


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    """One Firefox for the tests of this file."""
    yield from firefoxes(tmp_path_factory.mktemp("firefox"))


@pytest.fixture
def firefox(started: Firefox, live_site: LiveSite) -> Iterator[Firefox]:
    started.resize(420, 900)
    yield started
    started.scripts(enabled=True)
    started.go(live_site.url)
    started.forget()


def sign_in(firefox: Firefox, site: LiveSite, user: User) -> None:
    firefox.go(f"{site.url}/accounts/login/")
    firefox.write("input[name=login]", user.email)
    firefox.tap("main button")
    firefox.await_any("input[name=code]")
    firefox.write("input[name=code]", sent_code(user.email))
    firefox.tap("main button")
    firefox.await_any(".home-page")


def remember(firefox: Firefox, site: LiveSite, user: User) -> None:
    """Somebody who has signed in before."""
    firefox.go(f"{site.url}/healthz")
    firefox.remember(*session_of(user, site))


def tap_board(firefox: Firefox, kind: str, *, scripted: bool) -> None:
    """Tap the first thing of this kind that may be chosen and lies open: a link without scripts."""
    tap = firefox.tap if scripted else firefox.follow
    tap(f'#board a[id^="{kind}"]{OPEN}')


def instant(firefox: Firefox, *, scripted: bool) -> None:
    """With scripts, wait until the page can choose without the server."""
    if scripted:
        firefox.await_any("#board a[data-at]")


@pytest.mark.long
@pytest.mark.parametrize("scripted", by_length([False], [True, False]))
def test_a_turn_of_atlantis_in_firefox(
    firefox: Firefox, live_site: LiveSite, alice: User, bob: User, scripted: bool
) -> None:
    firefox.scripts(enabled=scripted)
    sign_in(firefox, live_site, alice)
    game = table_of(alice, bob)
    firefox.go(live_site.url + table(game))
    instant(firefox, scripted=scripted)
    tap_board(firefox, "figure", scripted=scripted)
    firefox.await_any("#orders input[name=landing]")
    tap_board(firefox, "space", scripted=scripted)
    firefox.tap("#confirm")
    firefox.see("Your move has been made.")
    assert fresh(game).to_act == [1]


@pytest.mark.usefixtures("event_process")
def test_firefox_shows_what_the_others_do(
    firefox: Firefox, live_site: LiveSite, alice: User, bob: User
) -> None:
    remember(firefox, live_site, bob)
    game = table_of(alice, bob)
    firefox.go(live_site.url + table(game))
    firefox.await_any("html[data-live=stream]")
    firefox.evaluate("document.body.dataset.same = true")
    play_one(game)
    firefox.see("It’s your turn", ".turn")
    assert firefox.count("body[data-same]"), "the page was not loaded again"


@pytest.mark.long
@pytest.mark.parametrize("scripted", by_length([True], [True, False]))
def test_a_turn_of_escape_in_firefox(
    firefox: Firefox,
    live_site: LiveSite,
    monkeypatch: pytest.MonkeyPatch,
    alice: User,
    bob: User,
    scripted: bool,
) -> None:
    firefox.resize(900, 1000)
    game = game_with(monkeypatch, (alice, bob), lambda state: state.board.turn == 1)
    firefox.scripts(enabled=scripted)
    remember(firefox, live_site, (alice, bob)[game.to_act[0]])
    before = Game.objects.get(pk=game.pk).version
    firefox.go(live_site.url + table(game))
    instant(firefox, scripted=scripted)
    tap_board(firefox, "explorer", scripted=scripted)
    firefox.await_any("#orders input[name=step1]")
    tap_board(firefox, "hex", scripted=scripted)
    firefox.await_any("#orders input[name=step1]:checked")
    firefox.await_any("#orders input[name=who2]")
    tap_board(firefox, "hex", scripted=scripted)
    firefox.await_any("#orders input[name=who2]:checked")
    firefox.tap("#confirm")
    firefox.await_any(".message.success")
    assert fresh(game).version > before
