"""A turn, step 2: the figure and its cards."""

import pytest

from games.rules import GAMES
from games.rules.atlantis.model import MAINLAND, Item, Move
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
    assert refusal(state_line, "A o") == "You have no “olive” card."


def test_there_are_three_figures() -> None:
    state_line = "f1 | *0/0/0 f - | 0/0/0 - -"
    assert {c.figure for c in legal(state_line) if isinstance(c, Move)} == {0, 1, 2}


def test_the_cards_played_leave_the_hand_and_go_to_the_discards() -> None:
    played = play("f1 o2 | *0/0/0 ffoh - | 1/0/0 - - | deck s", "A f o")
    assert hand(played.state, 0) == "fhs"
    assert [card.value for card in played.state.discards] == ["flag", "olive"]


def test_only_the_seat_to_act_may_move() -> None:
    said = refusal("f1 | *0/0/0 f - | 0/0/0 f -", "A f", seat=1)
    assert said.startswith("It’s not your turn.")


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


TWO_GAPS = "f5 o3 f2 . h4 . c6 r1 | *3/0/0 hoc f3o2 b | 2/0/0 - -"


@pytest.mark.parametrize(
    ("position", "line", "known"),
    [
        pytest.param(
            TWO_GAPS,
            "A helmet pay 2",
            [
                "seat 1 played a helmet: figure A moved from space 3 to space 5.",
                "Paid 2 for a cost of 2.",
                "Tile taken: flag 2 from space 3.",
                "Drew 1 card.",
                "The gap at 3–4 now costs 3.",
            ],
            id="the tile behind opens water that the gap crossed grows by",
        ),
        pytest.param(
            TWO_GAPS,
            "A crown pay 3 2 olive",
            [
                "seat 1 played a crown: figure A moved from space 3 to space 7.",
                "Paid 3, 2 and 1 card for a cost of 6.",
                "Tile taken: helmet 4 from space 5.",
                "Drew 1 card.",
                "The gap at 4–6 now costs 2.",
            ],
            id="two gaps become one",
        ),
        pytest.param(
            TWO_GAPS,
            "bridge 6 A crown pay 3",
            [
                "A bridge was built over the gap at space 6.",
                "seat 1 played a crown: figure A moved from space 3 to space 7.",
                "Paid 3 for a cost of 2 (1 too much).",
                "Tile taken: helmet 4 from space 5.",
                "Drew 1 card.",
                "The bridge now spans the gap at 4–6, free for everyone.",
            ],
            id="the bridge built before holds the larger gap too, and no change is given",
        ),
        pytest.param(
            "f5 o3f2 . h4 . c6 r1 | *2/0/0 hoc f3o2 b | 1/0/0 - -",
            "A helmet pay 2 bridge 5",
            [
                "seat 1 played a helmet: figure A moved from space 2 to space 4.",
                "Paid 2 for a cost of 2.",
                "Tile taken: flag 2 from space 2.",
                "A bridge was built over the gap at space 5.",
                "Drew 1 card.",
                "There is another tile underneath.",
            ],
            id="a stack of two leaves a tile that nobody knows",
        ),
        pytest.param(
            "f5 . o3 c2 | *0/0/0 oo f4 | 0/0/0 - -",
            "A olive pay 4",
            [
                "seat 1 played an olive: figure A moved from Atlantis to space 3.",
                "Paid 4 for a cost of 3 (1 too much).",
                "Tile taken: flag 5 from space 1.",
                "Drew 1 card.",
                "The gap at 2 disappears.",
            ],
            id="a gap becomes part of the water at Atlantis",
        ),
        pytest.param(
            "f5 = o3 c2 | *0/0/0 oo f4 | 0/0/0 - -",
            "A olive",
            [
                "seat 1 played an olive: figure A moved from Atlantis to space 3.",
                "Tile taken: flag 5 from space 1.",
                "Drew 1 card.",
                "The bridge over gap 2 is lost.",
            ],
            id="and the bridge over it is lost",
        ),
        pytest.param(
            "f5 o3 | *1/M/M fs s4 | M/M/0 - - | deck fffff",
            "A statue",
            [
                "seat 1 played a statue: figure A moved from space 1 to the mainland.",
                "Tile taken: olive 3 from space 2.",
                "Drew 4 cards.",
                "This is your third figure on the mainland: the game ends.",
                "seat 1’s score: 12",
                "seat 2’s score: 0",
            ],
            id="the third figure arrives",
        ),
        pytest.param(
            "f5 o3 | *1/M/M fs s5 | M/M/0 - -",
            "buy 5",
            ["seat 1 sold statue 5 for 2 cards.", "Drew 2 cards.", "Then you move."],
            id="a purchase",
        ),
    ],
)
def test_what_a_command_leads_to_is_known_before(
    position: str, line: str, known: list[str]
) -> None:
    view = ATLANTIS.rules.view(parse_position(position), 0)
    form = ATLANTIS.presentation.preview(view, ATLANTIS.notation.parse(line, view))
    assert [str(text) for text in form.preview] == known
