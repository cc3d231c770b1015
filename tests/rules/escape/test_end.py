"""End and score, and the challenges that change them."""

import pytest

from games.rules.escape import ESCAPE
from games.rules.escape.hexes import BY_NAME
from games.rules.escape.model import Creature, Ended, Erupted, Rolled, Sank
from games.rules.escape.settlement import settlement

from .scenes import Scene

VOLCANO = "E5 mountain=volcano U10 | E6 mountain V10"


def over(text: str, line: str = "sink E5", dice: str = "serpent") -> Scene:
    scene = Scene(text, shore=False, dice=dice).play(line)
    assert scene.stage == "over"
    return scene


def scores(scene: Scene) -> tuple[tuple[int, ...], tuple[int, ...]]:
    outcome = scene.state.board.outcome
    assert outcome is not None
    return outcome.scores, outcome.winners


def test_the_sum_of_the_values_on_the_isles_highest_wins() -> None:
    scene = over(f"{VOLCANO} | isle NW U1=6 U2=1 | isle SE V1=5 V2=3 U3=2")
    assert scores(scene) == ((9, 8), (0,))


def test_the_volcano_takes_everybody_who_is_not_on_an_isle() -> None:
    scene = over(f"{VOLCANO} | isle NW U1 | C1 ship V1 | L5 V2")
    *_before, erupted, ended = scene.events
    lost = [name for name in ("U10", "V1", "V2", "V10") if scene.is_lost(name)]
    assert erupted == Erupted(BY_NAME["E5"], (9, 10, 11, 19))
    assert lost == ["U10", "V1", "V2", "V10"]
    assert isinstance(ended, Ended) and ended.cause == "volcano"


def test_ties_share() -> None:
    assert scores(over(f"{VOLCANO} | isle NW U1=3 V1=3")) == ((3, 3), (0, 1))


def test_nobody_saved_is_a_tie_at_nothing() -> None:
    assert scores(over(VOLCANO)) == ((0, 0), (0, 1))


def test_when_nobody_has_an_explorer_left_the_game_ends_there() -> None:
    scene = over("E5 beach | E6 beach | C1 ship U1=4", "U1 isle, sink E5")
    assert scores(scene) == ((4, 0), (0,))
    assert scene.at("E5") == "beach", "nothing sank any more"
    assert [event.cause for event in scene.events if isinstance(event, Ended)] == ["nobody"]


def test_it_ends_at_once_when_a_creature_takes_the_last() -> None:
    scene = Scene("E5 beach | E6 beach | A3 shark | A4 U1", shore=False, dice="shark")
    scene.play("sink E5").play("shark A3 A4")
    assert scene.stage == "over"


def test_it_ends_at_once_when_the_last_swims_into_danger() -> None:
    over("E5 beach | E6 beach | A3 shark | A4 U1", "U1 swim A3")


def test_a_player_with_no_explorers_left_still_sinks_and_moves_creatures() -> None:
    scene = Scene("J7 beach V1 | J5 beach | A3 whale", shore=False, dice="whale")
    scene.play("sink J5")
    assert (scene.stage, scene.asked) == ("creature", [1])


def test_two_colours_scores_added() -> None:
    scene = over(f"options two_colours | {VOLCANO} | isle NW U1=6 Y1=5 V1=6 N1=4")
    assert scores(scene) == ((11, 10), (0,))


def test_nothing_can_be_played_when_it_is_over() -> None:
    scene = over(VOLCANO)
    assert scene.asked == []
    assert "over" in scene.refusal("sink E6", seat=2)
    assert "over" in scene.refusal("standing shark always", seat=2)


class TestToTheLast:
    """Challenge 2."""

    LAST = "options ending=last"

    def test_the_volcano_acts_as_a_whirlpool(self) -> None:
        scene = Scene(f"{self.LAST} | {VOLCANO} | L5 U1 | D5 V1", shore=False).play("sink E5")
        assert scene.stage != "over"
        assert scene.is_lost("V1")
        assert scene.at("L5") == "U1"

    def test_it_goes_on_when_all_land_has_sunk(self) -> None:
        scene = Scene(f"{self.LAST} | E5 mountain U1 | L5 V1 | D5 whale", shore=False)
        scene.play("sink E5")
        assert scene.state.board.dry == 1
        assert scene.asked == [2]
        assert "roll" in scene.choices()
        assert "Roll the die instead" in scene.refusal("sink E5")
        scene.play("V1 swim L6, roll")
        assert Rolled(1, Creature.SERPENT) in scene.events
        assert scene.asked == [1]

    def test_the_die_is_rolled_for_a_player_who_has_nothing_to_decide(self) -> None:
        text = f"{self.LAST} | A9 V1 | isle NW U1 | active 2 | dry 3 | turn 6"
        scene = Scene(text, shore=False).play("roll")
        assert [event.seat for event in scene.events if isinstance(event, Rolled)] == [1, 0]
        assert scene.asked == [2]

    def test_it_ends_when_no_explorer_is_left_on_board(self) -> None:
        scene = over(f"{self.LAST} | C1 U1=5 | dry 3 | turn 5", "U1 isle")
        assert scores(scene) == ((5, 0), (0,))

    def test_explorers_still_at_sea_twelve_turns_of_each_player_later_are_lost(self) -> None:
        scene = Scene(f"{self.LAST} | A3 U1 V1 | isle NW V2=5 | dry 3 | turn 26", shore=False).play(
            "roll"
        )
        assert (scene.stage, scene.state.board.turn) == ("turn", 27)
        scene.play("roll")
        assert scene.stage == "over"
        assert scene.is_lost("U1")
        assert scene.is_lost("V1")
        assert [event.cause for event in scene.events if isinstance(event, Ended)] == ["calm"]
        assert scores(scene) == ((0, 5), (1,))


class TestAllEqual:
    """Challenge 3."""

    @pytest.mark.parametrize("ending", ["volcano", "last", "submerged"])
    def test_most_explorers_saved_wins(self, ending: str) -> None:
        scene = Scene(
            f"options equal ending={ending} | E5 mountain=volcano U10 | isle NW U1=6 V1=1 V2=1",
            shore=False,
        ).play("sink E5")
        assert scores(scene) == ((1, 2), (1,))


class TestSubmerged:
    """Challenge 4."""

    SUBMERGED = "options ending=submerged"

    def test_it_ends_when_the_last_tile_is_gone_before_the_die(self) -> None:
        scene = over(f"{self.SUBMERGED} | E5 mountain=shark U1 | A3 V1 | isle SW V2=2")
        assert scene.is_lost("U1"), "its back has been carried out"
        assert "Rolled" not in scene.kinds
        assert scores(scene) == ((0, 2), (1,))

    def test_an_explorer_who_is_not_on_an_isle_then_counts_nothing(self) -> None:
        assert scores(over(f"{self.SUBMERGED} | E5 mountain U1 | C1 ship V1")) == ((0, 0), (0, 1))

    def test_the_volcano_acts_as_a_whirlpool(self) -> None:
        scene = Scene(f"{self.SUBMERGED} | {VOLCANO} | L5 U1", shore=False).play("sink E5")
        assert scene.stage != "over"
        assert scene.is_lost("U10")
        assert scene.at("E6") == "mountain V10"

    def test_where_the_last_back_is_a_ship_nobody_is_asked_who_climbs_in(self) -> None:
        scene = over(f"{self.SUBMERGED} | E5 mountain=ship U1 U2 V1 V2")
        assert "Appeared" in scene.kinds, "its back has been carried out"

    @pytest.mark.parametrize("back", ["volcano", "whirlpool"])
    def test_where_the_last_back_is_a_whirlpool_it_takes_its_prey_first(self, back: str) -> None:
        scene = over(f"{self.SUBMERGED} | E5 mountain={back} U1 | D5 V1 | L5 V2")
        assert scene.is_lost("U1")
        assert scene.is_lost("V1")
        assert not scene.is_lost("V2")


def test_the_settlement_explains_the_score_by_explorer() -> None:
    scene = over(f"{VOLCANO} | isle NW U1=1 U2=6 | values V1=6")
    lines = {seat: [str(line) for line in texts] for seat, texts in settlement(scene.view(None))}
    assert lines[0][0] == "2 explorers saved: U2 (6), U1 (1)."
    assert lines[0][-1] == "6 + 1 = 7 of 28 points."
    assert lines[1][0] == "No explorers saved."
    assert lines[1][-1] == "0 of 28 points."


def test_the_settlement_names_the_lost_and_the_late_and_begins_with_the_winner() -> None:
    scene = over(
        "options ending=submerged | E5 mountain=dolphin U2 U10 | isle NW V10 | isle SE V6 V1 | L5 V3"
    )
    sentences = [
        (seat, [str(line) for line in lines]) for seat, lines in settlement(scene.view(None))
    ]
    assert sentences == [
        (
            1,
            [
                "3 explorers saved: V1 (6), V6 (2), V10 (1).",
                "6 lost: V2 (5), V4 (3), V5 (3), V7 (2), V8 (1), V9 (1).",
                "1 not saved in time: V3 (4).",
                "6 + 2 + 1 = 9 of 28 points.",
            ],
        ),
        (
            0,
            [
                "No explorers saved.",
                "8 lost: U1 (6), U3 (4), U4 (3), U5 (3), U6 (2), U7 (2), U8 (1), U9 (1).",
                "2 not saved in time: U2 (5), U10 (1).",
                "1 face-down tile left: dolphin.",
                "0 of 28 points.",
            ],
        ),
    ]


def test_a_single_explorer_is_no_sum() -> None:
    scene = over(f"{VOLCANO} | isle NW U1=6")
    assert [str(line) for line in dict(settlement(scene.view(None)))[0]][-1] == "6 of 28 points."


def test_points_on_the_way_are_those_of_the_explorers_saved_so_far() -> None:
    scene = Scene("E5 beach U1 | isle NW U2=5 U10=1 | isle SE V1=3")
    assert ESCAPE.rules.points(scene.state) == (6, 3)


def test_there_is_no_settlement_before_the_end() -> None:
    assert settlement(Scene("E5 beach U1").view(1)) == ()


def test_at_the_end_everything_is_shown() -> None:
    scene = over(f"{VOLCANO} | E7 mountain=whirlpool | kept 2 dolphin")
    view = scene.view(None)
    assert None not in view.values
    assert view.kept == ((), ("dolphin",))
    assert "whirlpool" in view.backs


def test_at_the_end_the_backs_of_tiles_left_are_drawn_and_listed() -> None:
    text = "E5 mountain=volcano U10 | E6 mountain=whirlpool V10 | E7 mountain=dolphin"
    before = Scene(text, shore=False)
    hidden = ESCAPE.board_svg(before.view(1))
    assert 'class="back"' not in hidden and "Under the remaining tiles" not in hidden
    shown = ESCAPE.board_svg(before.play("sink E5").view(2))
    assert shown.count('class="back"') == shown.count('<use href="#m')
    assert "E6 whirlpool" in shown and "E7 dolphin" in shown


def test_at_the_end_the_settlement_names_the_tiles_that_were_kept() -> None:
    scene = over(f"{VOLCANO} | isle NW U1=6 | kept 2 wind dolphin")
    lines = {
        seat: [str(line) for line in lines]
        for seat, lines in ESCAPE.presentation.settlement(scene.view(1))
    }
    assert "2 face-down tiles left: wind and dolphin." in lines[1]
    assert not any("face down" in line for line in lines[0])


def test_a_turn_with_nothing_to_decide_passes_without_asking() -> None:
    scene = Scene(
        "A3 U1 | E5 beach=whale | E6 forest=ship | F5 mountain | F6 mountain", shore=False
    ).play("U1 swim A4")
    assert (scene.at("E5"), scene.at("E6")) == ("whale", "ship")
    assert [event.seat for event in scene.events if isinstance(event, Sank)] == [0, 1]
    assert [event.seat for event in scene.events if isinstance(event, Rolled)] == [0, 1]
    assert (scene.asked, scene.state.board.turn) == ([1], 3), "seat 2 had nothing to decide"


def test_a_player_who_holds_a_tile_is_asked_even_then() -> None:
    scene = Scene(
        "A3 U1 | E5 beach=whale | E6 forest=ship | F5 mountain | F6 mountain | kept 2 dolphin",
        shore=False,
    ).play("U1 swim A4")
    assert (scene.asked, scene.choices()) == ([2], {"sink E6"})


def test_who_knows_the_values_reads_their_sum_and_nobody_else() -> None:
    scene = Scene("E5 beach | E6 beach | isle NW U1=6 U2=1 | C1 ship V1=4")
    seats = [str(ESCAPE.presentation.players(scene.view(seat))[0].text) for seat in (1, 2, None)]
    assert ["2 saved (worth 7)" in text for text in seats] == [True, False, False]
