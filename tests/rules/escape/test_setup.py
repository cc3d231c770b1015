"""Setup: the island, the explorers, the ships; and the options of a table."""

import pytest

from games.rules import GAMES
from games.rules.chance import SeededChance
from games.rules.errors import IllegalMove
from games.rules.escape.board import INLAND, colour_order
from games.rules.escape.hexes import LAND, NAMES, NEAR
from games.rules.escape.model import (
    BOX,
    SEA,
    Ending,
    Launch,
    Options,
    Prepared,
    Tile,
    TurnStage,
)
from games.rules.escape.placing import harbours

from .table import Table

ESCAPE = GAMES["escape"]


def laid(seats: int, seed: int, **options: str) -> Prepared:
    chance = SeededChance(seed.to_bytes(32, "big"), 1)
    (event,) = ESCAPE.setup(options, seats, chance)
    assert isinstance(event, Prepared)
    return event


class TestIsland:
    def test_the_tiles_lie_at_random_on_the_forty_land_hexes(self) -> None:
        one, other = laid(2, 1), laid(2, 2)
        assert sorted(map(str, one.tiles)) == sorted(map(str, BOX))
        assert one.tiles != other.tiles

    def test_backs_are_hidden_from_everyone(self) -> None:
        table = Table()
        for seat in (1, 2, None):
            assert set(table.view(seat).backs) == {None}
        (laid_out,) = table.events
        assert isinstance(laid_out, Prepared)
        terrains = tuple(Tile(tile.terrain) for tile in laid_out.tiles)
        assert ESCAPE.rules.visible(laid_out, 0).tiles == terrains

    def test_the_order_is_random_by_default_or_as_seated(self) -> None:
        orders = {laid(4, seed).order for seed in range(12)}
        assert len(orders) > 4
        assert all(sorted(order) == [0, 1, 2, 3] for order in orders)
        assert {laid(4, seed, order="seated").order for seed in range(5)} == {(0, 1, 2, 3)}


class TestExplorers:
    def test_they_are_placed_in_turn_order_one_at_a_time(self) -> None:
        table = Table(3)
        asked = []
        for hex_ in ("D5", "D6", "D7", "D8"):
            asked += table.asked
            table.play(f"place 6 {hex_}") if hex_ != "D8" else table.play(f"place 5 {hex_}")
        assert asked == [1, 2, 3, 1]

    def test_on_an_empty_terrain_tile(self) -> None:
        table = Table().play("place 6 D5")
        assert "occupied" in table.refusal("place 6 D5")
        assert "sea" in table.refusal("place 6 C5")
        assert "sea" in table.refusal("place 6 G6")

    def test_each_player_chooses_which_own_value_goes_where(self) -> None:
        table = Table().play("place 6 D5", "place 2 D6", "place 5 D7", "place 2 D8")
        assert table.view(1).values[:2] == (6, 5)
        assert table.view(2).values[10:12] == (2, 2)
        assert "no explorer worth 6 left" in table.refusal("place 6 E4")
        table.play("place 1 E4")
        assert "no explorer worth 2 left" in table.refusal("place 2 E5")

    def test_others_see_only_the_colour(self) -> None:
        table = Table().play("place 6 D5")
        assert table.view(2).values == (None,) * 20
        assert table.view(None).values == (None,) * 20
        assert ESCAPE.rules.visible(table.events[-1], 0).value == 6
        assert ESCAPE.rules.visible(table.events[-1], 1).value is None

    def test_names_follow_the_order_of_placing(self) -> None:
        table = Table().play("place 3 D5", "place 6 D6", "place 6 D7")
        assert table.standing() == {"U1": "D5", "V1": "D6", "U2": "D7"}

    def test_until_all_are_placed(self) -> None:
        table = Table().place_all()
        assert len(table.standing()) == 20
        assert all(choice.startswith("ship") for choice in table.choices())

    def test_with_four_players_the_island_is_full_and_the_last_places_without_being_asked(
        self,
    ) -> None:
        table = Table(4).place_all()
        assert set(table.standing().values()) == {NAMES[hex_] for hex_ in LAND}
        assert getattr(table.events[-1], "auto", False), "one value and one tile were left"

    def test_a_placement_has_a_choice_for_each_value_and_tile(self) -> None:
        assert len(Table().choices()) == 6 * 40


class TestShips:
    def test_they_are_placed_in_turn_order_two_for_each_colour(self) -> None:
        table = Table(3).place_all()
        asked = []
        while table.state.board.is_setup:
            asked += table.asked
            table.play(min(table.choices()))
        assert asked == [1, 2, 3, 1, 2, 3]
        assert len(table.state.board.ships) == 6

    def test_on_a_free_sea_hex_that_touches_terrain(self) -> None:
        table = Table().place_all()
        assert len(table.choices()) == 28
        table.play("ship C5")
        for hex_ in ("C5", "G6", "B5", "E5"):
            assert "next to land" in table.refusal(f"ship {hex_}")

    def test_there_is_always_a_choice_of_harbours(self) -> None:
        # So that no last one has to be placed without asking.
        ships = 2 * 4
        assert len(harbours(Table(4).state.board)) - ships > 1

    @pytest.mark.parametrize("hex_", [-1, 0, 132, 133])
    def test_not_far_from_land_nor_beyond_the_board(self, hex_: int) -> None:
        table = Table().place_all()
        with pytest.raises(IllegalMove, match="cannot place a ship"):
            ESCAPE.rules.decide(table.state, 0, Launch(hex_), table.dice)

    def test_not_where_a_serpent_is(self) -> None:
        assert "ship G6" not in Table().place_all().choices()

    def test_then_the_first_turn_begins(self) -> None:
        table = Table(2).settle()
        assert (table.state.board.stage, table.state.board.turn) == (TurnStage(0), 1)
        assert table.asked == [1]

    def test_the_rest_of_the_ships_is_in_the_supply(self) -> None:
        for seats in (2, 3, 4):
            assert Table(seats).state.board.supply == (12 - 2 * seats, 6, 5)
        assert Table(2, colours="two").state.board.supply == (4, 6, 5)


class TestTwoColours:
    def test_each_colour_is_set_up_like_a_players(self) -> None:
        table = Table(2, colours="two")
        assert colour_order(table.state.board) == (0, 1, 2, 3)
        table.play("place 6 D5", "place 6 D6", "place 6 D7", "place 6 D8")
        assert table.standing() == {"U1": "D5", "V1": "D6", "Y1": "D7", "N1": "D8"}
        assert table.asked == [1]
        table.settle()
        assert len(table.state.board.ships) == 8

    def test_both_move_as_one_side_in_one_turn(self) -> None:
        table = Table(2, colours="two").settle()
        movers = {choice[0] for choice in table.choices() if choice[0] in "UVYN"}
        assert movers == {"U", "Y"}


class TestOverpopulated:
    """Challenge 1."""

    def test_the_six_round_the_centre_touch_it_and_take_one(self) -> None:
        centre = Table(2, overpopulated="yes").play("place 6 F6", "place 6 D5")
        assert "occupied" in centre.refusal("place 5 F6")

    def test_up_to_two_on_a_tile_that_touches_no_sea(self) -> None:
        table = Table(2, overpopulated="yes").play("place 6 F5", "place 6 F5")
        assert "occupied" in table.refusal("place 5 F5")

    def test_which_tiles_touch_no_sea(self) -> None:
        board = Table().state.board
        assert {hex_ for hex_ in LAND if all(board.map[near] != SEA for near in NEAR[hex_])} == (
            set(INLAND)
        )
        assert len(INLAND) == 12


class TestOptions:
    def test_what_is_not_chosen_has_its_default(self) -> None:
        assert ESCAPE.check_options({}, 3) == {
            "order": "random",
            "memory": "shown",
            "colours": "one",
            "ending": "volcano",
            "overpopulated": "no",
            "equal": "no",
            "answer": "24",
        }

    @pytest.mark.parametrize(
        ("chosen", "played"),
        [
            ({}, Options()),
            ({"order": "seated"}, Options(seated=True)),
            ({"memory": "strict"}, Options(strict=True)),
            ({"colours": "two"}, Options(two_colours=True)),
            ({"ending": "last"}, Options(ending=Ending.LAST)),
            ({"overpopulated": "yes"}, Options(overpopulated=True)),
            ({"equal": "yes"}, Options(equal=True)),
            ({"answer": "6"}, Options(hours=6)),
        ],
    )
    def test_the_table_is_played_as_chosen(self, chosen: dict[str, str], played: Options) -> None:
        assert laid(2, 1, **chosen).options == played

    @pytest.mark.parametrize("seats", [1, 5])
    def test_two_to_four_players(self, seats: int) -> None:
        with pytest.raises(IllegalMove, match="for 2 to 4 players"):
            ESCAPE.check_options({}, seats)

    @pytest.mark.parametrize("seats", [3, 4])
    def test_two_colours_each_is_for_two_players(self, seats: int) -> None:
        with pytest.raises(IllegalMove, match="only for two players"):
            ESCAPE.check_options({"colours": "two"}, seats)

    def test_challenges_2_and_4_exclude_each_other(self) -> None:
        with pytest.raises(IllegalMove, match="not a valid choice"):
            ESCAPE.check_options({"ending": "last+submerged"}, 2)

    @pytest.mark.parametrize("ending", ["volcano", "last", "submerged"])
    def test_challenges_1_and_3_combine_with_any(self, ending: str) -> None:
        ESCAPE.check_options({"ending": ending, "overpopulated": "yes", "equal": "yes"}, 4)

    def test_what_does_not_exist_is_refused(self) -> None:
        with pytest.raises(IllegalMove, match="no option"):
            ESCAPE.check_options({"dragons": "yes"}, 2)
        with pytest.raises(IllegalMove, match="not a valid choice"):
            ESCAPE.check_options({"memory": "none"}, 2)

    def test_every_option_says_in_a_sentence_what_it_does(self) -> None:
        for spec in ESCAPE.options:
            assert str(spec.help_text).endswith(".")
            assert spec.default in dict(spec.choices)
