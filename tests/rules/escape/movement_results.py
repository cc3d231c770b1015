"""An oracle: every position that a whole movement of up to three steps leads to, each once.

Steps that have nothing to do with each other lead to the same position in either order, so of
such orders only one is walked, the one that comes first when steps are sorted as they are listed
at the start. What remains differs in where everybody ends up. A full board has more than
half a million results for somebody with two colours, so the last step is never carried out: what
it changes in the position's number is enough.
"""

from collections.abc import Iterator
from typing import NamedTuple

from games.rules.escape.board import eats_swimmers, wrecks_ships
from games.rules.escape.model import ABOARD, SAVED, STEPS, Board, Step, Verb
from games.rules.escape.steps import after_step, legal_steps

Steps = tuple[Step, ...]

# The number of a position: ten bits for the place of each explorer, one bit for each hex with a
# ship, one for each explorer who may not take to the water any more.
_PLACE = 10
_SHIPS = 40 * _PLACE
_WET = _SHIPS + 133


class Touch(NamedTuple):
    """The pieces that a step touches: explorers as they are, ships by their hex + ABOARD.

    removes: somebody leaves the board, perhaps the last of the seat, which then moves no ship.
    """

    pieces: frozenset[int]
    sails: bool
    removes: bool


class Way(NamedTuple):
    """Steps in their sorted order and where they lead. last: what the last one touched."""

    steps: Steps
    board: Board
    last: Touch | None = None


def results(board: Board, seat: int) -> Iterator[Steps]:
    """The steps to each position within reach, the fewest first; no step at all is the first.

    Two positions are the same where all pieces stand alike and the same explorers may still take
    to the water; how many steps it took does not count.
    """
    listed = {step: number for number, step in enumerate(legal_steps(board, seat))}
    seen = {number_of(board)}
    yield ()
    ways = [Way((), board)]
    for _step in range(board.steps, STEPS - 1):
        longer: list[Way] = []
        for way in ways:
            for step in legal_steps(way.board, seat):
                touch = _touch(way.board, step)
                if (
                    way.last
                    and _comes_first(step, way.steps[-1], listed)
                    and _swap(way.last, touch)
                ):
                    continue
                there = after_step(way.board, step)
                longer.append(Way((*way.steps, step), there, touch))
                number = number_of(there)
                if number not in seen:
                    seen.add(number)
                    yield longer[-1].steps
        ways = longer
    if board.steps < STEPS:
        for way in ways:
            number = number_of(way.board)
            for step in legal_steps(way.board, seat):
                after = _number_after(way.board, number, step)
                if after not in seen:
                    seen.add(after)
                    yield (*way.steps, step)


def number_of(board: Board) -> int:
    """A number that distinguishes positions: where everybody is, and who has been in the water."""
    number = board.swam << _WET
    for ship in board.ships:
        number |= 1 << _SHIPS + ship
    for explorer, place in enumerate(board.where):
        number |= place + 2 << _PLACE * explorer
    return number


def _number_after(board: Board, number: int, step: Step) -> int:
    """The number of the position after a step from the position of this number."""
    verb, who, to = step.verb, step.who, step.to
    if verb is Verb.WALK:
        return number ^ (board.where[who] + 2 ^ to + 2) << _PLACE * who
    if verb is Verb.ASHORE:
        return number ^ (board.where[who] + 2 ^ to + SAVED + 2) << _PLACE * who
    if to in board.serpents or to in board.sharks or to in board.whales:
        return number_of(after_step(board, step))
    if verb is Verb.SAIL:
        number ^= (1 << _SHIPS + who) ^ (1 << _SHIPS + to)
        aboard = who + ABOARD
        if aboard in board.where:
            change = aboard + 2 ^ to + ABOARD + 2
            for explorer, place in enumerate(board.where):
                if place == aboard:
                    number ^= change << _PLACE * explorer
        return number
    place = board.where[who]
    end = to
    if verb is Verb.BOARD:
        end += ABOARD
        swam = place < ABOARD and place == to
    else:
        swam = True
    if swam:
        number |= 1 << _WET + who
    return number ^ (place + 2 ^ end + 2) << _PLACE * who


def _comes_first(step: Step, other: Step, listed: dict[Step, int]) -> bool:
    """Return whether both were possible at the start, and `step` stands before the other in the
    list."""
    number, before = listed.get(step), listed.get(other)
    return number is not None and before is not None and number < before


def _swap(one: Touch, other: Touch) -> bool:
    """Return whether two steps lead to the same in either order."""
    if one.pieces & other.pieces:
        return False
    return not (one.removes and other.sails) and not (one.sails and other.removes)


def _touch(board: Board, step: Step) -> Touch:
    to = step.to
    if step.verb is Verb.SAIL:
        sunk = step.who + ABOARD in board.where and wrecks_ships(board, to) is not None
        return Touch(frozenset((step.who + ABOARD, to + ABOARD)), True, sunk)
    place = board.where[step.who]
    pieces = {step.who}
    if ABOARD <= place < SAVED:
        pieces.add(place)
    if step.verb is Verb.BOARD:
        pieces.add(to + ABOARD)
        removes = wrecks_ships(board, to) is not None
    elif step.verb is Verb.SWIM:
        removes = eats_swimmers(board, to) is not None
    else:
        removes = step.verb is Verb.ASHORE
    return Touch(frozenset(pieces), False, removes)
