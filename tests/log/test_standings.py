"""Standings are folded from logs: what counts, computed by hand, and what a comparison claims.

The logs are of the tiny game: rolls are moves, and the scores are written down.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from games.log import table_events as table
from games.log.entry import Entry
from games.log.game_log import Log
from games.log.standings import Result, result_of, standings
from tests.support.lengths import by_length
from tests.tiny_game import TWENTY, Dealt, Ended, Rolled

ANNA, BEN, CARLA, DORA = PEOPLE = (1, 2, 3, 4)
AT = datetime(2026, 11, 1, tzinfo=UTC)
Event = tuple[Any, int | None]  # an event and the user by whom it is


def log_of(*seats: int | None, happened: list[Event]) -> Log:
    """A log whose seats these people (None: a bot) took, and in which all that happened."""
    created = table.Created("", "twenty", {}, len(seats), 3)
    joined: list[Event] = [(table.Joined(n, bot=who is None), who) for n, who in enumerate(seats)]
    dealt = Dealt(tuple(range(1, len(seats) + 1)), ())
    start: list[Event] = [(table.Started(len(seats)), None), (dealt, None)]
    entries = []
    for seq, (event, by) in enumerate([(created, None), *joined, *start, *happened], 1):
        kind = str(event.__struct_config__.tag)
        entries.append(Entry(seq, kind, getattr(event, "seat", None), by, AT, event))
    return Log(TWENTY, entries, b"")


def moves(seat: int, by: int | None, number: int = 4) -> list[Event]:
    return [(Rolled(seat, 1), by)] * number


def end(*scores: int) -> list[Event]:
    best = max(scores)
    winners = tuple(seat for seat, score in enumerate(scores) if score == best)
    return [(Ended(scores, winners), None)]


def three(*happened: Event, scores: tuple[int, ...] = (9, 6, 3), moved: bool = True) -> Log:
    """Anna, Ben and Carla have made four moves each; then this happened, and the scores."""
    begun = [*moves(0, ANNA), *moves(1, BEN), *moves(2, CARLA)] if moved else []
    return log_of(ANNA, BEN, CARLA, happened=[*begun, *happened, *(end(*scores) if scores else [])])


LOST: list[Event] = [(table.TimedOut(0), None), (table.TakenOver(0), None)]
DORA_SITS: list[Event] = [(table.SeatHanded(0, "player"), 9), (table.Seated(0), DORA)]


def handed_over(first: int, then: int) -> Log:
    """Dora gets Anna's seat after some moves and makes the others."""
    others = [*moves(1, BEN), *moves(2, CARLA)]
    mine = [*moves(0, ANNA, first), *DORA_SITS, *moves(0, DORA, then)]
    return log_of(ANNA, BEN, CARLA, happened=[*others, *mine, *end(9, 6, 3)])


CASES: dict[str, tuple[Callable[[], Log], Result | None]] = {
    "the best first": (three, Result(((ANNA,), (BEN,), (CARLA,)))),
    "a tie of two of three": (
        lambda: three(scores=(9, 9, 3)),
        Result(((ANNA, BEN), (CARLA,))),
    ),
    "a bot has no place, also if it wins": (
        lambda: log_of(
            ANNA,
            None,
            BEN,
            happened=[*moves(0, ANNA), *moves(1, None), *moves(2, BEN), *end(3, 9, 6)],
        ),
        Result(((BEN,), (ANNA,))),
    ),
    "whoever resigns is last, also while leading": (
        lambda: three((table.Resigned(0, "bot"), ANNA)),
        Result(((BEN,), (CARLA,)), (ANNA,)),
    ),
    "whoever ends the game by resigning is last, and the others share the win": (
        lambda: three((table.Resigned(0, "end"), ANNA), scores=()),
        Result(((BEN, CARLA),), (ANNA,)),
    ),
    "whoever loses the seat to a bot for good is last": (
        lambda: three(*LOST),
        Result(((BEN,), (CARLA,)), (ANNA,)),
    ),
    "whoever takes the seat back has not left": (
        lambda: three(*LOST, (table.TakenBack(0), ANNA)),
        Result(((ANNA,), (BEN,), (CARLA,))),
    ),
    "a seat that was lost with an excuse is nobody's": (
        lambda: three(*LOST, (table.Excused(0, 19), 9)),
        Result(((BEN,), (CARLA,))),
    ),
    "a host who hands a late player's seat to a bot makes a leaver": (
        lambda: three((table.TimedOut(0), None), (table.SeatHanded(0, "bot", lost=True), BEN)),
        Result(((BEN,), (CARLA,)), (ANNA,)),
    ),
    "a moderator who gives a seat to a bot makes none": (
        lambda: three((table.SeatHanded(0, "bot"), 9)),
        Result(((BEN,), (CARLA,))),
    ),
    "handed over at 30 % of the moves": (
        lambda: handed_over(3, 7),
        Result(((DORA,), (BEN,), (CARLA,))),
    ),
    "handed over at 70 % of the moves": (
        lambda: handed_over(7, 3),
        Result(((BEN,), (CARLA,))),
    ),
    "a bot made most moves of a seat": (
        lambda: three(*moves(0, None, 5)),
        Result(((BEN,), (CARLA,))),
    ),
    "a move that was taken back does not count": (
        lambda: three(*moves(0, None, 5), (table.RolledBack(18), 9)),
        Result(((ANNA,), (BEN,), (CARLA,))),
    ),
    "cancelled by vote": (lambda: three((table.Aborted("vote"), None), scores=()), None),
    "a rollback after the end": (
        lambda: log_of(
            ANNA,
            BEN,
            happened=[*moves(0, ANNA), *moves(1, BEN), *end(9, 6), (table.RolledBack(9), 9)],
        ),
        None,
    ),
    "one person stays": (
        lambda: three((table.Resigned(0, "bot"), ANNA), (table.Resigned(1, "bot"), BEN)),
        None,
    ),
    "not over": (lambda: three(scores=()), None),
}


@pytest.mark.parametrize("case", CASES)
def test_what_counts_is_computed_from_the_log(case: str) -> None:
    make, expected = CASES[case]
    assert result_of(make()) == expected


# -- the table ---------------------------------------------------------------------------------


def test_wins_are_shared_and_beaten_counts_all_other_people() -> None:
    results = [Result(((ANNA, BEN), (CARLA,))), Result(((CARLA,), (ANNA,)), (BEN,))]
    found = standings(results, PEOPLE)
    assert found.rows == ()
    rows = {row.person: row for row in found.few}
    assert list(rows) == [ANNA, CARLA, BEN], "by the share of the others whom they have beaten"
    assert {person: row.wins for person, row in rows.items()} == {
        ANNA: Fraction(1, 2),
        BEN: Fraction(1, 2),
        CARLA: 1,
    }
    # Anna: half of Ben and Carla, then Ben, of four; Carla: nobody, then both.
    assert rows[ANNA].beaten == Fraction(5, 8)
    assert rows[CARLA].beaten == Fraction(1, 2)
    assert rows[BEN].beaten == Fraction(3, 8)
    assert (rows[BEN].left, rows[ANNA].left) == (1, 0)
    (pair,) = [pair for pair in found.pairs if (pair.one, pair.other) == (ANNA, BEN)]
    assert (pair.before, pair.behind, pair.equal) == (1, 0, 1)


def test_whoever_has_fewer_than_five_games_stands_below_the_line() -> None:
    results = [Result(((ANNA,), (BEN,)))] * 5 + [Result(((CARLA,), (BEN,)))]
    found = standings(results, PEOPLE)
    assert [row.person for row in found.rows] == [ANNA, BEN]
    assert [row.person for row in found.few] == [CARLA]


def test_people_who_are_no_members_have_no_row_but_were_beaten() -> None:
    found = standings([Result(((ANNA,), (BEN,)))], [ANNA])
    (row,) = found.few
    assert (row.person, row.beaten) == (ANNA, Fraction(1))
    assert found.pairs == ()


def test_nobody_is_surely_ahead_before_twenty_games() -> None:
    results = [Result(((ANNA,), (BEN,)))] * 19
    assert standings(results, PEOPLE).rows[0].ahead_of == ()
    results += results[:1]
    assert standings(results, PEOPLE).rows[0].ahead_of == (BEN,)


def played(chance: Random, skills: list[float], games: int, *, ties: bool = False) -> list[Result]:
    """Games of three of these people, whose results are their skill and twice as much luck."""
    found = []
    for _game in range(games):
        people = chance.sample(range(len(skills)), 3)
        points = {person: skills[person] + chance.gauss(0, 2) for person in people}
        order = sorted(people, key=lambda person: -points[person])
        if ties and chance.random() < 0.3:
            found.append(Result((tuple(sorted(order[:2])), (order[2],))))
        else:
            found.append(Result(tuple((person,) for person in order)))
    return found


@pytest.mark.long
def test_the_order_of_the_games_does_not_matter() -> None:
    chance = Random(1)
    results = played(chance, [-4, -2, 0, 2, 4], 40, ties=True)
    expected = standings(results, range(5))
    assert any(row.ahead_of for row in expected.rows)
    for _shuffle in range(by_length(50, 1000)):
        chance.shuffle(results)
        assert standings(results, range(5)) == expected


@pytest.mark.long
def test_equals_are_hardly_ever_called_better() -> None:
    chance, tables = Random(2), by_length(60, 300)
    claims = sum(
        len(row.ahead_of)
        for _table in range(tables)
        for row in standings(played(chance, [0.0] * 5, 40), range(5)).rows
    )
    assert claims / tables <= 0.15


@pytest.mark.long
def test_the_best_is_called_better_than_the_worst_after_eighty_games() -> None:
    chance, tables, found = Random(3), by_length(40, 200), 0
    for _table in range(tables):
        rows = standings(played(chance, [-1, -0.5, 0, 0.5, 1], 80), range(5)).rows
        found += any(row.person == 4 and 0 in row.ahead_of for row in rows)
    assert found / tables >= 0.75
