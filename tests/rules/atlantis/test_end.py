"""The end: the final movement of the others, debts and scores."""

import pytest

from games.rules.atlantis import ATLANTIS
from games.rules.atlantis.model import Drew, Ended, Moved, Settled

from .tables import hand, play, refusal, tile

# Gaps of 1, 4 and 1 lie between the first stack and the mainland. Figure A of seat 0 stands
# behind them and can arrive with a flag.
PATH = "f1 . c4 . h6 . s1 r5"
BLACK = "*9/M/M f -"


def test_the_third_arrival_of_one_player_ends_the_game_at_once() -> None:
    played = play(f"{PATH} | {BLACK} | M/M/M - - | deck ssss", "A f")
    assert [type(event) for event in played.events] == [Moved, Drew, Settled, Ended]
    assert ATLANTIS.rules.to_act(played.state) == ()
    assert ATLANTIS.rules.outcome(played.state) is not None


def test_every_figure_of_the_others_goes_to_the_mainland_those_on_atlantis_too() -> None:
    played = play(f"{PATH} | {BLACK} | 0/5/M - c7 | 3/0/0 - c7 | deck ssss", "A f")
    assert played.state.figures == ((54, 54, 54),) * 3


def test_the_others_settle_in_turn_order_after_the_one_who_ended_it() -> None:
    position = f"{PATH} | M/0/0 - - | *9/M/M f - | 0/0/0 - - | deck ssss"
    assert [event.seat for event in play(position, "A f").all(Settled)] == [2, 0]


def test_all_gap_prices_on_the_way_are_owed_added_over_the_figures() -> None:
    played = play(f"{PATH} | {BLACK} | 1/5/M - c7 | deck ssss", "A f")
    assert played.settled(1).crossings == ((1, 4, 1), (1,), ())
    assert played.settled(1).owed == 7


def test_from_atlantis_all_gaps_are_crossed() -> None:
    played = play(f"{PATH} | {BLACK} | 0/M/M - c7 | deck ssss", "A f")
    assert played.settled(1).crossings == ((1, 4, 1), (), ())


def test_the_tile_taken_by_the_last_arrival_counts_already() -> None:
    # The ring 5 goes, and the gap before it becomes part of the mainland.
    played = play("f1 . c4 . r5 | *5/M/M h - | 1/M/M - c7 | deck ssss", "A h")
    assert played.moved.taken == tile("r5")
    assert played.settled(1).crossings == ((1,), (), ())


def test_bridged_gaps_are_free_in_the_final_movement() -> None:
    played = play(f"f1 = c4 . h6 . s1 r5 | {BLACK} | 1/M/M - c7 | deck ssss", "A f")
    assert played.settled(1).crossings == ((4, 1), (), ())


def test_no_cards_are_played_and_nothing_is_taken() -> None:
    played = play(f"{PATH} | {BLACK} | 8/M/M oo c7 | deck ssss", "A f")
    assert hand(played.state, 1) == "oo"
    assert played.state.tiles[1] == (tile("c7"),)


def test_the_debt_is_paid_by_the_payment_that_loses_least_to_overpaying() -> None:
    played = play(f"{PATH} | {BLACK} | 1/5/M o c7a5 | deck ssss", "A f")
    assert played.settled(1).paid_tiles == (tile("c7"),)
    assert played.settled(1).paid_cards == ()


def test_cards_pay_one_each_in_the_settlement() -> None:
    played = play(f"{PATH} | {BLACK} | M/5/M oo c7 | deck ssss", "A f")
    assert played.settled(1).paid_cards == ("olive",)
    assert hand(played.state, 1) == "o"


def test_where_only_too_high_tiles_are_left_the_smallest_loss_is_taken() -> None:
    played = play(f"{PATH} | {BLACK} | M/5/M - c7a3 | deck ssss", "A f")
    assert (played.settled(1).owed, played.settled(1).paid_tiles) == (1, (tile("a3"),))
    assert played.ended.scores[1] == 7


def test_a_player_who_cannot_pay_in_full_gives_everything_and_scores_minus_the_rest() -> None:
    played = play(f"{PATH} | {BLACK} | 1/5/M o a2 | deck ssss", "A f")
    settled = played.settled(1)
    assert (settled.owed, settled.paid_tiles, settled.paid_cards) == (7, (tile("a2"),), ("olive",))
    assert settled.short == 4
    assert played.ended.scores[1] == -4


def test_the_score_is_the_values_of_own_tiles_plus_one_per_card() -> None:
    played = play("f1 o2 | *2/M/M fhh a6c7 | M/M/M oo s5 | deck ssss", "A f")
    # Olive 2 is taken, two helmets are left and four cards drawn.
    assert played.ended.scores == (6 + 7 + 2 + 2 + 4, 5 + 2)


def test_the_highest_score_wins() -> None:
    played = play("f1 o2 | *2/M/M f - | M/M/M oo s5 | deck ssss", "A f")
    assert played.ended.scores == (6, 7)
    assert played.ended.winners == (1,)


def test_a_player_who_ends_the_game_need_not_win() -> None:
    assert play("f1 o2 | *2/M/M f - | M/M/M - s7 | deck ssss", "A f").ended.winners == (1,)


def test_a_tie_is_a_shared_win() -> None:
    played = play("f1 o2 | *2/M/M f - | M/M/M o s5 | M/M/M - s5 | deck ssss", "A f")
    assert played.ended.scores == (6, 6, 5)
    assert played.ended.winners == (0, 1)


def test_an_unbuilt_bridge_is_worth_nothing() -> None:
    with_bridge = play("f1 o2 | *2/M/M f - b | M/M/M - - b | deck ssss", "A f")
    assert with_bridge.ended.scores == (6, 0)


@pytest.mark.parametrize("line", ["A f", "pass", "buy 5"])
def test_after_the_end_nothing_more_is_accepted(line: str) -> None:
    over = play("f1 o2 | *2/M/M ff h5 | 0/0/0 o - | deck ssss", "A f").state
    assert refusal(over, line, seat=0) == "The game is over."
    assert refusal(over, line, seat=1) == "The game is over."


def test_after_the_end_there_are_no_legal_commands() -> None:
    over = play("f1 o2 | *2/M/M ff h5 | 0/0/0 o - | deck ssss", "A f").state
    assert [list(ATLANTIS.rules.legal_commands(over, seat)) for seat in (0, 1)] == [[], []]


def test_the_last_turn_does_not_begin_another() -> None:
    assert play("f1 o2 | *2/M/M f - | 0/0/0 o - | deck ssss | turn 9", "A f").state.turn == 9


def test_a_last_draw_through_a_reshuffle_still_ends_the_game() -> None:
    played = play("f1 o2 | *2/M/M f - | M/M/M - - | deck s | discards ccc", "A f")
    assert [event.count for event in played.all(Drew)] == [1, 3]
    assert played.ended.scores == (2 + 4, 0)
