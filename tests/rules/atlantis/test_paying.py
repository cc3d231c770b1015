"""A turn, step 3: the price of the gaps crossed, and what it is paid with."""

import pytest

from games.rules.atlantis.model import Move

from .tables import hand, legal, play, refusal, tile


def price(position: str, line: str) -> int:
    return play(position, line).moved.price


def test_the_price_of_a_gap_is_the_lower_of_the_two_values_beside_it() -> None:
    assert price("f2 . o5 | *1/0/0 o h2 | 0/0/0 - -", "A o pay 2") == 2
    assert price("f5 . o3 | *1/0/0 o h3 | 0/0/0 - -", "A o pay 3") == 3


def test_whatever_its_length() -> None:
    assert price("f2 .9 o5 | *1/0/0 o h2 | 0/0/0 - -", "A o pay 2") == 2


def test_of_a_stack_beside_it_the_top_tile_counts() -> None:
    assert price("f1f4 . o1o5 | *1/0/0 o h4 | 0/0/0 - -", "A o pay 4") == 4


def test_occupied_tiles_count_as_sides() -> None:
    position = "f2 . o1 h4 | *1/0/0 h s1 | 3/0/0 - -"
    assert price(position, "A h pay 1") == 1


def test_all_gaps_between_start_and_final_space_are_paid_as_one_sum() -> None:
    position = "f2 . o5 . h3 . a1 | *1/0/0 a s6 | 0/0/0 - -"
    assert price(position, "A a pay 6") == 2 + 3 + 1


def test_also_those_on_the_way_to_an_occupied_landing() -> None:
    position = "f2 . o5 . h3 | *1/0/0 oh s5 | 3/0/0 - -"
    played = play(position, "A o h pay 5")
    assert played.moved.price == 2 + 3
    assert played.moved.via == (3, 5)


def test_gaps_behind_the_start_or_ahead_of_the_landing_cost_nothing() -> None:
    position = "f2 . o5 h3 . a1 | *3/0/0 h - | 0/0/0 - -"
    assert price(position, "A h") == 0


def test_from_atlantis_to_the_first_stack_nothing_is_paid() -> None:
    assert price(".3 f5 | *0/0/0 f - | 0/0/0 - -", "A f") == 0


def test_from_the_last_stack_to_the_mainland_nothing_is_paid() -> None:
    assert price("f5 .3 | *1/0/0 f - | 0/0/0 - -", "A f") == 0


def test_prices_are_those_before_the_tile_is_taken() -> None:
    # The olive 3 behind the landing goes, and with it a price of 3; it is still owed.
    position = "f5 . o3 h6 | *1/0/0 h s3 | 0/0/0 - -"
    assert price(position, "A h pay 3") == 3


def test_tiles_pay_at_face_value_and_leave_the_game() -> None:
    played = play("f3 . o5 | *1/0/0 o h2a1s7 | 0/0/0 - -", "A o pay 2 1")
    assert played.moved.paid_tiles == (tile("h2"), tile("a1"))
    assert tile("s7") in played.state.tiles[0]
    assert tile("h2") not in played.state.tiles[0]


def test_cards_left_in_hand_pay_one_each_and_are_discarded() -> None:
    played = play("f3 . o5 | *1/0/0 ohhs - | 0/0/0 - - | deck a", "A o pay h h s")
    assert played.moved.paid_cards == ("helmet", "helmet", "statue")
    assert hand(played.state, 0) == "a"
    assert sorted(played.state.discards) == ["helmet", "helmet", "olive", "statue"]


def test_tiles_and_cards_may_pay_together() -> None:
    assert play("f3 . o5 | *1/0/0 oh h2 | 0/0/0 - -", "A o pay 2 h").moved.price == 3


def test_a_card_that_is_played_cannot_pay() -> None:
    assert "2 × olive, but have only 1" in refusal("f1 . o5 | *1/0/0 o - | 0/0/0 - -", "A o pay o")


def test_bought_cards_may_pay() -> None:
    bought = play("f1 . o5 | *1/0/0 o h2 | 0/0/0 - - | deck sfff", "buy 2").state
    assert play(bought, "A o pay s").moved.paid_cards == ("statue",)


def test_the_tile_taken_in_this_move_cannot_pay() -> None:
    # The ring 3 lies ready behind the landing, but only tiles collected before can pay.
    reason = refusal("f3 . r3 o5 | *1/0/0 o - | 0/0/0 - -", "A o pay 3")
    assert "do not have all the tiles" in reason


def test_overpaying_is_allowed_and_there_is_no_change() -> None:
    played = play("f3 . o5 | *1/0/0 o h7 | 0/0/0 - - | deck s", "A o pay 7")
    assert (played.moved.price, played.moved.paid_tiles) == (3, (tile("h7"),))
    assert played.state.tiles[0] == (tile("f3"),)
    assert hand(played.state, 0) == "s"


def test_even_with_more_coins_than_needed() -> None:
    assert play("f1 . o5 | *1/0/0 ohh h7 | 0/0/0 - -", "A o pay 7 h h").moved.price == 1


def test_where_nothing_is_owed_a_payment_is_refused() -> None:
    assert "This move is free" in refusal("f1 o5 | *1/0/0 oh - | 0/0/0 - -", "A o pay h")


def test_a_player_who_cannot_pay_cannot_make_that_move() -> None:
    position = "f3 . o5 h1 | *1/0/0 oh a1 | 2/0/0 - -"
    assert refusal(position, "A o") == (
        "This move costs 3 points, but your tiles and remaining cards are worth only 2."
    )
    landings = {c.cards for c in legal(position) if isinstance(c, Move) and c.figure == 0}
    assert ("olive",) not in landings


def test_paying_too_little_is_refused_with_the_price() -> None:
    reason = refusal("f3 . o5 | *1/0/0 oh h2 | 0/0/0 - -", "A o pay 2")
    assert reason == "This move costs 3 points, but you pay only 2."


def test_paying_nothing_is_refused_with_the_price() -> None:
    reason = refusal("f1 . o5 | *1/0/0 oh h2 | 0/0/0 - -", "A o")
    assert reason == "This move costs 1 point: say what you want to pay with."


@pytest.mark.parametrize("coins", ["5", "2 2"])
def test_tiles_that_one_does_not_have_cannot_pay(coins: str) -> None:
    reason = refusal("f2 . o5 | *1/0/0 o h2 | 0/0/0 - a5", f"A o pay {coins}")
    assert "do not have all the tiles" in reason


def test_of_equal_tiles_the_first_collected_is_paid() -> None:
    played = play("f2 . o5 | *1/0/0 o h2a2 | 0/0/0 - -", "A o pay 2")
    assert played.moved.paid_tiles == (tile("h2"),)


def test_legal_commands_pay_the_canonical_cheapest_way() -> None:
    moves = [c for c in legal("f3 . o5 | *1/M/M oh h2a1s7 | 0/0/0 - -") if isinstance(c, Move)]
    assert [(c.pay_tiles, c.pay_cards) for c in moves if c.cards == ("olive",)] == [((2, 1), ())]
