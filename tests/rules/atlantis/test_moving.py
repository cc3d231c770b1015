"""A turn, step 2: the figure and its cards."""

import pytest

from games.rules import GAMES
from games.rules.atlantis.model import MAINLAND, Gap, Item, Move, Preview, Tile
from games.rules.atlantis.moves import simulate
from games.rules.errors import IllegalMove

from .position_lines import parse_position
from .tables import hand, legal, play, refusal

ATLANTIS = GAMES["atlantis"]


def test_the_figure_goes_to_the_next_space_whose_tile_shows_the_item() -> None:
    played = play("o1 f2 f3 | *0/0/0 f - | 0/0/0 - -", "B f")
    assert played.state.figures[0] == (0, 2, 0)
    assert played.moved.start == 0
    assert played.moved.via == (2,)


def test_only_tiles_ahead_count() -> None:
    assert play("f1 o2 f3 | *2/0/0 f - | 0/0/0 - -", "A f").state.figures[0][0] == 3


def test_of_a_stack_only_the_top_tile_counts() -> None:
    assert play("f1o2 f3 | *0/0/0 f - | 0/0/0 - -", "A f").state.figures[0][0] == 2


def test_an_item_with_no_tile_ahead_takes_the_figure_to_the_mainland() -> None:
    assert play("f1 o2 | *1/0/0 f - | 0/0/0 - -", "A f").state.figures[0][0] == MAINLAND


def test_any_number_of_figures_may_stand_on_the_mainland() -> None:
    played = play("f1 o2 | *1/M/0 f - | M/M/0 - -", "A f")
    assert played.state.figures == ((MAINLAND, MAINLAND, 0), (MAINLAND, MAINLAND, 0))


def test_on_an_occupied_tile_another_card_is_played_and_the_figure_goes_on_from_there() -> None:
    played = play("f1 o2 f3 | *0/0/0 fo - | 1/0/0 - -", "A f o")
    assert played.moved.via == (1, 2)
    assert played.state.figures[0][0] == 2


def test_an_own_figure_is_in_the_way_just_the_same() -> None:
    assert play("f1 o2 f3 | *1/0/0 ff - | 0/0/0 - -", "B f f").moved.via == (1, 3)


def test_a_chain_may_go_over_many_figures() -> None:
    played = play("f1 f2 f3 f4 f5 | *0/1/2 fffff - | 3/4/0 - -", "A f f f f f")
    assert played.moved.via == (1, 2, 3, 4, 5)


def test_a_chain_may_end_on_the_mainland() -> None:
    assert play("f1 o2 | *0/0/0 ff - | 1/0/0 - -", "A f f").moved.via == (1, MAINLAND)


def test_on_an_occupied_tile_one_must_play_on() -> None:
    reason = refusal("f1 o2 | *0/0/0 ff - | 1/0/0 - -", "A f")
    assert reason == "space 1 is occupied: play another card to move on."


def test_on_a_free_tile_no_further_card_is_played() -> None:
    reason = refusal("f1 o2 | *0/0/0 fo - | 0/0/0 - -", "A f o")
    assert "stops at space 1 because it is free" in reason


def test_from_the_mainland_no_further_card_is_played() -> None:
    assert "the mainland because it is free" in refusal("f1 | *1/0/0 fo - | 0/0/0 - -", "A f o")


def test_a_figure_on_the_mainland_stays_there() -> None:
    assert "already on the mainland" in refusal("f1 | *M/0/0 f - | 0/0/0 - -", "A f")


def test_a_figure_needs_a_card() -> None:
    assert "at least one card" in refusal("f1 | *0/0/0 f - | 0/0/0 - -", "A")


def test_cards_that_one_does_not_hold_cannot_be_played() -> None:
    state_line = "f1 o2 | *0/0/0 f - | 1/0/0 - -"
    assert refusal(state_line, "A f f") == "You need 2 × flag, but have only 1."
    assert refusal(state_line, "A o") == "You have no olive."


def test_there_are_three_figures() -> None:
    state_line = "f1 | *0/0/0 f - | 0/0/0 - -"
    assert {c.figure for c in legal(state_line) if isinstance(c, Move)} == {0, 1, 2}


def test_the_cards_played_leave_the_hand_and_go_to_the_discards() -> None:
    played = play("f1 o2 | *0/0/0 ffoh - | 1/0/0 - - | deck s", "A f o")
    assert hand(played.state, 0) == "fhs"
    assert [card.value for card in played.state.discards] == ["flag", "olive"]


def test_only_the_seat_to_act_may_move() -> None:
    assert refusal("f1 | *0/0/0 f - | 0/0/0 f -", "A f", seat=1) == "It is not your turn."


def test_the_turn_goes_round_in_the_order_of_play() -> None:
    first = play("f1 o2 | *0/0/0 f - | 0/0/0 o -", "A f").state
    assert (first.active, first.turn) == (1, 2)
    second = play(first, "A o").state
    assert (second.active, second.turn) == (0, 3)


@pytest.mark.parametrize("figure", [-1, 3])
def test_a_player_has_three_figures(figure: int) -> None:
    view = ATLANTIS.rules.view(parse_position("f1 o2 | *0/0/0 f - | 0/0/0 - -"), 0)
    with pytest.raises(IllegalMove, match="A, B and C"):
        simulate(view, Move(figure, (Item.FLAG,)))


F3, O2 = Tile(Item.FLAG, 3), Tile(Item.OLIVE, 2)
TWO_GAPS = "f5 o3 f2 . h4 . c6 r1 | *3/0/0 hoc f3o2 b | 2/0/0 - -"
AT_FOUR, AT_SIX = Gap(4, 4, 2, False), Gap(6, 6, 4, False)


@pytest.mark.parametrize(
    ("position", "line", "preview"),
    [
        (  # the tile behind opens water that the gap crossed grows by
            TWO_GAPS,
            "A helmet pay 2",
            Preview(
                start=3, lands=5, via=(5,), gaps=(AT_FOUR,), price=2, paid_tiles=(O2,), paid=2,
                taken=Tile(Item.FLAG, 2), taken_from=3, opened=Gap(3, 4, 3, False),
                merged=(AT_FOUR,), draws=1,
            ),
        ),
        (  # two gaps become one
            TWO_GAPS,
            "A crown pay 3 2 olive",
            Preview(
                start=3, lands=7, via=(7,), gaps=(AT_FOUR, AT_SIX), price=6, paid_tiles=(F3, O2),
                paid_cards=(Item.OLIVE,), paid=6, taken=Tile(Item.HELMET, 4), taken_from=5,
                opened=Gap(4, 6, 2, False), merged=(AT_FOUR, AT_SIX), draws=1,
            ),
        ),
        (  # the bridge built before holds the larger gap too; no change is given
            TWO_GAPS,
            "bridge 6 A crown pay 3",
            Preview(
                start=3, lands=7, via=(7,), gaps=(AT_FOUR, Gap(6, 6, 0, True)), price=2,
                paid_tiles=(F3,), paid=3, overpaid=1, taken=Tile(Item.HELMET, 4), taken_from=5,
                opened=Gap(4, 6, 0, True), merged=(AT_FOUR, Gap(6, 6, 0, True)),
                bridge_before=6, draws=1,
            ),
        ),
        (  # a stack of two leaves a tile that nobody knows
            "f5 o3f2 . h4 . c6 r1 | *2/0/0 hoc f3o2 b | 1/0/0 - -",
            "A helmet pay 2 bridge 5",
            Preview(
                start=2, lands=4, via=(4,), gaps=(Gap(3, 3, 2, False),), price=2,
                paid_tiles=(O2,), paid=2, taken=Tile(Item.FLAG, 2), taken_from=2, uncovers=True,
                bridge_after=5, draws=1,
            ),
        ),
        (  # a gap becomes part of the water at Atlantis
            "f5 . o3 c2 | *0/0/0 oo f4 | 0/0/0 - -",
            "A olive pay 4",
            Preview(
                start=0, lands=3, via=(3,), gaps=(Gap(2, 2, 3, False),), price=3,
                paid_tiles=(Tile(Item.FLAG, 4),), paid=4, overpaid=1, taken=Tile(Item.FLAG, 5),
                taken_from=1, closed=(Gap(2, 2, 3, False),), draws=1,
            ),
        ),
        (  # the third figure arrives
            "f5 o3 | *1/M/M fs s4 | M/M/0 - -",
            "A statue",
            Preview(
                start=1, lands=54, via=(54,), taken=Tile(Item.OLIVE, 3), taken_from=2, draws=4,
                ends_game=True,
            ),
        ),
        (
            "f5 o3 | *1/M/M fs s5 | M/M/0 - -",
            "buy 5",
            Preview(draws=2, sold=Tile(Item.STATUE, 5)),
        ),
    ],
)  # fmt: skip
def test_what_a_command_leads_to_is_known_before(
    position: str, line: str, preview: Preview
) -> None:
    view = ATLANTIS.rules.view(parse_position(position), 0)
    assert simulate(view, ATLANTIS.notation.parse(line, view)) == preview
