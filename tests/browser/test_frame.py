"""What surrounds the content: one left edge on all pages, and messages that move nothing."""

from urllib.parse import quote

import pytest
from playwright.sync_api import Page, ViewportSize

from games.models import Game, Seat, User
from games.web.players import player_url
from tests.factories import log_of, play_one, play_to_the_end, play_turns, some_move, table_of

from .audits import check
from .expectations import expect
from .people import Enter, table

WIDE: list[ViewportSize] = [
    {"width": 768, "height": 1024},
    {"width": 1366, "height": 768},
    {"width": 1920, "height": 1080},
]
ALL: list[ViewportSize] = [{"width": 360, "height": 740}, *WIDE]
EDGES = """names => names.map(name => {
    const part = [...document.querySelectorAll(name)].find(one => one.checkVisibility())
    return Math.round(part.getBoundingClientRect().left)
})"""
HOME = [".brand", "h2", "main section", ".foot p"]
TEXT = [".brand", "h1", "main form", ".foot p"]
PROFILE = [".brand", "h1", ".foot p"]
LOBBY = [".brand", "h1", "main section", ".foot p"]
TABLE = [".brand", "h1", "#board > svg", ".foot p"]


def waits_for(game: Game, user: User, *, waits: bool) -> Game:
    """Play on until it is this person's turn, or no longer."""
    while (Seat.objects.get(game=game, user=user).asked_seq is not None) != waits:
        play_one(game)
    return game


def test_header_content_and_footer_have_one_left_edge(
    enter: Enter, alice: User, bob: User, carol: User
) -> None:
    mine = waits_for(play_turns(table_of(alice, bob, carol), 6), alice, waits=True)
    theirs = waits_for(play_turns(table_of(alice, bob, carol), 6), alice, waits=False)
    over = play_to_the_end(table_of(alice, bob, carol))
    page = enter(alice)
    for path, parts in (
        ("/", HOME),
        (table(table_of(alice, seats=3)), LOBBY),
        (table(mine), TABLE),
        (table(theirs), TABLE),
        (table(over), TABLE),
        ("/settings/", TEXT),
        ("/new/", TEXT),
        (player_url(bob), PROFILE),
    ):
        page.goto(path)
        for size in WIDE:
            page.set_viewport_size(size)
            edges = page.evaluate(EDGES, parts)
            assert max(edges) - min(edges) <= 1, (path, size, dict(zip(parts, edges, strict=True)))


def top_of_the_board(page: Page) -> float:
    top: float = page.evaluate("document.querySelector('#board > svg').getBoundingClientRect().top")
    return top


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_a_message_does_not_move_the_board(
    enter: Enter, alice: User, bob: User, script: bool
) -> None:
    game = waits_for(play_turns(table_of(alice, bob), 6), alice, waits=True)
    page = enter(alice, java_script_enabled=script)
    for size in ALL:
        waits_for(game, alice, waits=True)
        page.set_viewport_size(size)
        seat, command = some_move(game)
        log = log_of(game)
        line = log.engine.notation.describe(command, log.engine.rules.view(log.state, seat))
        page.goto(table(game, f"?typed={quote(line)}"))
        page.locator("#confirm").click()
        expect(page.get_by_text("Your move has been made.")).to_be_visible()
        with_message = top_of_the_board(page)
        page.goto(table(game))
        expect(page.get_by_text("Your move has been made.")).to_have_count(0)
        assert top_of_the_board(page) == with_message, size


@pytest.mark.parametrize("kind", ["atlantis", "escape"])
def test_scores_and_the_rematch_are_on_the_first_screen(
    enter: Enter, alice: User, bob: User, carol: User, dave: User, kind: str
) -> None:
    game = play_to_the_end(table_of(alice, bob, carol, dave, kind=kind, options={}))
    page = enter(alice, viewport=WIDE[1])
    page.goto(table(game))
    scores = page.locator(".settlement .score")
    expect(scores).to_have_count(4)
    again = page.get_by_role("button", name="Play again")
    for part in (*scores.all(), again):
        expect(part).to_be_in_viewport(ratio=1)
    log = page.locator("#log").evaluate("log => [log.scrollHeight, log.clientHeight]")
    assert log[0] > log[1], "the log scrolls inside"
    check(page)  # with what unfolds
