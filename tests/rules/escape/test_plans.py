"""Placement plans: what a seat leaves in advance is placed when its turn comes."""

import pytest

from games.rules.escape import ESCAPE
from games.rules.escape.board import INLAND
from games.rules.escape.hexes import BY_NAME, ISLE_DISTANCE
from games.rules.escape.model import (
    VALUES,
    Launched,
    Placed,
    Planned,
    Preset,
    TurnStage,
)
from games.rules.escape.placing import best_tile

from .table import Table


def test_a_plan_is_played_when_the_seats_turn_comes() -> None:
    table = Table(2).play("plan 6 D6, 5 D7", seat=2)
    assert table.standing() == {}
    table.play("place 6 D5")
    assert table.standing() == {"U1": "D5", "V1": "D6"}
    assert table.asked == [1]


def test_each_time_the_first_wish_that_is_still_legal() -> None:
    table = Table(2).play("plan 6 D5, 6 D6, 5 D7", seat=2).play("place 6 D5")
    assert table.standing()["V1"] == "D6"
    table.play("place 5 E4")
    assert table.standing()["V2"] == "D7"


def test_a_wish_for_a_value_already_placed_is_passed_over() -> None:
    table = Table(2).play("plan 6 D6, 6 D7, 5 D8", seat=2).play("place 6 D5", "place 5 E4")
    assert table.standing()["V2"] == "D8"


def test_a_wish_that_was_played_is_struck_off() -> None:
    table = Table(2).play("plan 1 D6, 1 D7", seat=2).play("place 6 D5")
    plan = table.view(2).plan
    assert plan is not None
    assert [wish.hex for wish in plan.wishes] == [BY_NAME["D7"]]


def test_when_it_is_used_up_the_seat_is_asked_again() -> None:
    table = Table(2).play("plan 6 D6", seat=2).play("place 6 D5", "place 5 D7")
    assert table.asked == [2]
    assert table.view(2).plan is None


def test_a_plan_on_ones_own_turn_is_played_at_once() -> None:
    table = Table(2).play("plan 6 D5, 5 D6")
    assert table.standing() == {"U1": "D5"}
    assert table.asked == [2]


def test_it_can_be_edited_until_it_is_used_up() -> None:
    table = Table(2).play("plan 6 D6", seat=2).play("plan 5 D7", seat=2).play("place 6 D5")
    assert table.standing()["V1"] == "D7"
    assert table.view(2).values[10] == 5


def test_it_can_be_taken_back() -> None:
    table = Table(2).play("plan 6 D6", seat=2).play("plan none", seat=2).play("place 6 D5")
    assert table.asked == [2]


def test_without_a_preset_nothing_is_shuffled() -> None:
    table = Table(2).play("plan 6 D6", seat=2)
    plan = table.events[-1]
    assert isinstance(plan, Planned) and plan.values == ()
    table.play("plan coast", seat=2)
    preset = table.events[-1]
    assert isinstance(preset, Planned) and sorted(preset.values) == sorted(VALUES)


def test_inland_high_values_go_farthest_from_the_isles() -> None:
    board = Table(2).state.board
    best = best_tile(board, 0, Preset.INLAND, 6)
    farthest = max(ISLE_DISTANCE[hex_] for hex_ in INLAND)
    assert best == min(hex_ for hex_ in INLAND if ISLE_DISTANCE[hex_] == farthest)


def test_a_ship_that_was_placed_is_struck_off() -> None:
    table = Table(2).place_all().play("plan ship C5 C6 C4", seat=2).play("ship D4")
    plan = table.view(2).plan
    assert plan is not None
    assert plan.ships == (BY_NAME["C6"], BY_NAME["C4"])


def test_ships_are_planned_too() -> None:
    table = Table(2).place_all().play("plan ship C5 C6", seat=2).play("ship D4")
    assert "V" not in str(table.state.board.ships)
    assert BY_NAME["C5"] in table.state.board.ships
    assert table.asked == [1]
    table.play("ship C6")
    assert table.asked == [2], "the second wish is taken: the seat is asked"


@pytest.mark.parametrize("preset", ["coast", "inland", "spread"])
def test_place_the_rest_for_me(preset: str) -> None:
    table = Table(2).play(f"plan {preset}", seat=2)
    while table.state.board.is_setup:
        assert table.asked == [1], "a seat with a preset never holds the others up"
        table.play(min(table.choices()))
    assert sorted(table.view(2).values[10:]) == [1, 1, 1, 2, 2, 3, 3, 4, 5, 6]  # type: ignore[type-var]
    assert len(table.state.board.ships) == 4


def test_high_values_on_the_coast() -> None:
    table = Table(2).play("plan coast", seat=2).play("plan inland")
    for event in table.events:
        if isinstance(event, Placed) and event.seat == 1 and (event.value or 0) >= 3:
            assert event.hex not in INLAND


def test_high_values_inland() -> None:
    table = Table(2).play("plan inland", seat=2).play("plan coast")
    for event in table.events:
        if isinstance(event, Placed) and event.seat == 1 and (event.value or 0) >= 3:
            assert event.hex in INLAND


def test_wishes_come_before_the_preset() -> None:
    table = Table(2).play("plan 6 H6, inland", seat=2).play("place 6 D5")
    assert table.standing()["V1"] == "H6"


def test_all_seats_with_plans_settle_the_island_at_once() -> None:
    table = Table(4)
    for seat in (4, 3, 2):
        table.play("plan coast", seat=seat)
    table.play("plan inland", seat=1)
    assert (table.state.board.stage, table.asked) == (TurnStage(0), [1])
    assert all(event.auto for event in table.events if isinstance(event, Placed | Launched))


def test_a_plan_is_seen_by_nobody_else() -> None:
    plain, planned = Table(2), Table(2).play("plan 6 D6, coast", seat=2)
    assert plain.view(1) == planned.view(1)
    assert plain.view(None) == planned.view(None)
    (event,) = [event for event in planned.events if isinstance(event, Planned)]
    assert ESCAPE.rules.visible(event, 0) == Planned(1)
    assert ESCAPE.rules.visible(event, 1) == event


def test_the_order_of_a_presets_values_is_luck_and_a_secret() -> None:
    (event,) = [
        event for event in Table(2).play("plan coast", seat=2).events if isinstance(event, Planned)
    ]
    assert sorted(event.values) == [1, 1, 1, 2, 2, 3, 3, 4, 5, 6]
    assert ESCAPE.rules.recorded_chance([event]) == (event.values,)


def test_what_a_plan_cannot_hold() -> None:
    table = Table(2)
    assert "No explorer is worth 7" in table.refusal("plan 7 D5")
    assert "is a sea hex" in table.refusal("plan 6 C5")
    assert "not a sea hex" in table.refusal("plan ship D5")
    assert "Say what to place" in table.refusal("plan")


def test_after_the_setup_there_is_nothing_to_plan() -> None:
    assert "setup is over" in Table(2).settle().refusal("plan coast")


def test_what_is_left_of_a_plan_is_forgotten_with_the_setup() -> None:
    table = Table(2, memory="strict").play("plan 6 D6, 6 D7, coast", seat=2).play("plan coast")
    assert isinstance(table.state.board.stage, TurnStage)
    assert table.view(2).plan is None
