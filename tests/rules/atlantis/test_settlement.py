"""The final scoring, explained so that a reader can add it up."""

import re

import pytest
from msgspec.structs import replace

from games.rules.atlantis.model import State, View
from games.rules.atlantis.settlement import ending, settlement
from games.rules.chance import SeededChance
from games.rules.contract import Outcome
from games.rules.text import Seat
from tests.rules.atlantis.position_lines import parse_position

from .games import ATLANTIS, finished


def ended(position: str, line: str) -> View:
    """The view of all after this move, which ends the game."""
    state = parse_position(position)
    (seat,) = ATLANTIS.rules.to_act(state)
    move = ATLANTIS.notation.parse(line, ATLANTIS.rules.view(state, seat))
    after: State = ATLANTIS.fold(
        ATLANTIS.rules.decide(state, seat, move, SeededChance(bytes(32), 1)), state
    )
    view: View = ATLANTIS.rules.view(after, None)
    return view


def explained(view: View) -> dict[int, list[str]]:
    return {seat: [str(line) for line in lines] for seat, lines in settlement(view)}


def test_before_the_end_there_is_nothing_to_explain() -> None:
    state = parse_position("f1 o2 | *0/0/0 fo - | 0/0/0 - -")

    assert settlement(ATLANTIS.rules.view(state, 0)) == ()


def test_gaps_payment_tiles_cards_and_score_are_listed_line_by_line() -> None:
    view = ended("f5 . o1 . c4 . s1 r5 h2 | *8/M/M r - | 1/5/M - s7 | 5/M/M ff -", "A ring")
    lines = explained(view)

    assert lines[1] == [
        "Figure A crossed 3 gaps in the final movement: 1 + 1 + 1 = 3.",
        "Figure B crossed 1 gap in the final movement: 1.",
        "Owed 4 and paid with tile 7.",
        "Overpaid by 3. No change is given.",
        "No tiles: 0.",
        "0 cards in hand: 0.",
        "Score: 0 points.",
    ]
    assert lines[2] == [
        "Figure A crossed 1 gap in the final movement: 1.",
        "Owed 1 and paid with 1 card (flag).",
        "No tiles: 0.",
        "1 card in hand: 1.",
        "Score: 1 point.",
    ]


def test_a_player_who_ended_the_game_owes_nothing() -> None:
    lines = explained(ended("f5 o3 | *1/M/M fs s4 | M/M/0 - -", "A statue"))

    assert lines[0] == [
        "All figures are on the mainland, so nothing is owed.",
        "2 tiles: 4 + 3 = 7.",
        "5 cards in hand: 5.",
        "Score: 12 points.",
    ]


def test_a_debt_that_cannot_be_paid_is_named() -> None:
    lines = explained(ended("f6 . o7 s2 | *3/M/M r - | 1/1/M f s2 | 0/0/0 - -", "A ring"))

    assert "Owed 12 and paid with tile 2 and 1 card (flag)." in lines[1]
    assert "Unpaid debt: −9." in lines[1]
    assert not any("Overpaid" in line for line in lines[1])
    assert lines[1][-1] == "Score: -9 points."


def test_with_nothing_at_all_to_pay_there_is_only_the_debt() -> None:
    lines = explained(ended("f6 . o7 s2 | *3/M/M r - | 1/M/M - -", "A ring"))

    assert lines[1][1] == "Owed 6, with nothing to pay with."


def test_the_winner_is_explained_first() -> None:
    view = ended("f6 . o7 s2 | *3/M/M r - | 1/M/M - s7s7 | 1/1/1 - -", "A ring")

    assert [seat for seat, _lines in settlement(view)] == [1, 0, 2]


def test_a_player_whose_figures_never_left_owes_like_everybody() -> None:
    lines = explained(ended("f5 o3 | *1/M/M fs s4 | 0/0/0 o -", "A statue"))

    assert lines[1][0] == "Nothing is owed for the final movement."


def test_several_tiles_pay_the_highest_first() -> None:
    view = ended("f6 . o7 s2 | *3/M/M r - | 1/M/M - s2s3s1", "A ring")

    assert explained(view)[1][1] == "Owed 6 and paid with tiles 3, 2 and 1."


def test_the_end_names_the_player_whose_figures_had_all_arrived() -> None:
    view = ended("f5 . o1 . c4 . s1 r5 h2 | 1/5/M - s7 | *8/M/M r - | 5/M/M ff -", "A ring")

    sentence = ending(view)
    assert sentence is not None
    assert "all three figures" in str(sentence)
    assert dict(sentence.params) == {"seat": Seat(1)}
    assert ending(ATLANTIS.rules.view(parse_position("f1 o2 | *0/0/0 fo - | 0/0/0 - -"), 0)) is None


def test_points_on_the_way_are_tiles_and_cards_and_at_the_end_the_scores() -> None:
    state = parse_position("f1 o2 | *0/0/0 foo s4h3 | 0/0/0 f -")
    assert ATLANTIS.rules.points(state) == (10, 1)

    over = replace(state, outcome=Outcome((7, -2), (0,)))
    assert ATLANTIS.rules.points(over) == (7, -2)


def test_no_move_can_be_taken_back_and_none_is_left_in_advance() -> None:
    state = parse_position("f1 o2 | *0/0/0 fo - | 0/0/0 - -")
    command = next(ATLANTIS.rules.legal_commands(state, 0))
    events = ATLANTIS.rules.decide(state, 0, command, SeededChance(bytes(32), 1))
    assert not ATLANTIS.rules.is_reversible(events)
    assert not ATLANTIS.rules.is_order(command)
    assert ATLANTIS.rules.due_command(state, 0) is None


@pytest.mark.parametrize(("seats", "seed"), [(2, 21), (3, 22), (4, 23), (4, 24)])
@pytest.mark.parametrize("bots", [True, False])
def test_the_lines_of_any_game_add_up_to_its_scores(seats: int, seed: int, bots: bool) -> None:
    state = finished(seats, seed, bots=bots)
    assert state.outcome is not None
    lines = explained(ATLANTIS.rules.view(state, None))

    assert sorted(lines) == list(range(seats))
    for seat, said in lines.items():
        kept = number(said, r"(?:No|\d+) tiles?: (?:.* )?(\d+)\.")
        cards = number(said, r"\d+ cards? in hand: (\d+)\.")
        debt = number(said, r"Unpaid debt: −(\d+)\.")
        score = number(said, r"Score: (-?\d+) points?\.")
        assert kept + cards - debt == score == state.outcome.scores[seat]
        crossed = sum(
            int(match[1]) for line in said if (match := re.search(r"gaps?: (?:.* )?(\d+)\.$", line))
        )
        assert crossed == number(said, r"Owed (\d+),")


def number(lines: list[str], pattern: str) -> int:
    """The number in the line of this kind; 0 where there is none."""
    return next((int(match[1]) for line in lines if (match := re.match(pattern, line))), 0)
