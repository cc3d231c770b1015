"""Components, the tile distribution and the setup."""

from collections import Counter

import pytest

from games.rules.atlantis import ATLANTIS
from games.rules.atlantis.box import CARDS, HALF_A, HALF_B
from games.rules.atlantis.model import Dealt, Item, Prepared, State, Tile
from games.rules.chance import SeededChance
from games.rules.errors import IllegalMove

from .tables import Reversing, Unshuffled, tile


def fresh(seats: int = 3, order: str = "seated") -> State:
    chance = SeededChance(bytes(range(32)), 1)
    return ATLANTIS.fold(ATLANTIS.setup({"order": order}, seats, chance))


def prepared(seats: int, order: str, chance: Unshuffled) -> Prepared:
    event = ATLANTIS.setup({"order": order}, seats, chance)[0]
    assert isinstance(event, Prepared)
    return event


def test_there_are_84_tiles_42_of_each_half() -> None:
    assert (len(HALF_A), len(HALF_B)) == (42, 42)


@pytest.mark.parametrize("half", [HALF_A, HALF_B])
def test_each_half_holds_six_tiles_of_every_item_no_value_twice(half: tuple[Tile, ...]) -> None:
    assert Counter(t.item for t in half) == dict.fromkeys(Item, 6)
    assert len(set(half)) == 42


@pytest.mark.parametrize("half", [HALF_A, HALF_B])
def test_each_value_appears_six_times_in_each_half(half: tuple[Tile, ...]) -> None:
    assert Counter(t.value for t in half) == dict.fromkeys(range(1, 8), 6)


def test_half_a_leaves_out_the_tiles_that_the_rules_name() -> None:
    missing = ["f7", "o6", "h3", "a5", "r1", "c4", "s2"]
    assert {Tile(i, v) for i in Item for v in range(1, 8)} - set(HALF_A) == set(map(tile, missing))


def test_half_b_leaves_out_eight_minus_these_values() -> None:
    missing = ["f1", "o2", "h5", "a3", "r7", "c4", "s6"]
    assert {Tile(i, v) for i in Item for v in range(1, 8)} - set(HALF_B) == set(map(tile, missing))


def test_every_item_is_worth_48_and_both_halves_are_worth_the_same() -> None:
    for item in Item:
        assert sum(t.value for t in HALF_A + HALF_B if t.item is item) == 48
    assert sum(t.value for t in HALF_A) == sum(t.value for t in HALF_B)


@pytest.mark.parametrize(
    "named",
    ["f1", "o4", "f4", "h2", "a6", "h5", "r7", "r2", "c5", "s3", "r5", "s1"],
)
def test_every_tile_that_the_examples_name_is_in_the_box(named: str) -> None:
    assert tile(named) in HALF_A + HALF_B


def test_there_are_105_cards_fifteen_of_each_item() -> None:
    assert len(CARDS) == 105
    assert Counter(CARDS) == dict.fromkeys(Item, 15)


def test_the_path_has_53_spaces_in_the_heights_of_the_rules() -> None:
    heights = [len(stack) for stack in fresh().path]
    half = [2] * 10 + [1] * 10 + [2] * 6
    assert heights == [*half, 0, *reversed(half)]


def test_a_tiles_lie_before_the_water_and_b_tiles_behind_it() -> None:
    path = fresh().path
    assert sorted(t for stack in path[:26] for t in stack) == sorted(HALF_A)
    assert sorted(t for stack in path[27:] for t in stack) == sorted(HALF_B)


def test_the_event_of_the_setup_holds_the_heights() -> None:
    event = prepared(2, "seated", Unshuffled())
    assert event.heights == tuple(map(len, event.path))


def test_all_figures_start_on_atlantis_with_no_tiles_and_a_bridge_each() -> None:
    state = fresh(4)
    assert state.figures == ((0, 0, 0),) * 4
    assert state.tiles == ((),) * 4
    assert state.unbuilt == (True,) * 4


@pytest.mark.parametrize(("seats", "counts"), [(2, [4, 5]), (3, [4, 5, 6]), (4, [4, 5, 6, 7])])
def test_the_first_player_draws_four_cards_the_next_one_more(seats: int, counts: list[int]) -> None:
    state = fresh(seats, "random")
    assert [sum(state.hands[seat]) for seat in state.order] == counts
    assert len(state.deck) == 105 - sum(counts)


def test_the_hands_come_from_the_top_of_the_deck_in_turn_order() -> None:
    laid, dealt = ATLANTIS.setup({"order": "random"}, 2, Reversing())
    assert isinstance(laid, Prepared) and isinstance(dealt, Dealt)
    assert laid.order == (1, 0)
    assert dealt.counts == (5, 4)
    assert dealt.hands[1] == laid.deck[:4]
    assert dealt.hands[0] == laid.deck[4:9]


def test_who_is_first_is_random_by_default() -> None:
    assert ATLANTIS.check_options({}, 2) == {"order": "random"}
    firsts = {
        ATLANTIS.fold(ATLANTIS.setup({}, 4, SeededChance(bytes([n] * 32), 1))).order[0]
        for n in range(40)
    }
    assert firsts == {0, 1, 2, 3}


def test_or_the_order_is_as_seated() -> None:
    assert prepared(4, "seated", Reversing()).order == (0, 1, 2, 3)


def test_the_first_in_the_order_is_to_act() -> None:
    state = fresh(4, "random")
    assert ATLANTIS.rules.to_act(state) == (state.order[0],)
    assert state.turn == 1


def test_before_the_setup_nobody_is_to_act() -> None:
    assert ATLANTIS.rules.to_act(ATLANTIS.rules.initial()) == ()


@pytest.mark.parametrize("seats", [0, 1, 5])
def test_it_is_a_game_for_two_to_four(seats: int) -> None:
    with pytest.raises(IllegalMove, match="for 2 to 4 players"):
        ATLANTIS.check_options({}, seats)


@pytest.mark.parametrize("options", [{"order": "alphabetical"}, {"colour": "red"}])
def test_options_that_do_not_exist_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(IllegalMove):
        ATLANTIS.check_options(options, 2)
