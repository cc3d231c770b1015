"""Bridges: once per game, on any unbridged gap, before the move or after the tile is taken."""

import pytest

from games.rules.atlantis import ATLANTIS
from games.rules.atlantis.model import Move, State

from .tables import legal, play, refusal, table

# A gap of price 2 (space 2) and one of price 3 (space 4); figure A stands before both.
TWO_GAPS = "f2 . o5 . h3 a4"


def gaps(state: State) -> list[tuple[int, int, int, bool]]:
    return [(g.first, g.last, g.price, g.bridged) for g in ATLANTIS.rules.view(state, None).gaps]


def test_a_bridge_before_the_move_already_helps_it() -> None:
    played = play(f"{TWO_GAPS} | *1/0/0 o - b | 0/0/0 - -", "bridge 2 A o")
    assert played.moved.price == 0
    assert played.moved.bridge_before == 2


def test_a_bridge_before_the_move_need_not_be_crossed() -> None:
    played = play(f"{TWO_GAPS} | *1/0/0 oss - b | 0/0/0 - -", "bridge 4 A o pay s s")
    assert played.moved.price == 2
    # The flag 2 is taken: its gap has become a part of Atlantis.
    assert gaps(played.state) == [(4, 4, 0, True)]


def test_a_bridge_after_the_tile_is_taken_may_cover_the_gap_that_was_just_made() -> None:
    played = play("f2 r1 o5 | *1/0/0 o - b | 0/0/0 - -", "A o bridge 2")
    assert played.moved.taken_from == 2
    assert gaps(played.state) == [(2, 2, 0, True)]


def test_a_bridge_after_the_move_does_not_help_it() -> None:
    position = f"r6 {TWO_GAPS} | *2/1/0 o - b | 0/0/0 - -"
    assert "costs 2 points" in refusal(position, "A o bridge 3")


def test_a_gap_that_is_only_made_by_the_move_cannot_be_bridged_before_it() -> None:
    assert "no gap at space 2" in refusal("f2 r1 o5 | *1/0/0 o - b | 0/0/0 - -", "bridge 2 A o")


def test_a_bridged_gap_is_free_for_everyone_for_the_rest_of_the_game() -> None:
    built = play("r1 f2 . o5 a4 | *2/0/0 o - b | 1/0/0 a -", "bridge 3 A o").state
    assert play(built, "A a").moved.price == 0


def test_any_space_of_the_gap_names_it_and_its_first_is_kept() -> None:
    played = play("f2 .3 o5 | *1/0/0 o - b | 0/0/0 - -", "bridge 4 A o")
    assert played.moved.bridge_before == 2


@pytest.mark.parametrize("line", ["bridge 1 A o", "bridge 6 A o", "bridge 54 A o"])
def test_where_there_is_no_gap_no_bridge_can_be_built(line: str) -> None:
    assert "no gap" in refusal("f2 . o5 | *1/0/0 o - b | 0/0/0 - -", line)


@pytest.mark.parametrize("path", [". f2 o5", "f2 o5 ."])
def test_water_beside_atlantis_or_the_mainland_is_no_gap(path: str) -> None:
    state = table(f"{path} | *0/0/0 o - b | 0/0/0 - -")
    assert gaps(state) == []


def test_a_bridged_gap_takes_no_second_bridge() -> None:
    reason = refusal("f2 = o5 | *1/0/0 o - b | 0/0/0 - -", "bridge 2 A o")
    assert "is already bridged" in reason


def test_a_player_builds_once_per_game() -> None:
    reason = refusal(f"{TWO_GAPS} | *1/0/0 o h7 | 0/0/0 - -", "bridge 2 A o")
    assert reason == "You have already built your bridge."


def test_building_uses_the_bridge_up() -> None:
    played = play(f"{TWO_GAPS} | *1/0/0 o - b | 0/0/0 - - b", "bridge 2 A o")
    assert played.state.unbuilt == (False, True)


def test_a_move_builds_one_bridge_before_or_after() -> None:
    reason = refusal(f"{TWO_GAPS} | *1/0/0 o - b | 0/0/0 - -", "bridge 2 A o bridge 4")
    assert "before or after the move" in reason


def test_a_bridge_holds_when_its_gap_grows() -> None:
    # The ring 1 behind the landing is taken: the gap 2 … 2 becomes 2 … 3.
    played = play("f2 = r1 o5 | *0/0/3 o - | 1/0/0 - -", "C o")
    assert gaps(played.state) == [(2, 3, 0, True)]


def test_a_bridge_holds_when_its_gap_merges_with_an_unbridged_one() -> None:
    played = play("f2 = r3 . a4 o5 | *3/0/0 oo c3 | 1/5/0 - -", "A o pay 3")
    assert played.moved.taken_from == 3
    assert gaps(played.state) == [(2, 4, 0, True)]


def test_two_bridged_gaps_merge_into_one() -> None:
    played = play("f2 = r3 = a4 o5 | *3/0/0 o - | 1/5/0 - -", "A o")
    assert gaps(played.state) == [(2, 4, 0, True)]


def test_two_unbridged_gaps_merge_into_one_with_a_new_price() -> None:
    played = play("f2 . r1 . a4 o5 | *3/0/0 oo - | 1/5/0 - -", "A o pay o")
    assert gaps(played.state) == [(2, 4, 2, False)]


def test_a_bridge_is_gone_with_its_gap_at_the_end_of_the_path() -> None:
    played = play("f2 = o5 h1 | *1/0/0 o - | 0/0/0 - -", "A o")
    assert played.moved.taken_from == 1
    assert gaps(played.state) == []


def test_and_it_is_not_given_back() -> None:
    played = play("f2 . o5 h1 | *1/0/0 o - b | 0/0/0 - -", "bridge 2 A o")
    assert gaps(played.state) == []
    assert played.state.unbuilt[0] is False


def test_no_bridge_is_built_after_the_third_arrival() -> None:
    position = f"{TWO_GAPS} | *6/M/M o - b | 0/0/0 - -"
    assert "can no longer build a bridge" in refusal(position, "A o bridge 2")
    assert not [c for c in legal(position) if isinstance(c, Move) and c.bridge_after is not None]


def test_before_the_third_arrival_a_bridge_may_be_built() -> None:
    played = play(f"{TWO_GAPS} | *1/M/M shhh - b | 0/0/0 - -", "bridge 2 A s pay h h h")
    assert played.moved.price == 3
    assert played.state.outcome is not None


def test_a_passing_turn_builds_none() -> None:
    # Passing is the only command that names no figure, and it has no place for a bridge.
    position = "f2 . o5 | *1/M/M o - | 0/0/0 - -"
    assert play(position, "pass").state.unbuilt[0] is False
    assert not [c for c in legal(position) if isinstance(c, Move)]


def test_legal_commands_offer_every_gap_before_and_after() -> None:
    moves = [c for c in legal(f"{TWO_GAPS} | *5/M/M a - b | 0/0/0 - -") if isinstance(c, Move)]
    assert [(c.bridge_before, c.bridge_after) for c in moves] == [
        (None, None),
        (2, None),
        (4, None),
        (None, 2),
        (None, 4),
    ]


def test_where_only_the_bridge_makes_a_way_payable_it_is_offered() -> None:
    moves = [c for c in legal("f2 . o5 | *1/M/M o - b | 0/0/0 - -") if isinstance(c, Move)]
    assert [(c.cards, c.bridge_before) for c in moves] == [(("olive",), 2)]
