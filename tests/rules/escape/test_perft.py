"""Counts of the ways to play on from fixed positions, so that no rule changes unnoticed.

`python -m tests.rules.perft escape --position "…" --depth 3` counts them too; the die lies as it
is (a serpent), and the last number is how many positions the steps of one turn reach.
"""

import pytest

from games.rules.escape import ESCAPE
from tests.rules.escape.position_lines import parse_position
from tests.rules.perft import main, perft

from .movement_results import results

COUNTS = {
    "E5 beach=whale U1 | E6 beach=ship V1 | D5 ship | B2 serpent": ((14, 133, 1191), 166),
    "C2 ship U1 V1 | C3 U2 | B9 V2 | E5 forest=whirlpool | E6 forest=shark U3 V3 | C4 shark | "
    "D8 whale | K11 serpent": ((21, 329, 4109), 659),
    "E5 mountain=volcano U1 U2 | E6 mountain=whirlpool V1 | D5 ship U3 | F4 ship V2 | C5 whale | "
    "A3 shark | A4 V3 | B8 U4 | kept 1 dolphin wind | kept 2 shark-defence": (
        (82, 2057, 41253),
        1939,
    ),
    "options two_colours ending=last | A3 U1 N1 | B9 Y1 | L4 ship V1 Y2 | M3 shark | L9 whale | "
    "dry 3": ((17, 225, 2393), 383),
}


@pytest.mark.parametrize("position", COUNTS)
def test_a_position_has_this_number_of_continuations(position: str) -> None:
    state = parse_position(position)
    counts, reached = COUNTS[position]
    assert tuple(perft(ESCAPE, state, depth) for depth in (1, 2, 3)) == counts
    assert sum(1 for _way in results(state.board, 0)) == reached


def test_a_fresh_table_has_a_placement_for_each_value_and_tile(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["escape", "--players", "3", "--depth", "1"]) == 0
    assert capsys.readouterr().out == "depth 1: 240\n"


def test_the_command_line_counts_a_position(capsys: pytest.CaptureFixture[str]) -> None:
    position = next(iter(COUNTS))
    assert main(["escape", "--position", position, "--depth", "2"]) == 0
    assert capsys.readouterr().out == "depth 1: 14\ndepth 2: 133\n"
