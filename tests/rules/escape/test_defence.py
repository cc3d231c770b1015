"""Defence: kept tiles against a shark or whale that another player moves."""

import pytest

from games.rules.escape import ESCAPE
from games.rules.escape.model import Answered, Back, Defend, Ordered, TurnStage
from games.rules.escape.view import visible
from tests.rules.escape.scenes import WATER, attack

from .scenes import Scene

SHIP = "A3 whale | A4 ship V1 V2"


def whale(text: str) -> Scene:
    return attack(text, "whale", "whale A3 A4")


def test_a_shark_defence_saves_own_swimmers_and_removes_the_shark() -> None:
    scene = attack(f"{WATER} | kept 2 shark-defence").play("defend")
    assert scene.at("A4") == "V1 V2"
    assert scene.state.board.gone[2] == 1
    assert scene.state.board.spent[-1] is Back.SHARK_DEFENCE
    assert scene.state.board.held[1] == len(scene.state.kept[1]) == 0
    assert scene.asked == [2], "the turn has passed on"


def test_a_whale_defence_saves_a_ship_that_one_controls() -> None:
    scene = whale(f"{SHIP} | kept 2 whale-defence").play("defend")
    assert scene.at("A4") == "ship V1 V2"
    assert scene.state.board.gone[3] == 1


@pytest.mark.parametrize("kind", ["shark", "whale"])
def test_who_was_driven_off_is_counted_with_those_before(kind: str) -> None:
    text = f"A3 {kind} | gone 0 0 2 1 | kept 2 {kind}-defence | A4"
    scene = attack(f"{text} {'V1' if kind == 'shark' else 'ship V1'}", kind, f"{kind} A3 A4")
    assert scene.play("defend").state.board.gone == (
        (0, 0, 3, 1) if kind == "shark" else (0, 0, 2, 2)
    )


def test_one_may_let_it_happen() -> None:
    scene = attack(f"{WATER} | kept 2 shark-defence").play("allow")
    assert scene.at("A4") == "shark"
    assert scene.is_lost("V1")
    assert scene.state.kept[1] == (Back.SHARK_DEFENCE,)


def test_ties_for_control_included() -> None:
    scene = whale("A3 whale | A4 ship U1 V1 | kept 2 whale-defence")
    assert scene.asked == [2]
    assert scene.play("defend").at("A4") == "ship U1 V1"


def test_not_by_one_who_has_fewer_aboard() -> None:
    scene = whale("A3 whale | A4 ship U1 U2 V1 | kept 2 whale-defence")
    assert scene.at("A4") == "U1 U2 V1 whale"


def test_every_affected_player_with_a_face_down_tile_is_asked_whatever_it_is() -> None:
    for tile in ("shark-defence", "whale-defence", "dolphin"):
        assert attack(f"{WATER} | kept 2 {tile}").asked == [2]
    scene = attack(f"{WATER} | kept 2 dolphin")
    assert list(ESCAPE.rules.legal_commands(scene.state, 1)) == [Defend(False)]
    able = attack(f"{WATER} | kept 2 shark-defence")
    assert list(ESCAPE.rules.legal_commands(able.state, 1)) == [Defend(False), Defend(True)]
    assert "no tile that defends" in scene.refusal("defend")


def test_a_player_who_holds_no_tile_is_not_asked() -> None:
    scene = attack(WATER)
    assert scene.at("A4") == "shark"
    assert (scene.stage, scene.asked) == ("turn", [2])


def test_a_player_who_is_not_affected_is_not_asked() -> None:
    scene = attack("seats 3 | A3 shark | A4 V1 | Y1 | kept 3 shark-defence".replace(" | Y1", ""))
    assert scene.at("A4") == "shark"


def test_not_against_ones_own_steering() -> None:
    scene = attack("A3 shark | A4 U1 | kept 1 shark-defence")
    assert scene.is_lost("U1")
    assert scene.state.kept[0] == (Back.SHARK_DEFENCE, Back.WIND)


def test_not_against_a_creature_that_a_tile_placed() -> None:
    scene = Scene("E5 beach=shark V1 | kept 2 shark-defence").play("sink E5")
    assert scene.is_lost("V1")
    assert "Alerted" not in scene.kinds


def test_not_against_serpents() -> None:
    scene = attack(
        "A3 serpent | A4 V1 | kept 2 shark-defence whale-defence", "serpent", "serpent A3 A4"
    )
    assert scene.is_lost("V1")


def test_no_prey_no_question() -> None:
    scene = attack("A3 shark | B3 V1 | kept 2 shark-defence")
    assert "Alerted" not in scene.kinds


class TestSeveral:
    """Seats 2, 3 and 4 swim together; all hold tiles."""

    WATER = "seats 4 | A3 shark | A4 V1 Y1 N1 | L5 Y2 | L6 N2"
    KEPT = "kept 2 shark-defence | kept 3 shark-defence | kept 4 shark-defence"

    def test_all_who_are_affected_are_asked_at_once(self) -> None:
        assert attack(f"{self.WATER} | {self.KEPT}").asked == [2, 3, 4]

    def test_answers_count_clockwise_from_the_active_player(self) -> None:
        scene = attack(f"{self.WATER} | {self.KEPT} | order 1 3 2 4")
        assert scene.asked == [3, 2, 4]
        scene.play("defend", seat=4).play("defend", seat=2)
        assert scene.stage == "defence"
        scene.play("allow", seat=3)
        assert scene.state.kept[1] == ()
        assert scene.state.kept[2] == scene.state.kept[3] == (Back.SHARK_DEFENCE,)

    def test_the_seats_after_the_active_player_come_first(self) -> None:
        kept = "kept 1 shark-defence | kept 3 dolphin | kept 4 dolphin"
        scene = attack(f"seats 4 | active 2 | A3 shark | A4 U1 Y1 N1 | {kept} | L5 Y2 | L6 N2")
        assert scene.asked == [3, 4, 1]
        scene.play("allow", seat=3).play("allow", seat=4).play("defend", seat=1)
        assert scene.at("A4") == "U1 Y1 N1"

    def test_an_order_left_after_the_answer_does_not_answer_again(self) -> None:
        scene = attack(f"{self.WATER} | {self.KEPT}").play("allow", seat=4)
        scene.play("standing shark always", seat=4)
        assert scene.kinds[-2:] == ["Answered", "Ordered"]
        assert scene.asked == [2, 3]

    def test_the_first_who_defends_spends_the_tile_the_others_keep_theirs(self) -> None:
        scene = attack(f"{self.WATER} | {self.KEPT}").play("defend", seat=2)
        assert scene.stage == "turn", "a defender who is asked later need not answer any more"
        assert [len(tiles) for tiles in scene.state.kept] == [1, 0, 1, 1]
        assert scene.at("A4") == "V1 Y1 N1"

    @pytest.mark.parametrize("lines", [["defend"], ["allow", "allow", "allow"]])
    def test_the_next_turn_begins_with_nothing_left_of_it(self, lines: list[str]) -> None:
        scene = attack(f"{self.WATER} | {self.KEPT}")
        for seat, line in enumerate(lines, start=2):
            scene.play(line, seat=seat)
        board = scene.state.board
        assert board.stage == TurnStage(1)
        assert (board.steps, board.swam, board.tiled) == (0, 0, False)
        assert scene.state.answers == ()

    def test_all_let_it_happen(self) -> None:
        scene = attack(f"{self.WATER} | {self.KEPT}")
        for seat in (4, 2, 3):
            scene.play("allow", seat=seat)
        assert scene.at("A4") == "shark"

    def test_what_somebody_answered_stays_a_secret(self) -> None:
        scene = attack(f"{self.WATER} | {self.KEPT}").play("defend", seat=4)
        (answer,) = [event for event in scene.events if isinstance(event, Answered)]
        assert visible(answer, 3) == answer
        for seat in (0, 1, 2, None):
            assert visible(answer, seat) == Answered(3, None)
        assert scene.view(4).answer is True
        assert scene.view(2).answer is None

    def test_nobody_answers_twice(self) -> None:
        scene = attack(f"{self.WATER} | {self.KEPT}").play("allow", seat=4)
        assert "not your turn" in scene.refusal("defend", seat=4)

    def test_only_the_seats_that_are_asked_answer(self) -> None:
        refused = attack(f"{self.WATER} | {self.KEPT}").refusal("defend", seat=1)
        assert "It’s not your turn." in refused and "Waiting" not in refused
        alone = attack(f"{WATER} | kept 2 shark-defence").refusal("defend", seat=1)
        assert "It’s not your turn. Waiting for" in alone


class TestStandingAnswers:
    def test_always_defends_without_asking(self) -> None:
        scene = attack(f"{WATER} | kept 2 shark-defence | standing 2 shark 1")
        assert scene.at("A4") == "V1 V2"
        assert scene.stage == "turn"

    def test_never_lets_it_happen_without_asking(self) -> None:
        scene = attack(f"{WATER} | kept 2 shark-defence | standing 2 shark 0")
        assert scene.at("A4") == "shark"

    @pytest.mark.parametrize(("least", "stays"), [(2, "V1 V2"), (3, "shark")])
    def test_from_a_number_of_own_explorers_at_stake(self, least: int, stays: str) -> None:
        scene = attack(f"{WATER} | kept 2 shark-defence | standing 2 shark {least}")
        assert scene.at("A4") == stays

    @pytest.mark.parametrize(("least", "stays"), [(2, "ship V1 V2"), (3, "V1 V2 whale")])
    def test_aboard_a_ship_the_own_explorers_there_are_at_stake(
        self, least: int, stays: str
    ) -> None:
        scene = whale(f"{SHIP} | L5 V3 | kept 2 whale-defence | standing 2 whale {least}")
        assert scene.at("A4") == stays

    def test_one_for_sharks_and_one_for_whales(self) -> None:
        scene = whale(f"{SHIP} | kept 2 whale-defence | standing 2 shark 0")
        assert scene.asked == [2], "nothing was said about whales"

    def test_it_counts_for_nothing_without_the_tile(self) -> None:
        scene = attack(f"{WATER} | kept 2 dolphin | standing 2 shark 1")
        assert scene.at("A4") == "shark"

    def test_it_may_be_left_at_any_time_and_taken_back(self) -> None:
        scene = Scene(f"{WATER} | kept 2 shark-defence", dice="shark")
        scene.play("standing shark always", seat=2).play("standing whale from 2", seat=2)
        assert scene.view(2).standing == (1, 2)
        scene.play("standing shark ask", seat=2)
        assert scene.view(2).standing == (None, 2)

    def test_it_settles_a_question_that_is_open(self) -> None:
        scene = attack(f"{WATER} | kept 2 shark-defence").play("standing shark always", seat=2)
        assert scene.at("A4") == "V1 V2"

    def test_it_is_seen_by_nobody_else(self) -> None:
        scene = Scene(WATER).play("standing shark always", seat=2)
        assert scene.view(1) == Scene(WATER).view(1)
        (order,) = scene.events
        assert visible(order, 1) == order
        for seat in (0, None):
            assert visible(order, seat) == Ordered(1)

    def test_an_answer_in_advance_reads_to_others_like_any_answer(self) -> None:
        scene = attack(f"{WATER} | kept 2 shark-defence | standing 2 shark 1")
        (answer,) = [event for event in scene.events if isinstance(event, Answered)]
        assert answer == Answered(1, True, auto=True)
        assert visible(answer, 0) == Answered(1)

    def test_there_is_none_against_serpents(self) -> None:
        assert "no defence" in Scene(WATER).refusal("standing serpent always", seat=2)

    def test_it_changes_nothing_else(self) -> None:
        scene = Scene(WATER)
        board = scene.state.board
        assert scene.play("standing whale never", seat=1).state.board == board


def test_with_two_colours_control_counts_per_player() -> None:
    scene = whale("options two_colours | A3 whale | A4 ship U1 V1 N1 | kept 2 whale-defence")
    assert scene.asked == [2], "vermilion and black together have the most aboard"
