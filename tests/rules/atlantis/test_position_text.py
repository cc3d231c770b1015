"""The position in words names everything that the board shows."""

import re
from functools import cache

import pytest

from games.rules.atlantis.model import FIGURES, MAINLAND, State
from games.rules.atlantis.position_text import position_text

from .games import ATLANTIS, finished, sensible


@cache
def played() -> list[State]:
    return [*sensible(3, 5), finished(2, 6)]


@pytest.fixture(params=(0, 12, 24, -1))
def state(request: pytest.FixtureRequest) -> State:
    """Of games of bots; the last is the end of one."""
    state: State = played()[request.param]
    return state


def sections(state: State, viewer: int | None = None) -> dict[str, list[str]]:
    found = position_text(ATLANTIS.rules.view(state, viewer))
    return {str(section.title): [str(line) for line in section.lines] for section in found}


def test_every_space_of_the_path_is_named_once(state: State) -> None:
    named: list[int] = []
    for line in sections(state)["The path"]:
        if found := re.match(r"(?:Space|Gap at|Water at) (\d+)(?:–(\d+))?", line):
            named += range(int(found[1]), int(found[2] or found[1]) + 1)
    assert named == list(range(1, MAINLAND))


def test_every_figure_stands_where_its_line_puts_it(state: State) -> None:
    lines = sections(state)["The path"]
    for seat, figures in enumerate(state.figures):
        for figure, space in zip(FIGURES, figures, strict=True):
            (line,) = (line for line in lines if f"figure {figure} (seat {seat + 1})" in line)
            place = {0: "Atlantis", MAINLAND: "Mainland"}.get(space, f"Space {space}:")
            assert line.startswith(place)


def test_a_hand_is_no_part_of_the_position() -> None:
    state = next(iter(sensible(2, 7)))
    assert sections(state, 0) == sections(state, 1) == sections(state, None)
