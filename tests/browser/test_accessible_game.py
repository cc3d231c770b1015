"""Games that are played through the accessibility tree alone: roles and names, no style, no
pictures.

The short form makes the first turn of Atlantis; the long one plays both games to the end. Of a game
of Escape, which has about 80 moves, it plays in this way the first moves, every sixth of the others
and all answers to what others did; bots make the rest.
"""

import re

import pytest
from playwright.sync_api import Locator, Page

from games.models import Game, User
from games.rules.escape.model import CrewStage, SetupStage, TurnStage
from tests.factories import fresh, log_of, play_one, table_of
from tests.support.escape_games import escape_table
from tests.support.game_seeds import set_seed
from tests.support.lengths import LONG, by_length

from .expectations import expect
from .people import Enter, table

TURNS = by_length(1, 400)
FIRST = 12  # moves of Escape
LUCK = {"atlantis": 71, "escape": 6}  # a short game of Atlantis
TABLES = {"atlantis": table_of, "escape": escape_table}
MOST_LOOKS, PAUSE = 600, 100  # for the next question; milliseconds between them
ORDERS = re.compile("^(Your move|Your response|Plan ahead)$")
MARK = re.compile("[✓▾]")  # signs for the eye, which nobody needs to hear
BUTTONS = re.compile("^(Confirm move|Send response|Save)$")


def orders(page: Page) -> Locator:
    """The part of the page in which a move is made."""
    return page.get_by_role("region", name=ORDERS)


def press(choice: Locator) -> None:
    """As somebody who hears the page: go there, and press the space bar."""
    choice.element_handle().press("Space")  # the answer may replace it


def answer(page: Page) -> bool:
    """Answer the first question that has no answer; whether there was one."""
    for question in orders(page).get_by_role("group").all():
        boxes = question.get_by_role("checkbox")
        if boxes.count() and boxes.first.get_attribute("name") == "pay":
            continue  # the cheapest are ticked
        if boxes.count():
            for number in range(3 - question.get_by_role("checkbox", checked=True).count()):
                press(boxes.nth(number))
            continue
        choices = question.get_by_role("radio")
        if choices.count() and not question.get_by_role("radio", checked=True).count():
            press(choices.last)
            return True
    return False


def take_a_step(page: Page) -> None:
    """In a turn of Escape, choose a piece instead of a tile to sink."""
    step = orders(page).get_by_role("group", name=re.compile("^Step . of 3"))
    pieces = step.get_by_role("radio", name=re.compile("^(?!Sink|No more)"))
    if pieces.count():
        press(pieces.first)
        expect(orders(page).get_by_role("group", name="Where to?")).to_have_count(1)


def make_a_move(page: Page) -> None:
    take_a_step(page)
    button = page.get_by_role("button", name=BUTTONS)
    for _look in range(MOST_LOOKS):
        if not answer(page):
            if button.count():
                break
            page.wait_for_timeout(PAUSE)  # the next question is on its way
    expect(orders(page).get_by_role("radio", name=MARK)).to_have_count(0)
    with page.expect_navigation():
        button.press("Enter")
    expect(page.get_by_role("status").filter(has_text=re.compile(r"\."))).not_to_have_count(0)


def read_position(page: Page) -> None:
    """The position in words, with what has changed first."""
    words = page.get_by_text("The position in words")
    if not page.get_by_role("heading", level=3).filter(has_text="last move").count():
        words.press("Enter")
    expect(page.get_by_role("listitem").first).to_be_attached()


def in_turn(game: Game) -> bool:
    """Return whether the next move of a game of Escape is not an answer to what another player
    did."""
    return isinstance(log_of(game).state.board.stage, SetupStage | CrewStage | TurnStage)


def play_by_ear(enter: Enter, game: Game, people: tuple[User, ...]) -> None:
    pages = [enter(user) for user in people]
    for turn in range(TURNS):
        now = fresh(game)
        if now.status != Game.Status.RUNNING:
            break
        if turn >= FIRST and turn % 6 and game.kind == "escape" and in_turn(now):
            play_one(game)
            continue
        page = pages[now.to_act[0]]
        page.goto(table(game, "?do=plan" if not turn and game.kind == "escape" else ""))
        if turn < by_length(1, 2):
            read_position(page)
        make_a_move(page)
    if LONG:
        assert fresh(game).status == Game.Status.FINISHED
        for page in pages:
            page.goto(table(game))
            expect(page.get_by_role("heading", name="Final score")).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize("kind", by_length(["atlantis"], ["atlantis", "escape"]))
def test_a_game_is_played_by_roles_and_names(
    enter: Enter, monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, kind: str
) -> None:
    set_seed(monkeypatch, LUCK[kind])
    play_by_ear(enter, TABLES[kind](alice, bob), (alice, bob))
