"""A turn, step 1: a kept red tile, got on an earlier turn, may be played."""

import pytest
from msgspec.structs import replace

from games.rules.errors import IllegalMove
from games.rules.escape import notation
from games.rules.escape.action_tiles import after_play
from games.rules.escape.hexes import BY_NAME
from games.rules.escape.model import LOST, Back, Creature, Harmed, Step, Turn, Verb
from games.rules.escape.simulation import simulate, simulated_view

from .scenes import Scene


def test_a_kept_tile_is_played_at_the_start_of_the_turn() -> None:
    scene = Scene("D5 U1 | E5 forest U2 | E6 beach | kept 1 dolphin dolphin")
    assert "before your steps" in scene.refusal("U2 E6, dolphin U1 C5")
    scene.play("U2 E6")
    assert "start of the turn" in scene.refusal("dolphin U1 C5")


def test_one_tile_a_turn() -> None:
    scene = Scene("D5 U1 | E5 forest U2 | kept 1 dolphin dolphin").play("dolphin U1 C5")
    assert "one kept tile per turn" in scene.refusal("dolphin U1 B5")


def test_playing_a_tile_is_optional() -> None:
    scene = Scene("D5 U1 | kept 1 dolphin").play("sink J7")
    assert Back.DOLPHIN in scene.state.kept[0]


def test_a_played_tile_is_spent() -> None:
    scene = Scene("D5 U1 | kept 1 dolphin wind").play("dolphin U1 C5")
    assert scene.state.kept[0] == (Back.WIND,)
    assert scene.state.board.held == (1, 0)
    assert scene.state.board.spent == (Back.DOLPHIN,)


def test_only_tiles_that_one_has_can_be_played() -> None:
    assert "You do not have the tile" in Scene("D5 U1 | kept 1 wind").refusal("dolphin U1 C5")


def test_a_player_who_holds_tiles_is_asked_even_where_none_can_be_played() -> None:
    scene = Scene("J5 beach=ship | J4 V1 | kept 1 dolphin | values U10", shore=False)
    assert scene.choices() == {"sink J5"}
    assert scene.asked == [1]


class TestDolphin:
    def test_it_carries_an_own_swimmer_one_to_three_sea_hexes(self) -> None:
        for hex_ in ("D6", "C6", "B6"):
            scene = Scene("D5 U1 | kept 1 dolphin").play(f"dolphin U1 {hex_}")
            assert scene.at(hex_) == "U1"
        refused = Scene("D5 U1 | kept 1 dolphin").refusal("dolphin U1 A7")
        assert "carry U1 to A7" in refused and "three sea hexes" in refused

    def test_the_walk_ends_elsewhere(self) -> None:
        assert "cannot carry" in Scene("D5 U1 | kept 1 dolphin").refusal("dolphin U1 D5")

    def test_it_does_not_use_up_the_swimmers_own_move(self) -> None:
        scene = Scene("D5 U1 | kept 1 dolphin").play("dolphin U1 B4, U1 swim B3")
        assert scene.at("B3") == "U1"

    def test_it_lands_nobody_and_boards_nothing(self) -> None:
        scene = Scene("C3 U1 | C1 ship | kept 1 dolphin").play("dolphin U1 C1")
        assert scene.at("C1") == "U1 ship"
        assert scene.isle("NW") == ""

    def test_it_carries_only_own_swimmers(self) -> None:
        scene = Scene("D5 V1 | C5 ship U1 | kept 1 dolphin")
        assert "V1 is not yours" in scene.refusal("dolphin V1 C5")
        assert "U1 is not swimming" in scene.refusal("dolphin U1 B5")

    @pytest.mark.parametrize("hex_", ["A3", "D5", "M9"])
    def test_it_carries_nobody_who_is_aboard(self, hex_: str) -> None:
        scene = Scene(f"{hex_} ship U1 | kept 1 dolphin")
        assert not any(choice.startswith("dolphin") for choice in scene.choices())

    def test_it_does_not_cross_land(self) -> None:
        scene = Scene("D5 U1 | E4 beach | E5 beach | D4 ship | kept 1 dolphin")
        assert "dolphin U1 E5" not in scene.choices()

    def test_danger_ends_the_way(self) -> None:
        scene = Scene("A3 U1 | A4 shark | B3 serpent | B4 shark | kept 1 dolphin")
        assert {choice for choice in scene.choices() if choice.startswith("dolphin")} == {
            "dolphin U1 A4",
            "dolphin U1 B3",
            "dolphin U1 B4",
        }

    def test_into_danger_it_carries_nobody_out(self) -> None:
        scene = Scene("D5 U1 | C5 shark | kept 1 dolphin").play("dolphin U1 C5")
        assert scene.is_lost("U1")
        assert scene.events[-1] == Harmed(Creature.SHARK, BY_NAME["C5"], lost=(0,))


class TestWind:
    def test_it_moves_an_own_or_empty_ship_one_to_three_sea_hexes(self) -> None:
        for ship in ("ship U1", "ship"):
            for hex_ in ("D6", "C6", "B6"):
                scene = Scene(f"D5 {ship} | kept 1 wind").play(f"wind D5 {hex_}")
                assert scene.at(hex_) == ship
        refused = Scene("D5 ship | kept 1 wind").refusal("wind D5 A7")
        assert "the ship to A7" in refused and "three sea hexes" in refused

    def test_it_uses_up_no_step(self) -> None:
        scene = Scene("D5 ship U1 | kept 1 wind").play("wind D5 B5, sail B5 B4, sail B4 B3")
        scene.play("sail B3 C3")
        assert scene.at("C3") == "ship U1"

    def test_not_a_ship_that_others_control(self) -> None:
        scene = Scene("D5 ship U1 V1 V2 | kept 1 wind")
        assert "the ship at D5 and controls it" in scene.refusal("wind D5 C5")
        assert "no ship at C5" in scene.refusal("wind C5 B5")

    def test_its_way_has_no_other_ship(self) -> None:
        scene = Scene("A3 ship U1 | A4 ship | B3 ship | B4 ship | kept 1 wind")
        assert not any(choice.startswith("wind A3") for choice in scene.choices())

    def test_danger_met_on_the_way_ends_it(self) -> None:
        around = ("C4", "C5", "D4", "D6", "E4", "E5")
        scene = Scene(f"D5 ship U1 | {'|'.join(f'{near} whale' for near in around)} | kept 1 wind")
        assert {choice for choice in scene.choices() if choice.startswith("wind")} == {
            f"wind D5 {near}" for near in around
        }

    def test_a_wrecked_ship_spills_its_people(self) -> None:
        scene = Scene("D5 ship U1 V1 | C5 whale | kept 1 wind").play("wind D5 C5")
        assert scene.at("C5") == "U1 V1 whale"
        assert "cannot do anything else this turn" in scene.refusal("U1 swim B5")

    def test_an_empty_ship_fears_nothing(self) -> None:
        scene = Scene("D5 ship | C5 serpent | kept 1 wind").play("wind D5 C5")
        assert scene.at("C5") == "serpent ship"

    def test_danger_does_not_end_the_way_of_an_empty_ship(self) -> None:
        around = ("C4", "C5", "D4", "D6", "E4", "E5")
        scene = Scene(f"D5 ship | {'|'.join(f'{near} whale' for near in around)} | kept 1 wind")
        assert scene.play("wind D5 B5").at("B5") == "ship"


class TestMoving:
    @pytest.mark.parametrize("kind", ["serpent", "shark", "whale"])
    def test_one_creature_of_the_kind_goes_to_any_vacant_sea_hex(self, kind: str) -> None:
        scene = Scene(f"A3 {kind} | D5 U1 | kept 1 move-{kind}").play(f"move {kind} A3 M9")
        assert (scene.at("A3"), scene.at("M9")) == ("", kind)

    @pytest.mark.parametrize("taken", ["ship", "V1", "ship V1", "shark", "whale", "serpent"])
    def test_not_where_a_ship_a_swimmer_or_a_creature_is(self, taken: str) -> None:
        scene = Scene(f"A3 whale | M9 {taken} | kept 1 move-whale")
        assert "is not free" in scene.refusal("move whale A3 M9")

    def test_not_onto_land(self) -> None:
        scene = Scene("A3 whale | E5 beach | kept 1 move-whale")
        assert "is not free" in scene.refusal("move whale A3 E5")

    def test_sunken_hexes_and_the_centre_are_sea(self) -> None:
        scene = Scene("A3 whale | kept 1 move-whale").play("move whale A3 G6")
        assert scene.at("G6") == "whale"

    def test_a_kind_that_is_not_on_the_board_cannot_be_moved(self) -> None:
        scene = Scene("A3 shark | kept 1 move-whale")
        assert not any(choice.startswith("move") for choice in scene.choices())


def test_a_defence_is_not_played_in_the_own_turn() -> None:
    scene = Scene("D5 U1 | D6 shark | kept 1 shark-defence")
    assert not any("defence" in choice for choice in scene.choices())


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("D5 U1 | C5 shark | kept 1 dolphin", "dolphin U1 C5"),
        ("D5 ship U1 V1 | C5 whale | kept 1 wind", "wind D5 C5"),
        ("A3 whale | D5 U1 | kept 1 move-whale dolphin | kept 2 wind", "move whale A3 M9"),
    ],
)
def test_what_a_tile_leads_to_is_known_before_it_is_played(text: str, line: str) -> None:
    scene = Scene(text)
    view = scene.view(1)
    orders = notation.parse(line, view)
    assert isinstance(orders, Turn) and orders.play is not None
    foreseen = simulated_view(view, simulate(view, orders))
    board = after_play(view.board, 0, orders.play)
    scene.play(line)
    assert foreseen.board == board == scene.state.board
    assert foreseen.kept == scene.view(1).kept
    assert foreseen.values == view.values


def test_orders_are_known_up_to_the_tile_that_sinks() -> None:
    view = Scene("D5 U1 | E5 beach U2 V2 | E6 beach | kept 1 dolphin wind").view(1)
    orders = notation.parse("dolphin U1 C5, U2 E6, sink E5", view)
    assert isinstance(orders, Turn)
    known = simulate(view, orders)
    assert known.tiles == (Back.WIND,)
    assert (known.spilled, known.ended) == ((11,), False)
    board = view.board
    sunk = BY_NAME["E5"]
    assert known.board.map == f"{board.map[:sunk]}~{board.map[sunk + 1 :]}"
    steps = simulate(view, replace(orders, sink=None))
    assert (steps.tiles, steps.spilled) == ((Back.WIND,), ())
    assert steps.board.map == board.map
    assert steps.board.where == known.board.where


def test_orders_end_with_the_last_explorer() -> None:
    view = Scene("E5 beach | A3 shark | A4 U1 | kept 1 wind", shore=False).view(1)
    step = Step(Verb.SWIM, 0, BY_NAME["A3"])
    known = simulate(view, Turn(steps=(step, step), sink=BY_NAME["E5"]))
    assert known.ended
    assert known.board.where[0] == LOST
    assert known.tiles == (Back.WIND,)
    assert known.board.map == view.board.map


def test_only_the_seat_whose_turn_it_is_gives_orders() -> None:
    scene = Scene("D5 U1")
    for seat in (None, 2):
        with pytest.raises(IllegalMove, match="not your turn"):
            simulate(scene.view(seat), Turn(sink=BY_NAME["J5"]))
