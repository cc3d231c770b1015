"""Moves as lines: what is written can be read, and what cannot be read says why."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules.errors import AmbiguousMove, IllegalMove, MalformedMove, MoveError
from games.rules.escape import ESCAPE
from games.rules.escape.hexes import BY_NAME
from games.rules.escape.model import Plan, Preset, Standing, Turn, Wish
from games.rules.escape.notation import describe, help_lines, parse
from tests.support.lengths import by_length

from .games import sensible, wandering
from .scenes import Scene
from .table import Table

WORDS = (  # that mean something, and some that mean nothing
    "plan standing defend allow stay crew place ship move sink roll sail dolphin wind shark whale "
    "U1 U3 ship E5 D6 M9 swim isle coast never from 2 6 it , . - the please"
)
LAND = "E5 beach U1 U2 | E6 beach | D5 ship | D6 U3 shark | C1 ship U4 | kept 1 dolphin wind move-shark"


@pytest.mark.parametrize(
    "line",
    [
        "sink E5",
        "U1 E6, sink E5",
        "U1 ship D5, sail D5 C5, sail C5 B5, sink E6",
        "U3 swim C6, U1 swim E4, sink J5",
        "U4 isle",
        "dolphin U3 B6, U3 swim A6, sink E6",
        "wind D5 B5, sink E6",
        "move shark D6 M9, U3 swim D7, sink E5",
        "standing shark from 3",
        "standing whale always",
        "standing whale never",
        "standing shark ask",
    ],
)
def test_what_is_written_is_read_as_the_same(line: str) -> None:
    view = Scene(LAND).view(1)
    assert describe(parse(line, view), view) == line


@pytest.mark.parametrize("line", ["move", "move it"])
def test_a_move_of_the_creature_that_names_none_is_malformed(line: str) -> None:
    view = Scene(LAND, dice="shark").play("sink E5").view(1)
    with pytest.raises(MalformedMove):
        parse(line, view)


@pytest.mark.parametrize("line", ["x3 e6, sink E5", "U1 E6, Z9 F6"])
def test_a_name_of_no_explorer_is_answered_with_how_explorers_are_written(line: str) -> None:
    with pytest.raises(MalformedMove, match=r"is not an explorer in this game.*like this: V3"):
        parse(line, Scene(LAND).view(1))


@given(st.lists(st.sampled_from(WORDS.split()), max_size=8), st.booleans())
@settings(max_examples=by_length(100, 600), deadline=None)
def test_whatever_words_people_write_are_read_or_refused(words: list[str], rolled: bool) -> None:
    scene = Scene(LAND, dice="shark")
    view = (scene.play("sink E5") if rolled else scene).view(1)
    with suppress(MoveError):
        parse(" ".join(words), view)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("SINK e5!", "sink E5"),
        ("u1 goes to e6 and then sink E5", "U1 E6, sink E5"),
        ("U1 into the ship D5; sink the tile E5.", "U1 ship D5, sink E5"),
        ("U1 board D5, ship D5 C5, sink E6", "U1 ship D5, sail D5 C5, sink E6"),
        ("U4 ashore, sink E5", "U4 isle, sink E5"),
        ("U1 Schiff D5, segle D5 C5, versenke E6", "U1 ship D5, sail D5 C5, sink E6"),
        ("U1 nage E4, coule E5", "U1 swim E4, sink E5"),
        ("U3 C6", "U3 swim C6"),
        ("shark D6 M9", "move shark D6 M9"),
    ],
)
def test_people_write_as_they_like(typed: str, meant: str) -> None:
    view = Scene(LAND).view(1)
    assert describe(parse(typed, view), view) == meant


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "contains no move"),
        ("hello there", "“hello” was not understood"),
        ("sink", "Missing: a hex like E5"),
        ("sink A1", "row A runs from 3 to 9"),
        ("sink Z9", "“z9” is not a hex"),
        ("sink E5, U1 E6", "must come last"),
        ("U11 E6", "not an explorer in this game"),
        ("Y1 E6", "not an explorer in this game"),
        ("U1 E6, dolphin U3 C6", "before your steps"),
        ("standing shark sometimes", "Say when to defend"),
        ("standing dragon always", "not a creature"),
        ("x" * 1300, "too long"),
    ],
)
def test_a_line_that_cannot_be_read_says_how_it_is_written(line: str, reason: str) -> None:
    with pytest.raises(MalformedMove, match=reason):
        parse(line, Scene(LAND).view(1))


@pytest.mark.parametrize(
    ("moves", "seat", "example"),
    [
        ([], 1, "V3 E6, sink F4"),
        ([], 2, "standing shark always"),
        (["sink E5"], 1, "stay"),
        (["sink E5", "shark D8 D6"], 2, "allow"),
    ],
)
def test_the_example_is_an_answer_to_what_is_asked(
    moves: list[str], seat: int, example: str
) -> None:
    scene = Scene("E5 beach | E6 beach | D6 V3 | D8 shark | kept 2 wind", dice="shark")
    for move in moves:
        scene.play(move)
    for line in ("", "hello"):
        with pytest.raises(MalformedMove, match=f"Write, for example: {example}$"):
            parse(line, scene.view(seat))


def test_the_example_of_the_setup_is_about_the_setup() -> None:
    table = Table()
    for seat, example in ((1, "place 5 E5"), (2, "plan coast")):
        with pytest.raises(MalformedMove, match=f"Write, for example: {example}$"):
            parse("", table.view(seat))
    with pytest.raises(MalformedMove, match="not a value"):
        parse("place ten E5", table.view(1))


def test_a_line_with_two_meanings_names_both() -> None:
    with pytest.raises(AmbiguousMove, match="“U1 ship D5” or “U1 swim D5”"):
        parse("U1 D5", Scene(LAND).view(1))


def test_a_line_that_breaks_a_rule_repeats_it_and_says_which_step() -> None:
    with pytest.raises(IllegalMove, match=r"“U1 E6, U2 J5”: Step 2: J5 is not next to E5"):
        parse("U1 E6, U2 J5", Scene(LAND).view(1))


def test_the_other_stages_have_their_words() -> None:
    table = Table()
    view = table.view(1)
    for line in ("place 5 D5", "plan 6 E5, 5 D5, ship D4, coast", "plan spread", "plan none"):
        assert describe(parse(line, view), view) == line
    assert parse("5 D5", view) == parse("place 5 D5", view)
    assert parse("plan 6@E5 5@D5 ship D4 C5 coast", view) == Plan(
        (Wish(6, BY_NAME["E5"]), Wish(5, BY_NAME["D5"])),
        (BY_NAME["D4"], BY_NAME["C5"]),
        Preset.COAST,
    )
    ships = table.place_all().view(1)
    assert describe(parse("ship C5", ships), ships) == "ship C5"
    whale = Scene("A3 whale | B9 V1 ship V2 | rolled whale").view(1)
    for line in ("whale A3 A4", "stay"):
        assert describe(parse(line, whale), whale) == line
    crew = Scene("E5 U1 U2 V1 V2 ship | site E5").view(1)
    assert describe(parse("crew V1 U1 V2", crew), crew) == "crew U1 V1 V2"


def test_events_are_described_by_the_command_they_came_from() -> None:
    scene = Scene("E5 beach=whale U1 | E6 beach | A3 whale", dice="whale")
    scene.play("U1 E6, sink E5").play("whale A3 A4")
    said = [describe(event, scene.view(1)) for event in scene.events]
    assert [line for line in said if line] == ["U1 E6, sink E5", "whale A3 A4"]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_legal_command_of_whole_games_round_trips(seats: int) -> None:
    for number, moment in enumerate(wandering(seats, seats)):
        view = ESCAPE.rules.view(moment.state, moment.seat)
        assert parse(describe(moment.command, view), view) == moment.command
        if number % 25 == 0:
            for command in ESCAPE.rules.legal_commands(moment.state, moment.seat):
                assert parse(describe(command, view), view) == command


def test_whole_turns_round_trip() -> None:
    for moment in sensible(3):
        view = ESCAPE.rules.view(moment.state, moment.seat)
        assert parse(describe(moment.command, view), view) == moment.command


@given(st.text(alphabet="uvUV123456789 eEdD,.shipsinkwmowalecrd", max_size=60))
@settings(max_examples=by_length(50, 200), deadline=None)
def test_whatever_is_typed_is_read_or_refused(line: str) -> None:
    scene = Scene(LAND)
    try:
        command = parse(line, scene.view(1))
    except MoveError as error:
        assert str(error)
    else:
        assert isinstance(command, Turn | Standing | Plan)
        ESCAPE.rules.decide(scene.state, 0, command, scene.dice)


def test_the_help_names_every_kind_of_move() -> None:
    text = " ".join(map(str, help_lines()))
    for word in [
        "sink",
        "ship",
        "swim",
        "isle",
        "sail",
        "dolphin",
        "wind",
        "move",
        "roll",
        "stay",
        "defend",
        "allow",
        "crew",
        "place",
        "plan",
        "standing",
    ]:
        assert word in text
