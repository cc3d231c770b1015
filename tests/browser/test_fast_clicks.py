"""Clicks that are faster than the answers of the server."""

import pytest
from playwright.sync_api import Page

from games.models import Game, User
from tests.factories import play_turns, table_of
from tests.support.escape_games import game_with
from tests.support.lengths import by_length, combined

from .expectations import expect, wait_for_script
from .people import Enter, instant, table

SIZES = [(360, 740), (1366, 768)]
# Random numbers that are the same in every run, and answers that come up to 0.7 s late.
SLOW = """(seed) => {
    let luck = seed
    let away = 0
    const ask = window.fetch
    window.random = () => (luck = (luck * 16807) % 2147483647) / 2147483647
    window.fetch = async (...request) => {
        away++
        try {
            await new Promise((done) => setTimeout(done, 700 * random()))
            return await ask(...request)
        } finally {
            away--
        }
    }
    window.settled = () => !away && !document.querySelector(".busy")
}"""
# Clicks on eight things that can be chosen; the answers in the address of the last one, its own at
# the end.
CLICK = """async () => {
    let address
    for (let nth = 0; nth < 8; nth++) {
        const links = [...document.querySelectorAll("#board a.target[href]:not(.idle)")]
        const link = links[Math.floor(random() * links.length)]
        address = link.getAttribute("href")
        const click = new MouseEvent("click", { bubbles: true, cancelable: true })
        link.querySelector(".halo").dispatchEvent(click)
        await new Promise((done) => setTimeout(done, 60 + 240 * random()))
    }
    return [...new URL(address, location.href).searchParams].map(([name, value]) => `${name}=${value}`)
}"""
ANSWERS = "() => [...new URLSearchParams(location.search)].map(([n, v]) => `${n}=${v}`)"


def click_fast(page: Page, path: str, seed: int) -> None:
    page.goto(path)
    instant(page)
    page.evaluate(SLOW, seed)
    wanted = page.evaluate(CLICK)
    wait_for_script(page, "settled()")
    page.wait_for_timeout(100)
    wait_for_script(page, "settled()")
    expect(page.locator("#orders")).to_be_visible()
    assert page.url.partition("?")[0].endswith(path)
    assert wanted[-1] in page.evaluate(
        ANSWERS
    )  # a step says who makes it, so "who" may be left out


@pytest.mark.long
@pytest.mark.parametrize("seed", by_length((11,), range(1, 30)))
@pytest.mark.parametrize(("size", "kind"), combined(SIZES, ["atlantis", "escape"]))
def test_fast_clicks_end_on_the_table_with_the_last_choice(
    enter: Enter,
    monkeypatch: pytest.MonkeyPatch,
    alice: User,
    bob: User,
    kind: str,
    size: tuple[int, int],
    seed: int,
) -> None:
    game: Game
    if kind == "atlantis":
        game = play_turns(table_of(alice, bob), 6)
    else:
        game = game_with(monkeypatch, (alice, bob), lambda state: state.board.turn == 1)
    player = (alice, bob)[game.to_act[0]]
    page = enter(player, viewport={"width": size[0], "height": size[1]})
    click_fast(page, table(game), seed)
