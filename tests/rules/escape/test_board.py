"""The board and the box: geometry and counts, asserted."""

from collections import Counter

from games.rules.escape.hexes import (
    BY_NAME,
    CENTRE,
    HEXES,
    ISLE_SHORES,
    LAND,
    NAMES,
    NEAR,
    SERPENT_LAIRS,
    SPANS,
    distance,
    doubled,
    walks,
)
from games.rules.escape.model import BOX, FACES, TALLY, VALUES, Back, Creature

SEA = frozenset(range(len(HEXES))) - frozenset(LAND)


def test_there_are_133_hexes_in_thirteen_rows() -> None:
    assert len(HEXES) == 133
    assert len(SPANS) == 13
    assert [last - first + 1 for first, last in SPANS] == [
        7, 10, 11, 10, 11, 12, 11, 12, 11, 10, 11, 10, 7,
    ]  # fmt: skip


def test_forty_hexes_are_land_and_ninety_three_are_sea() -> None:
    assert len(LAND) == 40
    assert len(SEA) == 93


def test_the_centre_is_sea_and_touches_six_land_hexes() -> None:
    assert CENTRE in SEA
    assert doubled(CENTRE) == (0, 0)
    assert len(NEAR[CENTRE]) == 6
    assert set(NEAR[CENTRE]) <= set(LAND)


def test_all_other_sea_is_connected() -> None:
    found = {BY_NAME["A3"]}
    edge = list(found)
    while edge:
        edge = [near for hex_ in edge for near in NEAR[hex_] if near in SEA and near not in found]
        found.update(edge)
    assert found == SEA - {CENTRE}


def test_28_sea_hexes_touch_the_island_from_outside() -> None:
    coast = {near for hex_ in LAND for near in NEAR[hex_]} & SEA - {CENTRE}
    assert len(coast) == 28


def test_each_isle_touches_two_sea_hexes_that_touch_each_other() -> None:
    for one, other in ISLE_SHORES:
        assert {one, other} <= SEA
        assert other in NEAR[one]
    assert [(HEXES[one], HEXES[other]) for one, other in ISLE_SHORES] == [
        ((1, 1), (2, 0)),
        ((1, 10), (2, 10)),
        ((10, 0), (11, 1)),
        ((10, 10), (11, 10)),
    ]


def test_the_land_is_symmetric_both_ways() -> None:
    places = {doubled(hex_) for hex_ in LAND}
    assert places == {(-x, y) for x, y in places}
    assert places == {(x, -y) for x, y in places}


def test_neighbours_are_mutual_and_one_step_away() -> None:
    for hex_, near in enumerate(NEAR):
        assert all(hex_ in NEAR[other] and distance(hex_, other) == 1 for other in near)


def test_five_serpents_lie_in_their_lairs() -> None:
    assert [HEXES[hex_] for hex_ in SERPENT_LAIRS] == [(1, 1), (2, 10), (6, 5), (10, 0), (11, 10)]


def test_hexes_have_names_from_row_and_place() -> None:
    assert NAMES[CENTRE] == "G6"
    assert NAMES[0] == "A3"
    assert NAMES[-1] == "M9"
    assert len(set(NAMES)) == 133


def test_a_walk_ends_elsewhere_than_it_began_by_the_shortest_way() -> None:
    ends = walks(CENTRE, 2, lambda _: True)
    assert CENTRE not in ends
    assert len(ends) == 18
    assert all(len(way) == distance(CENTRE, end) for end, way in ends.items())


def test_a_walk_goes_not_beyond_a_stop() -> None:
    stops = set(NEAR[CENTRE])
    assert set(walks(CENTRE, 3, lambda _: True, stops)) == stops


def test_the_ten_values_of_a_colour_are_28_together() -> None:
    assert sorted(VALUES) == [1, 1, 1, 2, 2, 3, 3, 4, 5, 6]
    assert sum(VALUES) == 28


def test_forty_tiles_16_beach_16_forest_8_mountain() -> None:
    assert Counter(tile.terrain for tile in BOX) == {"b": 16, "f": 16, "m": 8}


def test_the_backs_are_those_of_the_table() -> None:
    assert {back: TALLY[back] for back in Back} == {
        "whale": (3, 2, 0),
        "shark": (3, 2, 1),
        "ship": (1, 3, 0),
        "whirlpool": (0, 2, 4),
        "volcano": (0, 0, 1),
        "dolphin": (3, 1, 0),
        "wind": (2, 0, 0),
        "move serpent": (1, 1, 0),
        "move shark": (1, 1, 0),
        "move whale": (1, 1, 0),
        "shark defence": (1, 1, 1),
        "whale defence": (0, 2, 1),
    }


def test_the_die_has_two_faces_of_each_creature() -> None:
    assert Counter(FACES) == {Creature.SERPENT: 2, Creature.SHARK: 2, Creature.WHALE: 2}
