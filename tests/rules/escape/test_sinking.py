"""A turn, step 3: a terrain tile sinks, compulsory while one is left, and its back is carried
out."""

import pytest

from games.rules.errors import IllegalMove
from games.rules.escape import ESCAPE
from games.rules.escape.board import swimmers
from games.rules.escape.hexes import BY_NAME, LAND_INDEX
from games.rules.escape.model import Appeared, Back, Boarded, Creature, Crew, Rolled, Sank
from games.rules.escape.view import visible

from .scenes import Scene


def sunk(text: str, hex_: str = "E5", dice: str = "serpent") -> Scene:
    """The scene after this tile has sunk."""
    return Scene(text, dice=dice).play(f"sink {hex_}")


class TestWhich:
    @pytest.mark.parametrize("hex_", ["D5", "E5"])
    def test_no_sea_hex(self, hex_: str) -> None:
        scene = Scene("E5 beach U1 | E6 beach").play("sink E5").play("sink E6")
        assert f"There is no tile at {hex_}" in scene.refusal(f"sink {hex_}")

    def test_a_tile_that_has_sunk_has_no_back_any_more(self) -> None:
        scene = Scene("E5 beach=dolphin U1")
        hidden = sum(back is not None for back in scene.state.backs)
        scene.play("sink E5")
        assert scene.state.backs[LAND_INDEX[BY_NAME["E5"]]] is None
        assert sum(back is not None for back in scene.state.backs) == hidden - 1

    def test_nobody_swims_on_land(self) -> None:
        scene = Scene("E5 beach U1 | D5 U2")
        assert swimmers(scene.state.board, BY_NAME["E5"]) == ()
        assert swimmers(scene.state.board, BY_NAME["D5"]) == (1,)

    def test_the_lowest_kind_still_on_the_board(self) -> None:
        scene = Scene("E5 beach | E6 forest | E7 mountain")
        assert {choice for choice in scene.choices() if "sink" in choice} == {
            "sink E5",
            "sink J5",
            "sink J7",
        }
        assert "tiles first" in scene.refusal("sink E6")

    def test_beach_then_forest_then_mountain(self) -> None:
        scene = Scene("E5 forest U1 | E6 mountain | E7 forest", shore=False)
        assert "sink E5" in scene.choices()
        scene = Scene("E5 mountain U1 | E6 mountain", shore=False)
        assert "sink E5" in scene.choices()

    def test_one_that_touches_sea(self) -> None:
        around = "|".join(f"{hex_} forest" for hex_ in ("E5", "E6", "F5", "F7", "G4", "G5"))
        scene = Scene(f"F6 beach | {around}")
        assert "sink F6" in scene.choices(), "F6 touches the centre, which is sea"
        inland = "|".join(f"{hex_} forest" for hex_ in ("E4", "E5", "F4", "F6", "G4", "G5"))
        scene = Scene(f"F5 beach | {inland}")
        assert "does not touch the sea" in scene.refusal("sink F5")

    def test_sunken_hexes_are_sea(self) -> None:
        inland = "|".join(f"{hex_} forest" for hex_ in ("E4", "E5", "F4", "F6", "G4"))
        assert "sink F5" in Scene(f"F5 beach | {inland}").choices(), "G5 has sunk"

    def test_if_none_of_that_kind_touches_sea_any_of_that_kind(self) -> None:
        inland = "|".join(f"{hex_} forest" for hex_ in ("E4", "E5", "F4", "F6", "G4", "G5"))
        scene = Scene(f"F5 beach U1 | {inland}", shore=False)
        assert scene.choices() >= {"sink F5"}
        assert "sink E4" not in scene.choices()

    def test_it_is_compulsory_while_one_is_left(self) -> None:
        assert "must sink" in Scene("E5 forest").refusal("roll")

    def test_a_forced_sink_is_carried_out_without_asking(self) -> None:
        scene = Scene("E5 beach=whale U1 | J7 mountain V10", shore=False)
        scene.play("U1 swim D5")
        assert scene.at("E5") == "whale"
        assert scene.asked == [2]


class TestWhoStandsThere:
    def test_explorers_on_it_are_swimmers_there_now(self) -> None:
        assert sunk("E5 beach=wind U1 U2 V1").at("E5") == "U1 U2 V1"

    def test_next_turn_they_swim(self) -> None:
        scene = sunk("E5 beach=wind V1")
        assert scene.play("V1 swim D5").at("D5") == "V1"


class TestAtOnce:
    def test_a_shark_appears_and_removes_the_swimmers_there(self) -> None:
        scene = sunk("E5 beach=shark U1 V1 | D5 U2")
        assert scene.at("E5") == "shark"
        assert scene.is_lost("U1")
        assert scene.is_lost("V1")
        assert scene.at("D5") == "U2"

    def test_a_whale_appears_and_leaves_swimmers_alone(self) -> None:
        assert sunk("E5 beach=whale U1").at("E5") == "U1 whale"

    def test_a_ship_appears_and_takes_the_swimmers_aboard(self) -> None:
        assert sunk("E5 beach=ship U1 V1 V2").at("E5") == "ship U1 V1 V2"
        assert sunk("E5 beach=ship").at("E5") == "ship"

    @pytest.mark.parametrize(
        ("back", "supply"), [("ship", "0 9 9"), ("shark", "9 0 9"), ("whale", "9 9 0")]
    )
    def test_a_piece_whose_supply_is_empty_does_not_appear(self, back: str, supply: str) -> None:
        assert sunk(f"E5 beach={back} U1 | supply {supply}").at("E5") == "U1"

    @pytest.mark.parametrize(
        ("back", "supply", "there"),
        [("ship", "1 0 0", "ship U1"), ("shark", "0 1 0", "shark"), ("whale", "0 0 1", "U1 whale")],
    )
    def test_the_last_piece_of_a_supply_appears(self, back: str, supply: str, there: str) -> None:
        scene = sunk(f"E5 beach={back} U1 | supply {supply}")
        assert scene.at("E5") == there
        assert scene.state.board.supply == (0, 0, 0)

    def test_of_more_than_three_swimmers_exactly_three_get_in_the_active_player_picks(self) -> None:
        scene = sunk("E5 beach=ship U1 U2 V1 V2")
        assert (scene.stage, scene.asked) == ("crew", [1])
        assert Appeared(Back.SHIP, BY_NAME["E5"], crowd=True) in scene.events
        assert scene.choices() == {
            "crew U1 U2 V1",
            "crew U1 U2 V2",
            "crew U1 V1 V2",
            "crew U2 V1 V2",
        }
        assert "exactly three" in scene.refusal("crew U1 U2")
        assert "exactly three" in scene.refusal("crew U1 U2 U10")
        assert scene.play("crew U1 V1 V2").at("E5") == "U2 ship U1 V1 V2"

    @pytest.mark.parametrize("crew", [(0, 0, 1), (0, 1, 1, 10), (0, 1), (0, 1, 9)])
    def test_nobody_is_picked_twice_and_nobody_who_swims_elsewhere(
        self, crew: tuple[int, ...]
    ) -> None:
        scene = sunk("E5 beach=ship U1 U2 V1 V2")
        with pytest.raises(IllegalMove, match="exactly three"):
            ESCAPE.rules.decide(scene.state, 0, Crew(crew), scene.dice)

    def test_the_crew_is_picked_before_the_die_is_rolled(self) -> None:
        scene = sunk("E5 beach=ship U1 U2 V1 V2 | D5 shark", dice="shark serpent")
        assert (scene.stage, scene.state.board.rolled) == ("crew", None)
        assert not any(isinstance(event, Rolled) for event in scene.events)
        assert scene.dice.creatures[0] == "shark"  # nothing was rolled
        scene.play("crew U1 U2 V1")
        assert (scene.stage, scene.state.board.rolled) == ("creature", "shark")
        assert scene.events[-2:] == [Boarded(0, (0, 1, 10)), Rolled(0, Creature.SHARK)]

    def test_a_crew_and_a_die_without_a_creature_of_its_kind_end_the_turn(self) -> None:
        scene = sunk("E5 beach=ship U1 U2 V1 V2", dice="shark")
        scene.play("crew U1 U2 V1")
        assert (scene.stage, scene.asked) == ("turn", [2])

    def test_a_whirlpool_removes_everything_from_the_hex_and_the_sea_around(self) -> None:
        scene = sunk(
            "E5 beach=whirlpool U1 | D5 V1 shark | D6 ship U2 V2 | E4 serpent | E6 whale ship"
        )
        for hex_ in ("E5", "D5", "D6", "E4", "E6"):
            assert scene.at(hex_) == ""
        for explorer in ("U1", "U2", "V1", "V2"):
            assert scene.is_lost(explorer)
        assert scene.state.board.gone == (2, 5, 1, 1)

    def test_a_whirlpool_leaves_land_isles_and_far_water_untouched(self) -> None:
        scene = sunk("E5 beach=whirlpool | E6 forest U1 | C5 V1 | isle NW U2")
        assert (scene.at("E6"), scene.at("C5"), scene.isle("NW")) == ("forest U1", "V1", "U2")

    def test_a_whirlpool_beside_the_centre_reaches_it(self) -> None:
        scene = sunk("G5 beach=whirlpool | G6 serpent", "G5")
        assert scene.at("G6") == ""

    def test_the_volcano_everyone_not_on_an_isle_is_lost_and_the_game_ends(self) -> None:
        scene = Scene(
            "E5 mountain=volcano U1 | E6 mountain V1 | D5 ship U2 | D6 V2 | isle NW U3",
            shore=False,
        ).play("sink E5")
        assert scene.stage == "over"
        assert all(scene.is_lost(one) for one in ("U1", "U2", "V1", "V2"))
        assert scene.state.board.outcome is not None
        assert scene.state.board.outcome.scores == (4, 0)

    def test_tiles_at_once_are_shown_to_all(self) -> None:
        scene = sunk("E5 beach=whale")
        assert scene.state.board.spent == (Back.WHALE,)


class TestRed:
    @pytest.mark.parametrize(
        "back",
        [
            "dolphin",
            "wind",
            "move-serpent",
            "move-shark",
            "move-whale",
            "shark-defence",
            "whale-defence",
        ],
    )
    def test_it_is_kept_face_down(self, back: str) -> None:
        scene = sunk(f"E5 beach={back} U1")
        assert scene.state.kept[0] == (Back(back.replace("-", " ")),)
        assert scene.at("E5") == "U1"

    def test_others_see_how_many_a_player_holds_not_which(self) -> None:
        scene = sunk("E5 beach=dolphin")
        assert scene.view(1).kept == ((Back.DOLPHIN,), None)
        assert scene.view(2).kept == (None, ())
        assert scene.view(None).kept == (None, None)
        assert scene.view(2).board.held == (1, 0)

    def test_the_back_is_seen_by_the_active_player_alone(self) -> None:
        scene = sunk("E5 beach=dolphin")
        (event,) = [event for event in scene.events if isinstance(event, Sank)]
        backs = [visible(event, seat) for seat in (0, 1, None)]
        assert [getattr(seen, "back", "?") for seen in backs] == [Back.DOLPHIN, None, None]
