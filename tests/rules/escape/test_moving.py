"""A turn, step 2: explorers and ships move, three steps in all."""

import pytest
from msgspec.structs import replace

from games.rules.errors import IllegalMove
from games.rules.escape.hexes import BY_NAME
from games.rules.escape.model import Back, Play, Step, Turn, Verb
from games.rules.escape.simulation import simulate

from .scenes import Scene


def test_an_explorer_walks_from_land_to_neighbouring_land() -> None:
    scene = Scene("E5 forest U1 | E6 beach")
    assert scene.play("U1 E6").at("E6") == "beach U1"


def test_any_number_of_explorers_may_share_a_tile() -> None:
    scene = Scene("E5 forest U1 | E6 beach V1 V2 U2 U3")
    assert scene.play("U1 E6").at("E6") == "beach U1 U2 U3 V1 V2"


def test_a_walk_leads_to_a_neighbour_only() -> None:
    scene = Scene("E5 forest U1 | E7 beach")
    assert "E7 is not next to E5" in scene.refusal("U1 E7")


def test_an_explorer_boards_a_ship_on_a_neighbouring_sea_hex() -> None:
    scene = Scene("E5 forest U1 | D5 ship V1")
    assert scene.play("U1 ship D5").at("D5") == "ship U1 V1"


def test_an_explorer_changes_from_ship_to_ship_on_a_neighbouring_hex() -> None:
    scene = Scene("C5 ship U1 | D5 ship V1")
    assert scene.play("U1 ship D5").at("D5") == "ship U1 V1"
    assert scene.at("C5") == "ship"


def test_an_explorer_steps_from_land_into_a_neighbouring_sea_hex() -> None:
    scene = Scene("E5 forest U1")
    assert scene.play("U1 swim D5").at("D5") == "U1"


def test_an_explorer_jumps_from_a_ship_into_the_ships_own_hex() -> None:
    scene = Scene("D5 ship U1 U2")
    assert scene.play("U1 swim D5").at("D5") == "U1 ship U2"


def test_nobody_jumps_from_a_ship_into_another_hex() -> None:
    scene = Scene("D5 ship U1")
    assert "same hex, D5" in scene.refusal("U1 swim C5")


def test_a_ship_holds_three() -> None:
    scene = Scene("E5 forest U1 | D5 ship U2 V1 V2")
    assert "full" in scene.refusal("U1 ship D5")
    assert "U1 ship D5" not in scene.choices()


def test_a_turn_has_three_steps_spread_as_liked() -> None:
    scene = Scene("E5 forest U1 | D5 ship | E6 beach | E7 beach U2")
    scene.play("U1 ship D5, sail D5 C5, U2 E6")
    assert (scene.at("C5"), scene.at("E6")) == ("ship U1", "beach U2")
    assert "three steps" in scene.refusal("U2 E7")


def test_fewer_steps_or_none_are_allowed() -> None:
    scene = Scene("E5 forest U1 | E6 beach")
    assert scene.play("sink J7").at("J7") == "V10"


def test_steps_may_be_given_one_by_one() -> None:
    scene = Scene("E5 forest U1 | D5 ship")
    scene.play("U1 ship D5").play("sail D5 C5").play("sail C5 B5")
    assert scene.at("B5") == "ship U1"
    assert scene.asked == [1]


def test_a_refusal_of_several_steps_says_which() -> None:
    scene = Scene("E5 beach U1 | E6 beach | D5 U2")
    assert scene.refusal("U1 E6, U2 swim B4").endswith("Step 2: B4 is not next to D5.")
    assert scene.refusal("U2 swim B4") == "In “U2 swim B4”: B4 is not next to D5."


def test_a_swimmer_swims_one_hex() -> None:
    scene = Scene("D5 U1")
    assert scene.play("U1 swim C5").at("C5") == "U1"
    assert "cannot do anything else this turn" in scene.refusal("U1 swim C4")


def test_a_swimmer_climbs_into_a_ship_on_its_own_hex() -> None:
    scene = Scene("D5 U1 ship")
    assert scene.play("U1 ship D5").at("D5") == "ship U1"


def test_a_swimmer_climbs_not_into_a_ship_next_to_it() -> None:
    scene = Scene("D5 U1 | C5 ship")
    assert "same hex, D5" in scene.refusal("U1 ship C5")


def test_a_swimmer_steps_onto_an_isle_from_a_hex_touching_it() -> None:
    scene = Scene("C1 U1")
    assert scene.play("U1 isle").isle("NW") == "U1"


def test_a_swimmer_does_one_thing_a_turn() -> None:
    scene = Scene("C2 U1")
    assert "cannot do anything else this turn" in scene.refusal("U1 swim C1, U1 isle")


@pytest.mark.parametrize("how", ["U1 swim D5, U1 swim C5", "U2 swim C4, U2 ship C4"])
def test_an_explorer_who_came_into_the_water_in_this_turn_moves_no_more(how: str) -> None:
    scene = Scene("E5 forest U1 | C4 ship U2")
    assert "cannot do anything else this turn" in scene.refusal(how)


@pytest.mark.parametrize("board", ["E5 beach U2 U3", "D5 ship U2 U3"])
def test_that_holds_for_each_who_came_into_it(board: str) -> None:
    scene = Scene(board).play("U2 swim D5").play("U3 swim D5")
    for explorer in ("U2", "U3"):
        assert "cannot do anything else this turn" in scene.refusal(f"{explorer} swim C5")


def test_each_who_climbed_aboard_may_not_jump_back() -> None:
    scene = Scene("C2 U2 U3 ship").play("U2 ship C2").play("U3 ship C2")
    for explorer in ("U2", "U3"):
        assert "cannot jump back" in scene.refusal(f"{explorer} swim C2")


def test_each_who_was_thrown_into_the_water_moves_no_more() -> None:
    scene = Scene("C4 ship U2 U3 | C5 whale").play("sail C4 C5")
    for explorer in ("U2", "U3"):
        assert "cannot do anything else this turn" in scene.refusal(f"{explorer} swim C6")


@pytest.mark.parametrize(("ship", "next_"), [("A3", "A4"), ("D5", "C5")])
def test_an_explorer_who_changes_ships_may_jump(ship: str, next_: str) -> None:
    scene = Scene(f"{ship} ship U1 | {next_} ship").play(f"U1 ship {next_}, U1 swim {next_}")
    assert scene.at(next_) == "U1 ship"


def test_an_explorer_thrown_into_the_water_in_this_turn_moves_no_more() -> None:
    scene = Scene("C4 ship U1 | C5 whale")
    assert "cannot do anything else this turn" in scene.refusal("sail C4 C5, U1 swim C6")


def test_an_explorer_who_climbed_aboard_may_sail_and_step_ashore_in_the_same_turn() -> None:
    scene = Scene("C2 U1 ship")
    assert scene.play("U1 ship C2, sail C2 C1, U1 isle").isle("NW") == "U1"


def test_an_explorer_who_climbed_aboard_may_change_ships_in_the_same_turn() -> None:
    scene = Scene("C3 U1 ship | C2 ship")
    assert scene.play("U1 ship C3, U1 ship C2").at("C2") == "ship U1"


def test_an_explorer_who_climbed_aboard_may_not_jump_in_the_same_turn() -> None:
    scene = Scene("C2 U1 ship")
    assert "cannot jump back" in scene.refusal("U1 ship C2, U1 swim C2")
    scene.play("U1 ship C2")
    assert not any(choice.startswith("U1 swim") for choice in scene.choices())


@pytest.mark.parametrize("place", ["D5 U1", "D5 ship U1"])
def test_nobody_returns_to_land(place: str) -> None:
    scene = Scene(f"{place} | E5 forest")
    assert "cannot return to land" in scene.refusal("U1 E5")
    assert not any(choice.startswith("U1 E") for choice in scene.choices())


def test_several_swimmers_may_share_a_hex() -> None:
    scene = Scene("D5 U1 | C5 U2 V1 V2")
    assert scene.play("U1 swim C5").at("C5") == "U1 U2 V1 V2"


def test_a_ship_sails_to_a_neighbouring_sea_hex() -> None:
    scene = Scene("D5 ship U1")
    assert scene.play("sail D5 C5").at("C5") == "ship U1"
    assert "land" in Scene("D5 ship U1 | E5 forest").refusal("sail D5 E5")


def test_a_ship_sails_not_onto_another() -> None:
    scene = Scene("D5 ship U1 | C5 ship")
    assert "already a ship at C5" in scene.refusal("sail D5 C5")


def test_anyone_may_move_an_empty_ship() -> None:
    assert Scene("D5 ship").play("sail D5 C5").at("C5") == "ship"


def test_only_those_with_the_most_aboard_move_a_ship() -> None:
    scene = Scene("D5 ship U1 V1 V2")
    assert "more explorers" in scene.refusal("sail D5 C5")
    assert scene.play("sink J7").play("sail D5 C5", seat=2).at("C5") == "ship U1 V1 V2"


def test_all_who_tie_for_the_most_control_a_ship() -> None:
    for seat in (1, 2):
        scene = Scene(f"D5 ship U1 V1 | active {seat}")
        assert scene.play("sail D5 C5", seat=seat).at("C5") == "ship U1 V1"


def test_a_ship_takes_all_aboard_along() -> None:
    assert Scene("D5 ship U1 U2 V1").play("sail D5 C5").at("C5") == "ship U1 U2 V1"


def test_from_a_ship_each_explorer_steps_ashore_for_one_step() -> None:
    scene = Scene("C1 ship U1 U2 V1").play("U1 isle, U2 isle")
    assert scene.isle("NW") == "U1 U2"
    assert scene.at("C1") == "ship V1"


@pytest.mark.parametrize(
    ("isle", "shores"),
    [("NW", "B2 C1"), ("NE", "B11 C11"), ("SW", "K1 L2"), ("SE", "K11 L11")],
)
def test_any_isle_will_do_from_both_hexes_that_touch_it(isle: str, shores: str) -> None:
    for shore in shores.split():
        assert Scene(f"{shore} ship U1").play("U1 isle").isle(isle) == "U1"


def test_no_isle_is_stepped_onto_from_elsewhere() -> None:
    assert "C2 does not touch an isle" in Scene("C2 ship U1").refusal("U1 isle")


def test_ashore_is_saved_for_good() -> None:
    scene = Scene("C1 ship U1").play("U1 isle")
    assert "safe on an isle" in scene.refusal("U1 swim C1")


@pytest.mark.parametrize("who", [-1, 20, 99])
def test_nobody_moves_an_explorer_that_does_not_exist(who: int) -> None:
    scene = Scene("E5 beach U1 | E6 beach")
    for command in (
        Turn(steps=(Step(Verb.WALK, who, BY_NAME["E6"]),)),
        Turn(play=Play(Back.DOLPHIN, who, BY_NAME["D5"])),
    ):
        view = replace(scene.view(1), kept=((Back.DOLPHIN,), None))
        with pytest.raises(IllegalMove, match="no such explorer"):
            simulate(view, command)


def test_nobody_moves_the_others_explorers() -> None:
    assert "not yours" in Scene("E5 forest V1 | E6 beach").refusal("V1 E6")


def test_a_player_with_no_explorers_left_moves_nothing_not_even_empty_ships() -> None:
    scene = Scene("J7 beach V10 | J6 beach | D5 ship", shore=False)
    assert scene.choices() == {"sink J7", "sink J6"}
    assert "None of your explorers" in scene.refusal("sail D5 C5")


def test_a_plain_target_that_can_mean_ship_or_water_is_ambiguous() -> None:
    scene = Scene("E5 forest U1 | D5 ship")
    refusal = scene.refusal("U1 D5")
    assert "U1 ship D5" in refusal
    assert "U1 swim D5" in refusal
