"""The board of Escape from Atlantis on the page, after each answer of the form."""

import re

import pytest

from games.models import Game, User
from tests.support.escape_games import game_with
from tests.support.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def game(monkeypatch: pytest.MonkeyPatch, alice: User, bob: User) -> Game:
    """A game in its first turn, Alice to move."""
    return game_with(monkeypatch, (alice, bob), lambda state: state.board.turn == 1)


def test_start_over_is_offered_only_after_an_answer(game: Game, alice: User) -> None:
    hidden = '<p class="fresh" hidden>'  # until a script has an answer
    assert hidden in page_of(game, alice, "?log=all&details=all")
    answered = page_of(game, alice, "?who1=none")
    assert hidden not in answered
    assert "Start over" in answered


def test_query_parameters_are_escaped(game: Game, alice: User) -> None:
    page = page_of(game, alice, '?other="><b>x&who1="><i>y')
    assert "><b>" not in page and "><i>" not in page


def test_the_board_shows_each_step_of_the_move_before_it_is_made(game: Game, alice: User) -> None:
    version = game.version
    page = page_of(game, alice)
    who = next(
        name
        for name in re.findall(r'name="who1"\s+value="(U\d+)"', page)
        if re.search(r'name="step1"', page_of(game, alice, f"?who1={name}"))
    )
    step = re.findall(r'name="step1"\s+value="([^"]*)"', page_of(game, alice, f"?who1={who}"))[0]
    after = page_of(game, alice, f"?who1={who}&step1={step}")

    def place(page: str) -> str:
        """Return the transform that places the explorer in the drawing."""
        found: str
        (found,) = re.findall(rf'id="explorer-{who}"[^>]*transform="([^"]*)"', page)
        return found

    assert place(after) != place(page)
    game.refresh_from_db()
    assert game.version == version
