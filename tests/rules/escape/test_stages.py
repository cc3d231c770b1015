"""A line for another stage is refused with what the game waits for, whatever else is wrong with
it."""

import pytest

from games.rules.errors import MoveError
from games.rules.escape.model import View
from games.rules.escape.notation import describe, parse

from .scenes import Scene
from .table import Table

LAND = "E5 beach U1 | E6 beach | D6 V3 | D8 shark"
DEFENDED, BARE = f"{LAND} | kept 2 shark-defence", f"{LAND} | kept 2 wind"

VIEWS: dict[str, View] = {
    "setup": Table().view(1),
    "ships": Table().place_all().view(1),
    "turn": Scene(LAND).view(1),
    "creature": Scene("A3 whale | B9 V1 ship V2 | rolled whale").view(1),
    "crew": Scene("E5 U1 U2 V1 V2 ship | site E5").view(1),
    "attack": Scene(DEFENDED, dice="shark")
    .play("U1 E6, U1 E5, U1 E6, sink E5")
    .play("shark D8 D6")
    .view(2),
    "bare": Scene(BARE, dice="shark").play("sink E5").play("shark D8 D6").view(2),
    "another": Scene(LAND).view(2),
    "others": Scene(BARE, dice="shark").play("sink E5").play("shark D8 D6").view(1),
}
WAITS_FOR = {
    "setup": "The island is being set up: place an explorer or a ship.",
    "ships": "The island is being set up: place an explorer or a ship.",
    "turn": "Play your turn: take steps and sink a tile.",
    "creature": "The die has been rolled: move a creature or leave them all where they are.",
    "crew": "First pick the three swimmers who board the new ship.",
    "attack": "Respond to the attack first.",
    "bare": "Respond to the attack first.",
    "another": "It’s not your turn. Waiting for seat 1.",
    "others": "It’s not your turn. Waiting for seat 2.",
}
SETUP, RUNNING = {"setup", "ships"}, set(WAITS_FOR) - {"setup", "ships"}

# For each kind of command: where it can be given, and how it is written, also wrongly.
KINDS: list[tuple[set[str], list[str]]] = [
    (SETUP, ["place 5 D5", "5 D5", "place", "place 99 A1", "setze 5 auf D5", "place ship D4"]),
    (
        {"turn"},
        [
            "sail C4 B3, sail B3 B2, U1 isle, sink E8",
            "sink E5",
            "sink",
            "sink Z9",
            "E5 versenken",
            "roll",
            "sail D5 C5",
            "sail",
            "dolphin U3 B6",
            "wind D5 B5",
            "dolphin",
            "move wind",
            "move U1 to E6, sink E5",
        ],
    ),
    (
        {"turn", *SETUP},
        ["U1 E6", "V3 E6", "U99 Z9", "U1 swim E4, U1 swim E5"],
    ),  # “5 E6” may be meant
    ({"turn", "creature"}, ["whale A3 A4", "move the whale", "serpent A3", "shark D8 D6 D7"]),
    ({"creature"}, ["stay", "leave", "stay there"]),
    ({"crew"}, ["crew U1 U2 V1", "crew", "crew Y9"]),
    ({"attack", "bare"}, ["defend", "allow", "yes", "Ja, ich wehre ab", "shark defence"]),
    ({"attack", "bare"}, ["Use shark defence", "use the whale defence", "Hai-Abwehr"]),
]


def refusal(line: str, view: View) -> str:
    with pytest.raises(MoveError) as refused:
        parse(line, view)
    return str(refused.value)


@pytest.mark.parametrize("stage", WAITS_FOR)
@pytest.mark.parametrize(("where", "lines"), KINDS)
def test_a_command_of_another_stage_is_refused_with_what_the_game_waits_for(
    stage: str, where: set[str], lines: list[str]
) -> None:
    view = VIEWS[stage]
    for line in lines:
        if stage not in where:
            assert refusal(line, view) == f"In “{line}”: {WAITS_FOR[stage]}"
            continue
        try:
            parse(line, view)
        except MoveError as error:
            assert stage in SETUP or WAITS_FOR[stage] not in str(error)


@pytest.mark.parametrize("line", ["plan", "plan 6", "plan 6 E5", "plan none", "plan coast inland"])
@pytest.mark.parametrize("stage", RUNNING)
def test_there_is_nothing_to_plan_after_the_setup(stage: str, line: str) -> None:
    assert "nothing left to plan" in refusal(line, VIEWS[stage])


@pytest.mark.parametrize("stage", WAITS_FOR)
def test_a_standing_answer_can_be_left_at_any_time(stage: str) -> None:
    view = VIEWS[stage]
    assert describe(parse("standing shark from 2", view), view) == "standing shark from 2"
    assert "Say when to defend" in refusal("standing shark sometimes", view)


@pytest.mark.parametrize(
    "line", ["no", "nothing", "none", "pass", "Nein", "nichts", "Non", "Rien!"]
)
@pytest.mark.parametrize(
    ("stage", "meant"), [("creature", "stay"), ("attack", "allow"), ("bare", "allow")]
)
def test_no_and_nothing_mean_that_nothing_is_done_where_that_is_possible(
    stage: str, meant: str, line: str
) -> None:
    view = VIEWS[stage]
    assert describe(parse(line, view), view) == meant


@pytest.mark.parametrize("line", ["no", "nothing", "pass"])
@pytest.mark.parametrize("stage", ["setup", "ships", "turn", "crew", "another", "others"])
def test_no_and_nothing_are_answered_with_what_is_to_be_done_elsewhere(
    stage: str, line: str
) -> None:
    assert WAITS_FOR[stage] in refusal(line, VIEWS[stage])


@pytest.mark.parametrize("line", ["shark defence", "Use shark defence", "Hai-Abwehr", "defence"])
def test_the_name_of_a_tile_that_defends_defends(line: str) -> None:
    view = VIEWS["attack"]
    assert describe(parse(line, view), view) == "defend"
    assert "no tile that defends" in refusal(line, VIEWS["bare"])


def test_the_wrong_tile_does_not_defend() -> None:
    for stage in ("attack", "bare"):
        assert "does not defend against this attack" in refusal("whale defence", VIEWS[stage])


def test_talk_that_begins_with_no_does_nothing() -> None:
    for stage in ("creature", "attack"):
        with pytest.raises(MoveError):
            parse("no idea yet, will look tonight", VIEWS[stage])
