"""Words and letters: the text board, the sentences of the log, positions as lines."""

import pytest
from hypothesis import given

from games.rules.atlantis import ATLANTIS
from games.rules.atlantis.model import Event, State
from games.rules.chance import SeededChance
from tests.rules.atlantis.position_lines import parse_position

from .position_lines import format_position
from .positions import small_positions
from .tables import play, table


def fresh(seats: int = 4) -> State:
    return ATLANTIS.fold(ATLANTIS.setup({}, seats, SeededChance(bytes(32), 1)))


# -- the board -----------------------------------------------------------------------------

BOARD = table("f1 o4h2 .2 r3 = s5 | *1/0/M foh s3h5 b | 2/0/0 r - ")


def lines(state: State = BOARD) -> list[str]:
    return ATLANTIS.presentation.board_text(ATLANTIS.rules.view(state, 0)).splitlines()


def test_the_text_board_shows_stacks_values_gaps_and_bridges() -> None:
    assert lines()[1].split() == ["1:fla1", "2:hel2+", "3:~2~", "4:~~", "5:rin3", "6:==", "7:sta5"]


def test_figures_stand_below_their_space() -> None:
    first, below = lines()[1:3]
    assert below.index("1A") == first.index("fla1")
    assert below.index("2A") == first.index("hel2+")


def test_figures_at_the_ends_stand_beside_them() -> None:
    assert lines()[0] == "Atlantis  1B 2B 2C"
    assert next(line for line in lines() if line.startswith("Mainland")) == "Mainland  1C"


def test_each_player_has_what_can_be_seen() -> None:
    players = ATLANTIS.presentation.players(ATLANTIS.rules.view(BOARD, 0))
    assert [(player.sign, str(player.text)) for player in players] == [
        ("1", "tiles 5 3, worth 8, 3 cards, bridge"),
        ("2", "no tiles, 1 card"),
    ]


def test_a_legend_explains_the_letters_of_the_items() -> None:
    assert "fla = flag, oli = olive, hel = helmet" in "\n".join(lines())


def test_the_text_board_fits_an_email() -> None:
    rich = table(f"f2 | *0/0/0 f {'f7' * 24} b | 0/0/0 f - b")
    for state in (fresh(), rich):
        assert max(map(len, lines(state))) <= 72


def test_the_text_board_gives_no_hand_away() -> None:
    assert ATLANTIS.presentation.board_text(
        ATLANTIS.rules.view(BOARD, 0)
    ) == ATLANTIS.presentation.board_text(ATLANTIS.rules.view(BOARD, 1))


# -- sentences -----------------------------------------------------------------------------


def said(event: Event, viewer: int | None = 0) -> str:
    sentence = ATLANTIS.presentation.sentence(ATLANTIS.rules.visible(event, viewer))
    assert sentence is not None
    return str(sentence)


def test_the_setup_in_words() -> None:
    laid, dealt = ATLANTIS.setup({"order": "seated"}, 3, SeededChance(bytes(32), 1))
    assert said(laid) == "The path was laid out. Order of play: seat 1, seat 2 and seat 3."
    assert said(dealt) == "The opening hands were dealt."


def test_a_move_in_words() -> None:
    position = "f2 . o5 a1 h3 | *1/0/0 ohs a7 b | 3/0/0 - -"
    assert said(play(position, "A o h pay 7 bridge 2").moved) == (
        "seat 1 played an olive and a helmet: figure A moved from space 1 to space 5. Paid 7 for a cost of 2 (5 too much). Tile taken: amphora 1 from space 4. A bridge was built over the gap at space 2."
    )


def test_a_move_with_a_bridge_before_it_in_words() -> None:
    position = "f2 . o5 | *1/0/0 o - b | 0/0/0 - -"
    assert said(play(position, "bridge 2 A o").moved) == (
        "A bridge was built over the gap at space 2. seat 1 played an olive: figure A moved from space 1 to space 3. Tile taken: flag 2 from space 1."
    )


def test_an_arrival_in_words() -> None:
    assert said(play("f2 | *0/0/0 o - | 1/0/0 - -", "B o").moved) == (
        "seat 1 played an olive: figure B moved from Atlantis to the mainland. There was no tile to take."
    )


def test_a_purchase_in_words() -> None:
    bought, drew = play("f1 | *0/0/0 f o4 | 0/0/0 - - | deck hhs", "buy 4").events
    assert said(bought) == "seat 1 sold olive 4 for 2 cards."
    assert said(drew) == "Drew 2 × helmet."


def test_a_draw_in_words_for_the_others() -> None:
    drew = play("f1 o2 | *0/0/0 f - | 0/0/0 - - | deck h", "A f").drew
    assert said(drew, 1) == "Drew 1 card."


def test_a_pass_in_words() -> None:
    passed = play("f3 . o5 | *1/M/M o - | 0/0/0 - -", "pass").events[0]
    assert said(passed) == "seat 1 could not move and revealed this hand: olive."


def test_a_pass_with_an_empty_hand_in_words() -> None:
    passed = play("f3 . o5 | *1/M/M - - | 0/0/0 - -", "pass").events[0]
    assert said(passed) == "seat 1 could not move and revealed this hand: no cards."


def test_a_reshuffle_in_words() -> None:
    events = play("f1 o5 | *1/0/0 o - | 0/0/0 - - | deck - | discards ca", "A o").events
    assert said(events[1]) == "The deck was empty, so 3 discarded cards were shuffled."


ENDING = play(
    "f1 . c4 . h6 o6 . s1 r5 | *M/M/8 h - | 1/5/M aa c7 | 6/M/M - - | 0/M/M h s1 | deck ssssss",
    "C h",
)


def test_the_settlement_in_words() -> None:
    assert [said(event) for event in ENDING.events[2:5]] == [
        "seat 2 owed 7 for the final movement and paid with 7.",
        "seat 3 owed 1 for the final movement and had nothing to pay with.",
        "seat 4 owed 6 for the final movement, paid everything (1 and 1 card) and was 4 short.",
    ]


def test_the_end_in_words() -> None:
    assert said(ENDING.events[-1]) == (
        "The game is over: seat 1 9, seat 2 2, seat 3 -1 and seat 4 -4. seat 1 won."
    )


def test_a_shared_win_in_words() -> None:
    ended = play("f1 o2 | *2/M/M f - | M/M/M o s5 | deck ssss", "A f").ended
    assert said(ended).endswith("seat 1 and seat 2 share the win.")


# -- positions -----------------------------------------------------------------------------


@given(small_positions())
def test_a_position_reads_back(state: State) -> None:
    again = parse_position(format_position(state))
    assert format_position(again) == format_position(state)
    assert ATLANTIS.rules.view(again, 0) == ATLANTIS.rules.view(state, 0)
    assert again.deck == state.deck


def test_a_fresh_table_reads_back() -> None:
    state = ATLANTIS.fold(ATLANTIS.setup({"order": "seated"}, 3, SeededChance(bytes(32), 1)))
    assert parse_position(format_position(state)) == state


@pytest.mark.parametrize(
    "text",
    ["x1 | *0/0/0 - -", "f8 | *0/0/0 - -", "f1 | *0/0 - -", "f1 | *0/0/0 z -", "f1 | tree 5"],
)
def test_a_position_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        parse_position(text)
