"""A turn, steps 4 and 5: taking a tile, discarding and drawing."""

import pytest

from games.rules.atlantis.model import MAINLAND, Drew, Reshuffled

from .tables import NoLuck, Reversing, hand, play, tile


def taken(position: str, line: str) -> str | None:
    moved = play(position, line).moved
    return None if moved.taken is None else f"{moved.taken.item[0]}{moved.taken.value}"


def test_the_top_tile_of_the_nearest_stack_behind_is_taken() -> None:
    played = play("f1 h2 a3 o5 | *1/0/0 o - | 0/0/0 - -", "A o")
    assert (played.moved.taken, played.moved.taken_from) == (tile("a3"), 3)
    assert played.state.tiles[0] == (tile("a3"),)


def test_behind_the_new_space_not_behind_the_old_one() -> None:
    assert taken("f1 h2 a3 o5 | *2/0/0 o - | 0/0/0 - -", "A o") == "a3"


def test_occupied_stacks_are_skipped() -> None:
    assert taken("f1 h2 a3 o5 | *1/0/0 o - | 3/0/0 - -", "A o") == "h2"


def test_own_figures_occupy_too() -> None:
    assert taken("f1 h2 a3 o5 | *1/3/2 o - | 0/0/0 - -", "A o") == "f1"


def test_gaps_are_skipped() -> None:
    assert taken("f1 h2 .2 o5 | *1/0/0 ooo - | 0/0/0 - -", "A o pay o o") == "h2"


def test_the_space_the_figure_left_is_free_now_and_counts() -> None:
    assert taken("f1 h2 o5 | *2/0/0 o - | 0/0/0 - -", "A o") == "h2"


def test_from_the_mainland_it_is_the_last_free_stack() -> None:
    assert taken("f1 h2 o5 | *1/0/0 f - | 3/0/0 - -", "A f") == "h2"


def test_a_figure_may_take_the_stack_it_stood_on_when_it_arrives() -> None:
    assert taken("f1 h2 | *2/0/0 f - | 0/0/0 - -", "A f") == "h2"


def test_if_there_is_none_nothing_is_taken() -> None:
    played = play("f1 h2 o5 | *0/0/0 f - | 2/0/0 - -", "A f")
    assert (played.moved.taken, played.moved.taken_from) == (None, None)
    assert played.state.tiles[0] == ()


def test_nothing_is_taken_when_every_stack_behind_is_occupied() -> None:
    assert taken("f1 h2 o5 | *0/0/0 o - | 1/2/0 - -", "A o") is None


def test_an_emptied_stack_becomes_water() -> None:
    assert play("f1 h2 o5 | *1/0/0 o - | 0/0/0 - -", "A o").state.path[1] == ()


def test_of_a_higher_stack_the_tile_below_comes_to_light() -> None:
    played = play("f1 c7h2 o5 | *1/0/0 o - | 0/0/0 - -", "A o")
    assert played.state.path[1] == (tile("c7"),)


@pytest.mark.parametrize(
    ("figures", "draws"), [("1/0/0", 1), ("1/M/0", 2), ("1/M/M", 3), ("1/0/M", 2)]
)
def test_one_card_is_drawn_plus_one_for_each_own_figure_on_the_mainland(
    figures: str, draws: int
) -> None:
    played = play(f"f1 o5 | *{figures} o - | M/M/0 - - | deck ssssss", "A o")
    assert hand(played.state, 0) == "s" * draws


@pytest.mark.parametrize(("figures", "draws"), [("1/0/0", 2), ("1/M/0", 3)])
def test_this_arrival_included(figures: str, draws: int) -> None:
    played = play(f"f1 o5 | *{figures} f - | 0/0/0 - - | deck ssssss", "A f")
    assert played.drew.count == draws


def test_the_third_arrival_draws_four() -> None:
    played = play("f1 o5 | *1/M/M f - | 0/0/0 - - | deck ssssss", "A f")
    assert played.drew.count == 4
    assert played.state.figures[0] == (MAINLAND,) * 3


def test_figures_of_others_on_the_mainland_draw_nothing() -> None:
    assert play("f1 o5 | *1/0/0 o - | M/M/0 - -", "A o").drew.count == 1


def test_the_cards_come_from_the_top_of_the_deck() -> None:
    played = play("f1 o5 | *1/M/0 o - | 0/0/0 - - | deck sacr", "A o")
    assert played.drew.cards == ("statue", "amphora")
    assert [card[0] for card in played.state.deck] == ["c", "r"]


def test_the_draw_ends_the_turn() -> None:
    played = play("f1 o5 | *1/0/0 o - | 0/0/0 - -", "A o")
    assert played.drew.ends_turn
    assert played.state.active == 1


def test_cards_played_and_cards_paid_go_to_the_discards_and_tiles_paid_leave_the_game() -> None:
    played = play("f2 . o5 | *1/0/0 oh a1 | 0/0/0 - - | deck s | discards c", "A o pay 1 h")
    assert [card[0] for card in played.state.discards] == ["c", "o", "h"]
    assert played.state.tiles[0] == (tile("f2"),)


def test_an_empty_deck_is_refilled_only_when_a_card_is_wanted_from_it() -> None:
    played = play("f1 o5 | *1/0/0 o - | 0/0/0 - - | deck s | discards cc", "A o", NoLuck())
    assert played.state.deck == ()
    assert len(played.state.discards) == 3


def test_then_the_discards_are_shuffled_those_of_this_move_among_them() -> None:
    position = "f1 o5 | *1/0/0 o - | 0/0/0 - - | deck - | discards ca"
    played = play(position, "A o", Reversing())
    assert played.one(Reshuffled).cards == ("olive", "amphora", "crown")
    assert hand(played.state, 0) == "o"
    assert [card[0] for card in played.state.deck] == ["a", "c"]
    assert played.state.discards == ()


def test_when_the_deck_runs_out_in_the_middle_of_a_draw_it_goes_on_after_the_shuffle() -> None:
    played = play("f1 o5 | *1/M/M o - | 0/0/0 - - | deck s | discards ca", "A o")
    drawn = played.all(Drew)
    assert [(event.count, event.ends_turn) for event in drawn] == [(1, False), (2, True)]
    assert hand(played.state, 0) == "acs"
    assert played.state.active == 1


def test_if_both_are_empty_one_draws_what_there_is() -> None:
    # Only the olive just played is left to be shuffled and drawn.
    played = play("f1 o5 | *1/M/M o - | 0/0/0 - - | deck s | discards -", "A o")
    assert hand(played.state, 0) == "os"
    assert played.state.deck == ()
    assert played.state.active == 1


def test_a_turn_ends_even_when_there_is_no_card_at_all() -> None:
    played = play("f1 . o5 | *1/M/M - - | 0/0/0 - - | deck - | discards -", "pass")
    assert (played.drew.count, played.drew.ends_turn) == (0, True)
    assert played.state.active == 1
