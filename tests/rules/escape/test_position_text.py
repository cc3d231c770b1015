"""The position in words names everything that the board shows."""

import re

import pytest

from games.rules.escape import ESCAPE
from games.rules.escape.board import out
from games.rules.escape.hexes import ISLE_SHORES, NAMES
from games.rules.escape.model import SEA, State
from games.rules.escape.names import explorer_name
from games.rules.escape.position_text import position_text

from .games import Moment, sensible


@pytest.fixture(params=(0, 60, -1))
def state(request: pytest.FixtureRequest) -> State:
    """Of a game of bots: its beginning, its middle and its end."""
    moment: Moment = sensible(3)[request.param]
    return moment.state


def lines_of(state: State, viewer: int | None = None) -> list[str]:
    sections = position_text(ESCAPE.rules.view(state, viewer))
    return [str(line) for section in sections for line in section.lines]


def test_every_explorer_on_the_board_or_safe_is_named_once(state: State) -> None:
    places = [line for line in lines_of(state) if not line.startswith("seat")]
    named = re.findall(r"\b[UVYN]\d+\b", " ".join(places))
    there = [explorer_name(who) for who, place in enumerate(state.board.where) if place >= 0]
    assert sorted(named) == sorted(there)


def test_every_tile_ship_and_creature_is_named(state: State) -> None:
    text, board = "\n".join(lines_of(state)), state.board
    land = len(re.findall(r"^[A-M]\d+: (?:beach|forest|mountain)", text, re.MULTILINE))
    assert land == sum(letter != SEA for letter in board.map)
    assert len(re.findall(r"ship with|empty ship", text)) == len(board.ships)
    creatures = re.findall(r"(\d+) (?:sea serpent|shark|whale)", text)
    assert sum(map(int, creatures)) == len(board.serpents + board.sharks + board.whales)


def test_values_are_named_to_their_owner_only() -> None:
    state = sensible(3)[60].state
    assert any(out(place) for place in state.board.where)
    assert "values" not in "\n".join(lines_of(state, None))
    (mine,) = (line for line in lines_of(state, 0) if line.startswith("seat 1"))
    assert "values" in mine
    assert not any("values" in line for line in lines_of(state, 0) if line != mine)


def test_every_isle_is_named_with_the_hexes_beside_it(state: State) -> None:
    isles = [line for line in lines_of(state) if line.startswith("Isle ")]
    beside = [line.partition(", beside ")[2].partition(":")[0] for line in isles]
    shores = [" and ".join(NAMES[hex_] for hex_ in shore) for shore in ISLE_SHORES]
    assert beside == shores
    legend = ESCAPE.presentation.board_text(ESCAPE.rules.view(state, None))
    assert all(shore.replace(" and", "") in legend for shore in shores)
