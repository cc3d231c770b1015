"""A line for another stage is refused with the reason of that stage, whatever else is wrong with
it."""

import pytest

from games.rules.atlantis.model import View
from games.rules.atlantis.notation import describe, parse
from games.rules.errors import MalformedMove, MoveError

from .games import ATLANTIS
from .tables import play, table

POSITION = "f1 o2 h3 | *0/0/0 fo o4h6 | 0/0/0 - -"
STUCK = "f3 . o5 | *1/M/M o - | 0/0/0 - - | deck shc"

VIEWS: dict[str, View] = {
    "turn": ATLANTIS.rules.view(table(POSITION), 0),
    "bought": ATLANTIS.rules.view(play(POSITION, "buy 4").state, 0),
    "stuck": ATLANTIS.rules.view(table(STUCK), 0),
    "another": ATLANTIS.rules.view(table(POSITION), 1),
}
MOVES = ["A flag", "A", "A crown crown pay 7", "bridge 2 A flag", "B helmet pay cheapest"]
SALES = ["buy 6", "buy", "buy 99", "buy crown 9", "kaufe", "buy 6 and 4"]
PASSES = ["pass", "passe", "no", "nothing", "None", "nichts", "Nein.", "rien"]


def refusal(line: str, view: View) -> str:
    with pytest.raises(MoveError) as refused:
        parse(line, view)
    return str(refused.value)


@pytest.mark.parametrize("line", [*SALES, *PASSES])
def test_what_cannot_be_planned_is_refused_out_of_turn(line: str) -> None:
    assert refusal(line, VIEWS["another"]) == "It’s not your turn."


@pytest.mark.parametrize("line", MOVES)
def test_a_move_out_of_turn_is_refused_with_how_to_plan_it(line: str) -> None:
    assert refusal(line, VIEWS["another"]).startswith("It’s not your turn.")


def test_nobody_can_move_before_the_game_has_started() -> None:
    view = ATLANTIS.rules.view(ATLANTIS.rules.initial(), 0)
    assert refusal("A flag", view) == "It’s not your turn."


def test_words_out_of_turn_are_no_move() -> None:
    with pytest.raises(MalformedMove):
        parse("hello there", VIEWS["another"])


@pytest.mark.parametrize("line", SALES)
def test_a_second_sale_is_refused_for_that_reason(line: str) -> None:
    assert "You have already bought cards this turn." in refusal(line, VIEWS["bought"])


@pytest.mark.parametrize("line", PASSES)
def test_no_and_nothing_pass_where_nothing_can_be_done(line: str) -> None:
    assert describe(parse(line, VIEWS["stuck"]), VIEWS["stuck"]) == "pass"
    for stage in ("turn", "bought"):
        assert "You have a legal move, so you cannot pass." in refusal(line, VIEWS[stage])
