"""The four worked examples of the rules, every number of them."""

from games.rules.atlantis import ATLANTIS
from games.rules.atlantis.model import MAINLAND, Drew

from .tables import hand, legal, order, play, refusal, table, tile

BLACK, RED, BLUE = 0, 1, 2

# Black's A stands on helmet 2, red's B on amphora 6, black's B on statue 1.
FIRST = "f4 h2 a6 o3 s1 c3o4 f1 r7 h5 c2 | *2/5/0 fff - | 0/3/0 oo - | 0/0/0 hhh - | deck saaaaa"


def test_example_1_black_takes_the_olive_4_behind_the_flag_1() -> None:
    played = play(FIRST, "B f")
    assert played.state.figures[BLACK][1] == 7
    assert played.state.path[6] == (tile("f1"),)
    assert played.moved.taken == tile("o4")


def test_example_1_red_takes_flag_4_because_helmet_2_and_amphora_6_are_occupied() -> None:
    after_black = play(FIRST, "B f").state
    played = play(after_black, "A o")
    assert played.state.figures[RED][0] == 4
    assert played.moved.taken == tile("f4")


def test_example_1_blue_must_go_on_from_the_tile_of_blacks_figure_a() -> None:
    after_red = play(play(FIRST, "B f").state, "A o").state
    assert "play another card" in refusal(after_red, "A h")
    played = play(after_red, "A h h")
    assert played.moved.via == (2, 9)
    assert played.state.path[8] == (tile("h5"),)
    assert played.moved.taken == tile("r7")
    assert played.one(Drew).count == 1
    assert sum(played.state.hands[BLUE]) == 3 - 2 + 1


# Gaps of 1, 4, a bridged one and 3; red stands on crown 5.
SECOND = "f1 . o4 . h6 = s3 . c5 r2 | *1/0/0 rss h6 | 9/0/0 - -"


def test_example_2_blue_pays_8_for_gaps_of_1_4_and_3_and_a_bridged_one() -> None:
    gaps = ATLANTIS.rules.view(table(SECOND), None).gaps
    assert [(gap.price, gap.bridged) for gap in gaps] == [
        (1, False),
        (4, False),
        (0, True),
        (3, False),
    ]
    played = play(SECOND, "A r pay 6 s s")
    assert played.state.path[played.moved.via[-1] - 1] == (tile("r2"),)
    assert played.moved.price == 8


def test_example_2_crown_5_is_occupied_so_blue_takes_statue_3() -> None:
    assert play(SECOND, "A r pay 6 s s").moved.taken == tile("s3")


def test_example_2_the_bridged_gap_and_its_neighbour_merge_and_are_free_for_all() -> None:
    after = play(SECOND, "A r pay 6 s s").state
    merged = ATLANTIS.rules.view(after, None).gaps[-1]
    assert (merged.first, merged.last, merged.price, merged.bridged) == (6, 8, 0, True)


def test_example_2_without_the_bridge_that_gap_would_cost_5() -> None:
    unbridged = SECOND.replace("=", ".").replace("rss", "rsssssss")
    after = play(unbridged, "A r pay 6 s s s s s").state
    merged = ATLANTIS.rules.view(after, None).gaps[-1]
    assert (merged.first, merged.last, merged.price, merged.bridged) == (6, 8, 5, False)


# Black's C can arrive; red's A has three gaps ahead and B one; blue's A has one.
THIRD = "f1 . c4 . h6 o6 . s1 r5 | *M/M/8 h - | 1/5/M aa c7 | 6/M/M oo c5 | deck ssssss"


def test_example_3_blacks_third_figure_arrives_takes_ring_5_and_draws_4() -> None:
    played = play(THIRD, "C h")
    assert played.state.figures[BLACK] == (MAINLAND,) * 3
    assert played.moved.taken == tile("r5")
    assert played.one(Drew).count == 4
    assert played.state.outcome is not None


def test_example_3_the_mainland_closes_up_to_statue_1() -> None:
    played = play(THIRD, "C h")
    assert played.state.path[7] == (tile("s1"),)
    assert [gap.last for gap in ATLANTIS.rules.view(played.state, None).gaps] == [2, 4, 7]


def test_example_3_red_owes_1_4_1_and_1_and_settles_with_a_single_7() -> None:
    settled = play(THIRD, "C h").settled(RED)
    assert settled.crossings == ((1, 4, 1), (1,), ())
    assert settled.owed == 7
    assert (settled.paid_tiles, settled.paid_cards) == ((tile("c7"),), ())
    assert settled.short == 0


def test_example_3_blue_owes_1_and_gives_a_card() -> None:
    played = play(THIRD, "C h")
    settled = played.settled(BLUE)
    assert settled.owed == 1
    assert (settled.paid_tiles, settled.paid_cards) == ((), ("olive",))
    assert hand(played.state, BLUE) == "o"


def test_example_3_the_scores() -> None:
    # Black: ring 5 and four cards. Red: two cards. Blue: crown 5 and a card.
    assert play(THIRD, "C h").ended.scores == (9, 2, 6)


FOURTH = "f2 . o5 = h5 . r7 a4 | *1/0/0 ass c5 | 0/0/0 - -"


def test_example_4_white_pays_2_and_5_with_a_5_tile_and_two_cards() -> None:
    assert order("A a pay 5 s s") in legal(FOURTH)
    played = play(FOURTH, "A a pay 5 s s")
    assert played.state.path[played.moved.via[-1] - 1] == (tile("a4"),)
    assert played.moved.price == 2 + 5
    assert played.moved.paid_tiles == (tile("c5"),)
    assert len(played.moved.paid_cards) == 2
