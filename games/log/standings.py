"""The standings of a circle, folded from the results of its games.

Pure, and the same in whatever order the results come. People are named by their keys (pk). Bots
have no place: people are compared with people.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations, product
from math import exp, factorial, prod, sqrt

import msgspec

from games.log import table_events
from games.log.game_log import Log

FEW = 5  # games: with fewer, a person stands below the line
COMPARED = 20  # games from which on two people are compared by the fit
SURE = 2.6  # standard deviations by which one is surely ahead of another

Order = Sequence[int]


@dataclass(frozen=True, order=True)
class Result:
    """How a game ended for the people who have a place, the best ones first, people with equal
    places together. left: those of the last place, who did not play to the end."""

    places: tuple[tuple[int, ...], ...]
    left: tuple[int, ...] = ()

    @property
    def ranks(self) -> dict[int, int]:
        """The place of each person, from 0."""
        groups = (*self.places, self.left)
        return {person: rank for rank, group in enumerate(groups) for person in group}


def result_of(log: Log) -> Result | None:
    """The result of a finished game, None where it has none that counts.

    A seat counts for who held it at the end and made at least half of its moves. A player who
    resigned, or lost a seat to a bot for good by deadlines that are not excused, is last and has
    left. There is no result if fewer than two people stayed.
    """
    ended = log.projection
    if ended.status != "finished":
        return None
    left = _left(log)
    moves: dict[int, list[int | None]] = defaultdict(list)  # who made them, by seat
    for item in log.items:
        if item.is_move and not item.undone and item.seat is not None:
            moves[item.seat].append(item.first.by)
    groups: dict[tuple[bool, int], list[int]] = defaultdict(list)
    for seat, holder in enumerate(log.seating.now):
        own = moves[seat].count(holder.user)
        if holder.user is None or holder.user in left or 2 * own < len(moves[seat]):
            continue
        score = ended.scores[seat] if ended.scores is not None else 0
        groups[seat not in (ended.winners or ()), -score].append(holder.user)
    places = tuple(tuple(sorted(groups[rank])) for rank in sorted(groups))
    if sum(map(len, places)) < 2:
        return None
    return Result(places, tuple(sorted(left)))


def _left(log: Log) -> set[int]:
    """Return the players who resigned or lost their seat for good, without an excuse."""
    found = {log.seating.now[seat].user for seat in log.table.quit}
    missed: dict[int, int] = {}  # the last event with which the deadline of a seat passed
    for entry in log.entries:
        match entry.event:
            case table_events.TimedOut(seat=seat):
                missed[seat] = entry.seq
            case table_events.Resigned(seat=seat):
                found.add(log.seating.before(entry.seq)[seat].user)
            case table_events.TakenOver(seat=seat) | table_events.SeatHanded(seat=seat, lost=True):
                if missed.get(seat) not in log.excused:
                    found.add(log.seating.before(entry.seq)[seat].user)
    returned = {
        holder.user for seat, holder in enumerate(log.seating.now) if seat not in log.table.quit
    }
    return {user for user in found - returned if user is not None}


class Row(msgspec.Struct, frozen=True):
    """A person in the standings. wins: a shared win counts as a part of one. beaten: the share of
    the other people who finished behind, equal ones as half. left: the games not played to the end.
    ahead_of: of whom this person is surely ahead."""

    person: int
    games: int
    wins: Fraction
    beaten: Fraction
    left: int
    ahead_of: tuple[int, ...] = ()


class Pair(msgspec.Struct, frozen=True):
    """Two people in the games of both: how often each finished before the other, and how often they
    were equal."""

    one: int
    other: int
    before: int
    behind: int
    equal: int


class Standings(msgspec.Struct, frozen=True):
    """The rows by the share of others beaten, those with few games apart, and all pairs."""

    rows: tuple[Row, ...]
    few: tuple[Row, ...]
    pairs: tuple[Pair, ...]

    def row_of(self, person: int) -> Row | None:
        """The row of this person, None without a game that counts."""
        return next((row for row in (*self.rows, *self.few) if row.person == person), None)


def standings(results: Iterable[Result], members: Collection[int]) -> Standings:
    """Return the standings of these results. members: who has a row; others count as opponents."""
    ordered = sorted(results)
    ahead = _surely_ahead(ordered)
    rows = sorted(
        (_row(person, ordered, ahead) for person in members),
        key=lambda row: (-row.beaten, -row.wins, -row.games, row.person),
    )
    shown = sorted(row.person for row in rows if row.games)
    pairs = (_pair(one, other, ordered) for one, other in combinations(shown, 2))
    return Standings(
        tuple(row for row in rows if row.games >= FEW),
        tuple(row for row in rows if 0 < row.games < FEW),
        tuple(pair for pair in pairs if pair.before + pair.behind + pair.equal),
    )


def _row(person: int, results: Sequence[Result], ahead: dict[int, list[int]]) -> Row:
    mine = [result for result in results if person in result.ranks]
    wins, beaten, others = Fraction(), Fraction(), 0
    for result in mine:
        ranks = list(result.ranks.values())
        own = result.ranks[person]
        if own == 0:
            wins += Fraction(1, ranks.count(0))
        behind = sum(rank > own for rank in ranks)
        beaten += behind + Fraction(ranks.count(own) - 1, 2)
        others += len(ranks) - 1
    left = sum(person in result.left for result in mine)
    share = beaten / others if others else Fraction()
    return Row(person, len(mine), wins, share, left, tuple(ahead.get(person, ())))


def _pair(one: int, other: int, results: Sequence[Result]) -> Pair:
    ranks = [result.ranks for result in results]
    both = [(rank[one], rank[other]) for rank in ranks if one in rank and other in rank]
    before, equal = sum(a < b for a, b in both), sum(a == b for a, b in both)
    return Pair(one, other, before, len(both) - before - equal, equal)


# -- who is surely ahead of whom ---------------------------------------------------------------


def _surely_ahead(results: Sequence[Result]) -> dict[int, list[int]]:
    """Return the people with COMPARED games of whom each one is surely ahead."""
    games: dict[int, int] = defaultdict(int)
    for result in results:
        for person in result.ranks:
            games[person] += 1
    people = sorted(games)
    compared = [n for n, person in enumerate(people) if games[person] >= COMPARED]
    found: dict[int, list[int]] = defaultdict(list)
    if len(compared) < 2:
        return found
    strengths, covariance = _fit(results, people)
    for one, other in permutations(compared, 2):
        spread = covariance[one][one] + covariance[other][other] - 2 * covariance[one][other]
        if strengths[one] - strengths[other] > SURE * sqrt(spread):
            found[people[one]].append(people[other])
    return found


def _fit(results: Sequence[Result], people: Sequence[int]) -> tuple[list[float], list[list[float]]]:
    """Return the strengths that fit all results best by the model of Plackett and Luce, and their
    covariance. Before any result, a strength is normal with deviation 1."""
    place = {person: n for n, person in enumerate(people)}
    stages = [
        (share, place[order[n]], [place[person] for person in (*order[n:], *result.left)])
        for result in results
        for share, order in _orders(result)
        for n in range(len(order))
    ]
    strengths, size = [0.0] * len(people), range(len(people))
    for _step in range(50):  # Newton's method, which takes about six
        slope = [-strength for strength in strengths]
        curve = [[float(row == column) for column in size] for row in size]
        for share, first, field in stages:
            weights = [exp(strengths[n]) for n in field]
            total = sum(weights)
            slope[first] += share
            for one, its in zip(field, weights, strict=True):
                slope[one] -= share * its / total
                curve[one][one] += share * its / total
                for other, theirs in zip(field, weights, strict=True):
                    curve[one][other] -= share * its * theirs / total**2
        covariance = _inverse(curve)
        step = [sum(row[n] * slope[n] for n in size) for row in covariance]
        strengths = [strength + change for strength, change in zip(strengths, step, strict=True)]
        if max(map(abs, step)) < 1e-9:
            break
    return strengths, covariance


def _orders(result: Result) -> list[tuple[float, Order]]:
    """The orders of those who stayed that a result stands for: equal people in each order, which
    share its weight."""
    share = 1 / prod(factorial(len(group)) for group in result.places)
    found = product(*(permutations(group) for group in result.places))
    return [(share, [person for group in order for person in group]) for order in found]


def _inverse(matrix: list[list[float]]) -> list[list[float]]:
    """The inverse of a positive definite matrix, by elimination."""
    size = range(len(matrix))
    rows = [[*row, *(float(n == m) for m in size)] for n, row in enumerate(matrix)]
    for n in size:
        pivot = rows[n][n]
        rows[n] = [value / pivot for value in rows[n]]
        for m in size:
            factor = rows[m][n]
            if m != n and factor:
                rows[m] = [a - factor * b for a, b in zip(rows[m], rows[n], strict=True)]
    return [row[len(matrix) :] for row in rows]
