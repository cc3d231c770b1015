"""No move: a player who cannot move shows the hand and draws two."""

from games.rules.atlantis.model import Buy, Move, Pass, Passed

from .tables import hand, legal, play, refusal

# Figure A would have to pay 3 and cannot; B and C have arrived.
STUCK = "f3 . o5 | *1/M/M o - | 0/0/0 - - | deck shc"


def test_without_a_legal_move_one_passes() -> None:
    assert legal(STUCK) == [Pass()]


def test_the_hand_is_shown_as_it_is_before_drawing() -> None:
    assert play(STUCK, "pass").one(Passed).hand == ("olive",)


def test_exactly_two_cards_are_drawn_also_with_figures_on_the_mainland() -> None:
    played = play(STUCK, "pass")
    assert played.drew.count == 2
    assert hand(played.state, 0) == "ohs"


def test_the_turn_ends() -> None:
    assert play(STUCK, "pass").state.active == 1


def test_nothing_else_changes() -> None:
    played = play(STUCK, "pass")
    assert played.state.figures[0] == (1, 54, 54)
    assert played.state.discards == ()


def test_an_empty_hand_cannot_move() -> None:
    assert play("f3 o5 | *1/0/0 - - | 0/0/0 - - | deck shc", "pass").drew.count == 2


def test_with_any_legal_move_left_passing_is_refused() -> None:
    reason = refusal("f3 o5 | *1/0/0 o - | 0/0/0 - -", "pass")
    assert "You have a legal move, so you cannot pass" in reason
    assert "figure A can move with the card “olive”" in reason


def test_also_when_the_only_move_is_a_bad_one() -> None:
    assert "cannot pass" in refusal("f7 . o7 | *1/M/M oh s7 | 0/0/0 - -", "pass")


def test_buying_first_is_a_choice_never_a_duty() -> None:
    position = "f3 . o5 | *1/M/M o s2 | 0/0/0 - -"
    assert legal(position) == [Buy(2), Pass()]
    assert play(position, "pass").one(Passed).hand == ("olive",)


def test_building_ones_own_bridge_first_is_a_choice_never_a_duty() -> None:
    position = "f3 . o5 | *1/M/M o - b | 0/0/0 - -"
    commands = legal(position)
    assert Pass() in commands
    assert [c.bridge_before for c in commands if isinstance(c, Move)] == [2]
    assert play(position, "pass").state.unbuilt[0]


def test_a_player_who_has_bought_and_still_cannot_move_passes() -> None:
    bought = play("f3 . o5 | *1/M/M o s2 | 0/0/0 - - | deck hsc", "buy 2").state
    played = play(bought, "pass")
    assert played.one(Passed).hand == ("olive", "helmet")
    assert played.drew.count == 2


def test_with_every_landing_occupied_and_no_further_card_one_passes() -> None:
    assert legal("f3 o5 | *0/M/M f - | 1/0/0 - -") == [Pass()]
