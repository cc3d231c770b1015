"""Moves as lines: what may be typed, what is written back, and what the errors say."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules.atlantis import ATLANTIS
from games.rules.atlantis.model import Command, Event, Item, Move, Pass, State, View
from games.rules.chance import SeededChance
from games.rules.errors import AmbiguousMove, IllegalMove, MalformedMove, MoveError
from tests.support.lengths import by_length

from .positions import small_positions
from .tables import Unshuffled, order, table

# Gaps of price 2 (space 3) and 3 (space 5); a figure of the other seat on olive 5.
TABLE = table("f1 f2 . o5 . h3 a4 | *2/0/0 ffohhra s6h2o2 b | 4/0/0 - -")


def view(state: State = TABLE) -> View:
    return ATLANTIS.rules.view(state, 0)


def parse(line: str, state: State = TABLE) -> Command:
    return ATLANTIS.notation.parse(line, view(state))


def error(line: str, state: State = TABLE) -> MoveError:
    with pytest.raises(MoveError) as caught:
        parse(line, state)
    return caught.value


@pytest.mark.parametrize("line", ["B flag to space 2", "B mit der Fahne auf Feld 6", "B flag to 0"])
def test_a_move_that_leads_elsewhere_than_the_line_says_is_refused(line: str) -> None:
    found = error(line)
    assert isinstance(found, IllegalMove)
    assert "This move leads to space 1." in str(found)


# -- what may be typed -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("B flag flag", None),
        ("B flag", "B f"),
        ("b FLAG", "B f"),
        ("B f", "B f"),
        ("B fla", "B f"),
        ("B flags", "B f"),
        ("  B   flag  ", "B f"),
        ("B, flag.", "B f"),
        ("Figure B: play a flag", None),
        ("figure B: play flag", "B f"),
        ("B flag to space 1", "B f"),
        ("B flag to 1", "B f"),
        ("I move B with the flag to space 1", "B f"),
        ("B mit der Fahne auf Feld 1", "B f"),
        ("ich nehme B mit der Fahne auf Feld 1.", "B f"),
        ("Je joue le pion B avec le drapeau jusqu'à la case 1", "B f"),
        ("B to space 1 with the flag", "B f"),
        ("Je joue le pion A avec le casque jusqu’à la case 6 et je paie 6", "A h pay 6"),
        ("bridge 3 A helmet to space 6 pay 2 olive", "bridge 3 A h pay 2 o"),
        ("A helmet pay 6", "A h pay 6"),
        ("A h pay 2 2 r", "A h pay 2 2 r"),
        ("A h pay r 2 2", "A h pay 2 2 r"),
        ("A helmet, pay 2 + 2 and ring", "A h pay 2 2 r"),
        ("A helmet pay 2 ring flag o", "A h pay 2 f o r"),
        ("A helmet pay 2xflag ring 2", "A h pay 2 f f r"),
        ("A helmet pay 2 × flag ring 2", "A h pay 2 f f r"),
        ("A helmet pay 2*flag, ring, 2", "A h pay 2 f f r"),
        ("bridge 3 A helmet pay 2 o", "bridge 3 A h pay 2 o"),
        ("bridge 5: A helmet pay 2", "bridge 5 A h pay 2"),
        ("A helmet pay 6 bridge 5", "A h pay 6 bridge 5"),
        ("A helmet bridge 5 pay 6", "A h pay 6 bridge 5"),
        ("A amphora pay cheapest", "A a pay 2 2 f"),
        ("A amphora pay auto bridge 5", "A a pay 2 2 f bridge 5"),
        ("B flag pay cheapest", "B f"),
        ("A helm pay 6", "A h pay 6"),
        ("A casque paye 6", "A h pay 6"),
        ("A Amphore zahle 6", "A a pay 6"),
        ("B Fahne", "B f"),
        ("Brücke 5, A helmet pay 2", "bridge 5 A h pay 2"),
        ("B drapeau", "B f"),
        ("buy 6", "buy 6"),
        ("Buy 6!", "buy 6"),
        ("sell tile 6", "buy 6"),
        ("buy statue 6", "buy 6"),
        ("buy 6 with the statue", "buy 6"),
    ],
)
def test_lines_that_people_type(line: str, meant: str | None) -> None:
    if meant is None:
        assert isinstance(error(line), MoveError)
    else:
        assert parse(line) == order(meant)


def test_a_chain_names_its_cards_in_order() -> None:
    assert parse("A olive helmet pay 6") == order("A o h pay 6")


def test_pass_is_a_word_of_its_own() -> None:
    stuck = table("f3 . o5 | *1/M/M o - | 0/0/0 - -")
    for line in ("pass", "PASS", "passe", "passen", "Pass."):
        assert parse(line, stuck) == Pass()


def test_the_figure_may_be_left_out_where_only_one_can_do_it() -> None:
    alone = table("f2 o5 | *1/M/M o - | 0/0/0 - -")
    assert parse("olive", alone) == order("A o")
    assert parse("olive pay cheapest", table("f2 . o5 | *1/M/M oo s1 | 0/0/0 - -")) == order(
        "A o pay 1 o"
    )


# -- errors ----------------------------------------------------------------------------------


def test_a_line_that_fits_several_figures_is_ambiguous_and_names_them() -> None:
    caught = error("flag")
    assert isinstance(caught, AmbiguousMove)
    assert "B, C" in str(caught)


def test_with_no_figure_that_can_do_it_the_line_is_malformed() -> None:
    assert isinstance(error("statue"), MalformedMove)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        "!",
        "hello",
        "B",
        "B flog",
        "B 5",
        "B flag 5",
        "A helmet pay",
        "A helmet pay 6 bridge",
        "bridge B flag",
        "B flag bridge 3 bridge 5",
        "bridge 3",
        "buy",
        "buy 6 2",
        "buy flag",
        "pass B",
        "B flag 999xflag",
        "A 0xflag helmet",
        "A helmet pay 00xflag 6",
        "D flag",
        "B flag pay cheapest 5",
        "7" * 5000,
        "flag " * 300,
        "🙂",
    ],
)
def test_what_cannot_be_read_is_malformed(line: str) -> None:
    assert isinstance(error(line), MalformedMove)


@pytest.mark.parametrize(
    "line",
    [
        "B statue",
        "B olive",
        "A helmet pay 7",
        "A helmet pay 2",
        "B flag pay 2",
        "B flag bridge 7",
        "buy 7",
        "buy flag 6",
        "pass",
        "bridge 3 B flag bridge 5",
    ],
)
def test_what_the_rules_forbid_is_illegal(line: str) -> None:
    assert isinstance(error(line), IllegalMove)


@pytest.mark.parametrize("line", ["B flog", "buy 7", "flag", "A helmet pay"])
def test_every_error_repeats_the_line(line: str) -> None:
    assert f"“{line}”" in str(error(line))


def test_a_long_line_is_repeated_in_part() -> None:
    assert len(str(error("flag " * 150))) < 300


def test_the_error_for_an_unknown_word_lists_the_items() -> None:
    assert "The items are flag, olive, helmet, amphora, ring, crown and statue" in str(
        error("B flog")
    )


@pytest.mark.parametrize("line", ["d helmet", "Figure D helmet", "move D with helmet"])
def test_the_error_for_a_letter_that_names_no_figure_lists_the_figures(line: str) -> None:
    assert " is not a figure. Your figures are A, B and C." in str(error(line).text)


def test_the_error_for_a_missing_payment_names_the_price_and_none_is_made_up() -> None:
    assert "costs 5" in str(error("A helmet"))
    assert "pay cheapest" in str(error("A helmet"))


def test_where_the_price_is_out_of_reach_that_is_said() -> None:
    poor = table("f3 . o5 | *1/0/0 o - | 0/0/0 - -")
    assert "your tiles and remaining cards are worth only 0" in str(error("A olive", poor))
    assert "your tiles and remaining cards are worth only 0" in str(
        error("A olive pay cheapest", poor)
    )


def test_one_letter_is_enough_for_an_item() -> None:
    assert len({item.value[0] for item in Item}) == len(Item)


def test_the_error_says_that_a_player_is_not_to_act() -> None:
    with pytest.raises(IllegalMove, match="not your turn"):
        ATLANTIS.notation.parse("A flag", ATLANTIS.rules.view(TABLE, 1))


def test_spectators_do_not_move() -> None:
    with pytest.raises(IllegalMove):
        ATLANTIS.notation.parse("A flag", ATLANTIS.rules.view(TABLE, None))


@given(st.text(max_size=80))
def test_no_text_does_harm(line: str) -> None:
    try:
        command = parse(line)
    except MoveError as caught:
        assert str(caught)
    else:
        assert command in list(ATLANTIS.rules.legal_commands(TABLE, 0))


WORDS = st.sampled_from(
    [
        "A",
        "B",
        "C",
        "flag",
        "f",
        "olive",
        "o",
        "helmet",
        "ring",
        "pay",
        "6",
        "2",
        "5",
        "cheapest",
        "bridge",
        "4",
        "buy",
        "pass",
        "2xflag",
        "and",
        ",",
        "statue",
    ]
)


@settings(max_examples=by_length(60, 300))
@given(st.lists(WORDS, max_size=8).map(" ".join))
def test_whatever_is_read_is_legal(line: str) -> None:
    try:
        command = parse(line)
    except MoveError:
        return
    ATLANTIS.rules.decide(TABLE, 0, command, Unshuffled())


# -- what is written back ----------------------------------------------------------------------


def describe(move: Command | Event, state: State = TABLE) -> str:
    return ATLANTIS.notation.describe(move, view(state))


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("B f h pay 5 2 o bridge 27", "B flag helmet pay 5 2 olive bridge 27"),
        ("bridge 27 B f", "bridge 27 B flag"),
        ("A r pay c c", "A ring pay crown crown"),
        ("buy 6", "buy 6"),
        ("pass", "pass"),
    ],
)
def test_a_command_in_notation(command: str, line: str) -> None:
    assert describe(order(command)) == line


def test_an_event_reads_like_its_command() -> None:
    moved, drew = ATLANTIS.rules.decide(TABLE, 0, order("A h pay 6 bridge 5"), Unshuffled())
    assert describe(moved) == "A helmet pay 6 bridge 5"
    assert describe(drew) == ""


@settings(max_examples=by_length(20, 60), deadline=None)
@given(small_positions())
def test_every_legal_command_reads_back(state: State) -> None:
    for command in ATLANTIS.rules.legal_commands(state, 0):
        assert parse(describe(command, state), state) == command


@settings(max_examples=by_length(3, 32), deadline=None)
@given(st.integers(2, 4), st.integers(0, 1000))
def test_every_move_of_a_game_reads_back(seats: int, seed: int) -> None:
    secret = seed.to_bytes(32, "big")
    dice = SeededChance(secret, 0)
    state = ATLANTIS.fold(ATLANTIS.setup({}, seats, SeededChance(secret, 1)))
    while ATLANTIS.rules.to_act(state):
        (seat,) = ATLANTIS.rules.to_act(state)
        commands = list(ATLANTIS.rules.legal_commands(state, seat))
        command = commands[dice.roll(len(commands))]
        seen = ATLANTIS.rules.view(state, seat)
        assert ATLANTIS.notation.parse(ATLANTIS.notation.describe(command, seen), seen) == command
        events = ATLANTIS.rules.decide(state, seat, command, SeededChance(secret, 2 + state.turn))
        assert ATLANTIS.notation.parse(ATLANTIS.notation.describe(events[0], seen), seen) == command
        state = ATLANTIS.fold(events, state)


def test_a_payment_that_overpays_reads_back() -> None:
    move = order("A h pay 6 2 f")
    assert isinstance(move, Move)
    assert parse(describe(move)) == move


def test_the_help_is_there_and_its_examples_are_well_formed() -> None:
    lines = [str(text) for text in ATLANTIS.notation.help_lines()]
    assert any("pay cheapest" in line for line in lines)
    for line in lines:
        example = line.rpartition(": ")[2]
        if example[:2] in ("B ", "bu"):
            with pytest.raises(IllegalMove):
                parse(example, table("f1 | *0/0/0 - - | 0/0/0 - -"))
