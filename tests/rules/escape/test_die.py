"""A turn, step 4: the die, and a creature moved."""

import msgspec
import pytest

from games.rules.errors import IllegalMove
from games.rules.escape import ESCAPE
from games.rules.escape.hexes import BY_NAME
from games.rules.escape.model import Creature, Harmed, Steer
from games.rules.escape.validation import check_command

from .scenes import Scene


def rolled(text: str, creature: str) -> Scene:
    """The scene after seat 1 has sunk a tile and rolled this creature."""
    return Scene(text, dice=creature).play("sink J7")


def moves(scene: Scene, start: str) -> set[str]:
    """Return the hexes to which a creature on this hex may go."""
    return {
        choice.split()[2]
        for choice in scene.choices()
        if choice != "stay" and choice.split()[1] == start
    }


def test_the_active_player_may_move_one_creature_of_the_kind_rolled() -> None:
    scene = rolled("A3 shark | A9 whale | M3 serpent", "whale")
    assert scene.asked == [1]
    assert {choice.split()[0] for choice in scene.choices()} == {"whale", "stay"}
    assert "not the creature on the die" in scene.refusal("shark A3 A4")
    assert scene.play("whale A9 A8").at("A8") == "whale"


def test_none_of_that_kind_nothing() -> None:
    scene = rolled("A3 shark", "whale")
    assert (scene.stage, scene.asked) == ("turn", [2])


def test_moving_is_not_compulsory() -> None:
    scene = rolled("A3 shark", "shark").play("stay")
    assert scene.at("A3") == "shark"
    assert scene.asked == [2]


def test_a_creature_goes_no_farther_than_its_kind_may() -> None:
    view = rolled("A3 shark", "shark").view(1)
    check_command(view, Steer(0, 1))
    with pytest.raises(IllegalMove, match="one or two sea hexes"):
        check_command(view, Steer(0, BY_NAME["M9"]))


@pytest.mark.parametrize("seat", [-1, 2, 9])
def test_only_seats_of_the_table_play(seat: int) -> None:
    scene = rolled("A3 shark", "shark")
    with pytest.raises(IllegalMove, match="Only players"):
        check_command(msgspec.structs.replace(scene.view(1), viewer=seat), Steer())


@pytest.mark.parametrize("steer", [Steer(None, 1), Steer(0, None)])
def test_a_creature_moves_from_somewhere_to_somewhere(steer: Steer) -> None:
    scene = rolled("A3 shark", "shark")
    with pytest.raises(IllegalMove, match="Say where"):
        ESCAPE.rules.decide(scene.state, 0, steer, scene.dice)


@pytest.mark.parametrize(("creature", "prey"), [("shark", "V{}"), ("whale", "ship V{}")])
def test_prey_on_the_first_hex_stops_a_creature_too(creature: str, prey: str) -> None:
    text = f"A4 {creature} | A3 {prey.format(1)} | B4 {prey.format(2)}"
    assert "B3" not in moves(rolled(text, creature), "A4")
    assert "B3" in moves(rolled(f"A4 {creature} | B4 {prey.format(2)}", creature), "A4")


def test_then_it_is_the_next_players_turn() -> None:
    scene = Scene("seats 3 | order 2 1 3 | A3 shark | L5 Y1", dice="shark")
    scene.play("sink J7").play("stay")
    assert scene.asked == [3]


def test_prey_is_not_needed() -> None:
    assert rolled("A3 shark", "shark").play("shark A3 A4").at("A4") == "shark"


def test_a_serpent_moves_one_hex() -> None:
    assert moves(rolled("A3 serpent", "serpent"), "A3") == {"A4", "B3", "B4"}


def test_a_shark_moves_one_or_two() -> None:
    assert moves(rolled("A3 shark", "shark"), "A3") == {
        "A4", "B3", "B4", "A5", "B2", "B5", "C2", "C3", "C4",
    }  # fmt: skip


def test_a_whale_moves_one_to_three() -> None:
    assert moves(rolled("A3 whale", "whale"), "A3") == {
        "A4", "B3", "B4", "A5", "B2", "B5", "C2", "C3", "C4",
        "A6", "B6", "C1", "C5", "D2", "D3", "D4", "D5",
    }  # fmt: skip


def test_a_walk_ends_elsewhere_than_it_began() -> None:
    scene = rolled("A3 whale", "whale")
    assert "one to three" in scene.refusal("whale A3 A3")


def test_creatures_keep_to_the_sea() -> None:
    scene = rolled("D5 serpent | E5 forest | E4 mountain", "serpent")
    assert moves(scene, "D5") == {"C4", "C5", "D4", "D6"}


def test_a_creature_locked_in_by_land_does_not_move() -> None:
    around = "|".join(f"{hex_} forest" for hex_ in ("F6", "F7", "G5", "G7", "H6", "H7"))
    scene = rolled(f"G6 serpent | {around}", "serpent")
    assert scene.asked == [2], "the only serpent cannot go anywhere, so nobody is asked"


class TestSerpent:
    def test_an_occupied_ship_and_all_aboard_are_removed_swimmers_too(self) -> None:
        scene = rolled("A3 serpent | A4 U1 ship V1 V2", "serpent").play("serpent A3 A4")
        assert scene.at("A4") == "serpent"
        assert all(scene.is_lost(one) for one in ("U1", "V1", "V2"))
        assert scene.state.board.gone[0] == 1

    def test_an_empty_ship_stays(self) -> None:
        scene = rolled("A3 serpent | A4 U1 ship", "serpent").play("serpent A3 A4")
        assert scene.at("A4") == "serpent ship"
        assert scene.is_lost("U1")


class TestShark:
    def test_it_stops_at_the_first_hex_with_swimmers_and_removes_them(self) -> None:
        scene = rolled("A3 shark | A4 U1 V1 | B3 V2 | B4 V3", "shark")
        assert moves(scene, "A3") == {"A4", "B3", "B4"}
        scene.play("shark A3 A4")
        assert scene.is_lost("U1")
        assert scene.is_lost("V1")
        assert not scene.is_lost("V2")

    def test_ships_are_untouched(self) -> None:
        scene = rolled("A3 shark | A4 U1 ship V1", "shark").play("shark A3 A4")
        assert scene.at("A4") == "shark ship V1"

    def test_it_passes_ships(self) -> None:
        assert "A5" in moves(rolled("A3 shark | A4 ship V1 | B4 ship V2", "shark"), "A3")


class TestWhale:
    def test_it_stops_at_the_first_occupied_ship_which_is_removed(self) -> None:
        scene = rolled("A3 whale | A4 ship U1 V1 | B3 ship V2 | B4 ship V3", "whale")
        assert moves(scene, "A3") == {"A4", "B3", "B4"}
        scene.play("whale A3 A4")
        assert scene.at("A4") == "U1 V1 whale"

    def test_those_aboard_are_removed_at_once_beside_a_shark_or_serpent(self) -> None:
        for other in ("shark", "serpent"):
            scene = rolled(f"A3 whale | A4 {other} ship U1 V1", "whale").play("whale A3 A4")
            assert scene.is_lost("U1")
            assert scene.is_lost("V1")
            assert Harmed(Creature.WHALE, BY_NAME["A4"], ship=True, lost=(0, 10)) in scene.events
            assert scene.state.board.ships == ()

    def test_swimmers_and_empty_ships_are_untouched(self) -> None:
        scene = rolled("A3 whale | A4 U1 ship", "whale").play("whale A3 A4")
        assert scene.at("A4") == "U1 whale ship"

    def test_it_passes_swimmers_and_empty_ships(self) -> None:
        assert "A6" in moves(rolled("A3 whale | A4 U1 ship | B4 V1 ship | B3 V2", "whale"), "A3")


def test_creatures_ignore_each_other_and_may_share_a_hex() -> None:
    scene = rolled("A3 whale | A4 whale shark serpent", "whale").play("whale A3 A4")
    assert scene.at("A4") == "serpent shark whale whale"


def test_an_explorer_thrown_into_the_water_by_another_player_swims_in_the_own_turn() -> None:
    scene = rolled("A3 whale | A4 ship V1", "whale").play("whale A3 A4")
    assert scene.play("V1 swim A5").at("A5") == "V1"
