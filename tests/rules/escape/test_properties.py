"""Properties of every position: no piece is lost, and `decide` allows exactly the legal
commands."""

from collections.abc import Iterator
from functools import reduce
from itertools import combinations, islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules.errors import IllegalMove
from games.rules.escape import ESCAPE, model
from games.rules.escape.board import out, saved
from games.rules.escape.hexes import LAND, NAMES
from games.rules.escape.model import CreatureStage, CrewStage, TurnStage
from games.rules.escape.steps import after_step, legal_steps
from tests.rules.escape.position_lines import parse_position
from tests.support.lengths import by_length

from .games import TABLES, sensible, wandering
from .movement_results import number_of, results
from .position_lines import format_position
from .scenes import Dice, Scene

CHOICES: dict[str, list[str]] = {
    "ending": ["volcano", "last", "submerged"],
    "overpopulated": ["no", "yes"],
    "equal": ["no", "yes"],
    "memory": ["shown", "strict"],
}
tables = st.tuples(
    st.integers(2, 4),
    st.integers(0, 2**16),
    st.fixed_dictionaries({name: st.sampled_from(values) for name, values in CHOICES.items()}),
    st.booleans(),
)


def conserved(state: model.State) -> None:
    """Everything that was in the box is somewhere, exactly once."""
    board = state.board
    ships, sharks, whales = board.supply
    gone_ships, gone_serpents, gone_sharks, gone_whales = board.gone
    waiting = 2 * board.colours - len(board.ships) if board.is_setup else 0
    assert len(board.ships) + ships + gone_ships + waiting == model.SHIPS
    assert len(board.serpents) + gone_serpents == model.SERPENTS
    assert len(board.sharks) + sharks + gone_sharks == model.SHARKS
    assert len(board.whales) + whales + gone_whales == model.WHALES
    assert len(set(board.ships)) == len(board.ships), "one ship on a hex"

    hidden = [back for back in state.backs if back is not None]
    kept = [tile for tiles in state.kept for tile in tiles]
    assert sorted([*hidden, *kept, *board.spent]) == sorted(tile.back or "" for tile in model.BOX)
    assert len(hidden) == sum(letter != "~" for letter in board.map)
    assert board.held == tuple(map(len, state.kept))

    for colour in range(board.colours):
        places = board.where[colour * 10 : colour * 10 + 10]
        values = state.values[colour * 10 : colour * 10 + 10]
        placed = [value for value in values if value]
        assert all(
            (value > 0) == (place != -2) for value, place in zip(values, places, strict=True)
        )
        left = list(model.VALUES)
        for value in placed:
            left.remove(value)
    for place in board.where:
        if 256 <= place < model.SAVED:
            assert place - 256 in board.ships, "nobody sails without a ship"
            assert board.where.count(place) <= 3
    for hex_ in LAND:
        assert board.map[hex_] == "~" or hex_ not in (*board.ships, *board.sharks, *board.whales)


@given(tables)
@settings(max_examples=by_length(2, 48), deadline=None)
def test_nothing_is_ever_lost_from_the_box(table: tuple[int, int, dict[str, str], bool]) -> None:
    seats, seed, options, double = table
    if double:
        seats, options = 2, {**options, "colours": "two"}
    state: model.State | None = None
    for moment in wandering(seats, seed, options):
        state = moment.state
        for event in moment.events:
            state = ESCAPE.rules.evolve(state, event)
            conserved(state)
        assert state == moment.after
    assert state is not None
    assert state.board.outcome is not None


@given(tables)
@settings(max_examples=by_length(2, 32), deadline=None)
def test_the_log_alone_brings_the_game_back(table: tuple[int, int, dict[str, str], bool]) -> None:
    seats, seed, options, _double = table
    events: list[model.Event] = []
    last = None
    for moment in wandering(seats, seed, options):
        last = moment
        events.extend(moment.events)
    assert last is not None
    first = next(iter(wandering(seats, seed, options))).state
    again = [ESCAPE.codec.decode(ESCAPE.codec.encode(event), 1) for event in events]
    assert again == events
    assert ESCAPE.fold(again, first) == last.after


@pytest.mark.parametrize(("seats", "options"), TABLES)
def test_scores_are_what_stands_on_the_isles(seats: int, options: dict[str, str]) -> None:
    *_before, last = sensible(seats, 1, options)
    board, outcome = last.after.board, last.after.board.outcome
    assert outcome is not None
    for seat in range(seats):
        safe = saved(board, seat)
        points = len(safe) if board.options.equal else sum(last.after.values[who] for who in safe)
        assert outcome.scores[seat] == points
    assert outcome.winners == tuple(
        seat for seat in range(seats) if outcome.scores[seat] == max(outcome.scores)
    )


def test_every_move_begins_with_the_command_it_came_from() -> None:
    for seats in (2, 3, 4):
        for moment in wandering(seats, 70 + seats):
            found = [ESCAPE.rules.command_of(event) for event in moment.events]
            assert found[0] == (moment.seat, moment.command)
            assert found[1:] == [None] * (len(found) - 1)


def test_the_luck_of_a_move_can_be_read_off_its_events() -> None:
    class Told:
        def __init__(self, given: tuple[tuple[object, ...] | int, ...]) -> None:
            self.given = list(given)

        def shuffle(self, items: object, /) -> object:
            return self.given.pop(0)

        def roll(self, faces: int, /) -> object:
            return self.given.pop(0)

    for moment in wandering(4, 9):
        chance = Told(ESCAPE.rules.recorded_chance(moment.events))
        again = ESCAPE.rules.decide(moment.state, moment.seat, moment.command, chance)  # type: ignore[arg-type]
        assert again == moment.events
        assert chance.given == []


# -- complete and sound ----------------------------------------------------------------------

SMALL = [
    "E5 beach U1 V1 | E6 beach | D5 ship | C5 whale | C4 shark",
    "C1 ship U1 V1 | C2 U2 ship | B2 serpent | B3 V2 | E5 beach | E6 beach",
    "D5 U1 ship V1 V2 V3 | D6 ship U2 | C5 ship | E5 mountain U3",
    "D5 U1 shark ship | D4 serpent ship | E5 forest U2 U3 | E4 whale ship",
    "A3 U1 | A4 shark | B3 ship | kept 1 dolphin wind move-shark whale-defence",
    "options ending=last | A3 U1 | A4 serpent | B9 V1 | dry 1",
    "E5 beach U1 | D5 ship U2 V1 V2 | C5 U3 | wet U3 | steps 1",
    "options two_colours | D5 ship U1 V1 N1 | C5 ship Y1 U2 V2 | E5 beach Y2",
    "E5 U1 U2 V1 V2 V3 ship | site E5 | E6 beach V4",
    "A3 whale | A4 whale ship V1 | B9 whale | rolled whale | E5 beach V4",
]


def every_command(board: model.Board) -> Iterator[model.Command]:
    """All that could be said about this board, sense or nonsense."""
    hexes = [*range(-1, len(NAMES) + 1)]
    people = [who for who, place in enumerate(board.where) if out(place) or who % 10 == 9]
    creatures = {*board.serpents, *board.sharks, *board.whales}
    for verb in model.Verb:
        starts = {*board.ships, 5, -1} if verb is model.Verb.SAIL else {*people, -1, 99}
        for who, to in product(starts, hexes):
            yield model.Turn(steps=(model.Step(verb, who, to),))
    for hex_ in hexes:
        yield model.Turn(sink=hex_)
        yield model.Place(6, hex_)
        yield model.Launch(hex_)
    for tile in model.Back:
        for start, to in product({*people, *board.ships, *creatures, 5}, hexes):
            yield model.Turn(play=model.Play(tile, start, to))
    for start, to in product({*creatures, 5}, hexes):
        yield model.Steer(start, to)
    for three in combinations(people, 3):
        yield model.Crew(three)
    yield from (
        model.Turn(roll=True),
        model.Turn(),
        model.Steer(),
        model.Steer(3, None),
        model.Defend(True),
        model.Defend(False),
    )


@pytest.mark.long
@pytest.mark.parametrize("text", by_length(SMALL[::2], SMALL))
def test_legal_commands_are_exactly_what_decide_allows(text: str) -> None:
    state = Scene(text).state
    legal = list(ESCAPE.rules.legal_commands(state, 0))
    allowed = set()
    for command in every_command(state.board):
        try:
            ESCAPE.rules.decide(state, 0, command, Dice())
        except IllegalMove as error:
            assert str(error)
        else:
            allowed.add(command)
    assert allowed == set(legal)
    assert len(legal) == len(allowed), "nothing is listed twice"


@pytest.mark.parametrize("text", SMALL)
def test_every_other_seat_has_nothing_to_say(text: str) -> None:
    state = Scene(text).state
    assert list(ESCAPE.rules.legal_commands(state, 1)) == []
    with pytest.raises(IllegalMove, match="not your turn"):
        ESCAPE.rules.decide(state, 1, model.Turn(roll=True), Dice())


def test_every_legal_command_of_whole_games_is_allowed() -> None:
    for seats in (2, 3, 4):
        for number, moment in enumerate(wandering(seats, 20 + seats)):
            if number % 9:
                continue
            for command in islice(
                ESCAPE.rules.legal_commands(moment.state, moment.seat), 0, None, 7
            ):
                ESCAPE.rules.decide(moment.state, moment.seat, command, Dice())


# -- the results of a whole movement ----------------------------------------------------------


def brute_force(board: model.Board, seat: int) -> set[int]:
    """The numbers of all positions that any order of up to three steps leads to."""
    found, edge = {number_of(board)}, [board]
    for _step in range(board.steps, model.STEPS):
        edge = [after_step(here, step) for here in edge for step in legal_steps(here, seat)]
        distinct = {(number_of(there), there.steps): there for there in edge}
        edge = list(distinct.values())
        found |= {number_of(there) for there in edge}
    return found


@pytest.mark.parametrize("text", [text for text in SMALL if "rolled" not in text])
def test_a_movement_is_enumerated_as_its_reachable_results(text: str) -> None:
    board = Scene(text).state.board
    ways = list(results(board, 0))
    reached = [number_of(reduce(after_step, way, board)) for way in ways]
    assert len(reached) == len(set(reached)), "no result comes twice"
    assert set(reached) == brute_force(board, 0)
    assert all(len(way) <= model.STEPS for way in ways)


@pytest.mark.long
def test_results_in_the_middle_of_games_are_complete() -> None:
    checked = 0
    # Four players, so that boards are small enough.
    for seats, options in by_length(TABLES[2:3], (TABLES[2], TABLES[-1])):
        for moment in sensible(seats, 1, options):
            board = moment.state.board
            if (
                not isinstance(board.stage, TurnStage)
                or not 4 < len(list(legal_steps(board, moment.seat))) < 22
            ):
                continue
            ways = list(results(board, moment.seat))
            reached = {number_of(reduce(after_step, way, board)) for way in ways}
            assert len(reached) == len(ways)
            assert reached == brute_force(board, moment.seat)
            checked += 1
    assert checked > 2


def test_the_fullest_board_gives_its_results_at_once() -> None:
    first = next(moment for moment in wandering(4, 1) if moment.state.board.turn == 1)
    board = first.state.board
    assert sum(map(out, board.where)) == 40
    singles = len(list(legal_steps(board, first.seat)))
    ways = list(islice(results(board, first.seat), 3000))
    assert len(set(ways)) == 3000
    assert len(set(ways[1 : singles + 1])) == singles
    assert all(len(way) == 1 for way in ways[1 : singles + 1]), "the shortest come first"


# -- positions as text -------------------------------------------------------------------------


@pytest.mark.long
def test_positions_round_trip_through_text() -> None:
    step = by_length(12, 3)
    for seats in (2, 3, 4):
        for moment in islice(wandering(seats, 30 + seats, {"ending": "last"}), 0, None, step):
            if isinstance(moment.state.board.stage, TurnStage | CreatureStage | CrewStage):
                text = format_position(moment.state)
                assert format_position(parse_position(text)) == text
                assert parse_position(text).board == moment.state.board


@pytest.mark.parametrize(
    "text", ["Z9 ship", "A3 beach", "E5 beach Q1", "E5 beach Y1", "fog", "options fog"]
)
def test_a_position_that_cannot_be_says_why(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_position(text)


def test_the_island_laid_is_the_only_event_before_the_first_question() -> None:
    (event,) = ESCAPE.setup({}, 3, Dice())
    assert isinstance(event, model.Prepared)
