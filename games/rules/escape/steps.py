"""Step 2 of a turn: where explorers and ships may go, why not, and what a step leads to.

The rules stand in `step_rules`. Works on the public board alone.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ..errors import IllegalMove
from ..text import Text, _
from .board import (
    controls,
    crew,
    eats_swimmers,
    hands,
    is_out,
    may_sail,
    out,
    own,
    owner,
    wrecks_ships,
)
from .evolve import harmed, stepped
from .model import ABOARD, LOST, ROOM, SAVED, SEA, STEPS, Board, Harmed, Step, Stepped, Verb
from .names import explorer_name
from .step_rules import COMBINATIONS, RULES_OF, Attempt, Origin, Place, ways

# As names of this module they are found faster.
_LAND, _SHIP, _CLIMBED, _WATER = Origin.LAND, Origin.SHIP, Origin.CLIMBED, Origin.WATER
_SWUM, _ISLE, _LOST, _HAND = Origin.SWUM, Origin.ISLE, Origin.LOST, Origin.HAND
_OWN_SHIP = Origin.OWN_SHIP


def legal_steps(board: Board, seat: int) -> Iterator[Step]:
    """Every single step the seat may take now."""
    if _seat_problem(board, seat) is not None:
        return
    aboard = hands(board)
    ends = _ends(board.map, board.ships, _full(aboard)).together
    where = board.where
    for who in own(board, seat):
        place = where[who]
        if not out(place):
            continue
        for verb, to, conditions in ways(_origin(board, who, place), place % ABOARD):
            if to in ends[conditions]:
                yield Step(verb, who, to)
    for ship, seats in aboard.items():
        if controls(seat, seats):
            for verb, to, conditions in ways(_OWN_SHIP, ship):
                if to in ends[conditions]:
                    yield Step(verb, ship, to)


def check_step(board: Board, seat: int, step: Step) -> None:
    """IllegalMove with the reason where the seat may not take this step now."""
    problem = _seat_problem(board, seat) or _step_problem(board, seat, step)
    if problem is not None:
        raise IllegalMove(problem)


def _full(aboard: dict[int, list[int]]) -> tuple[int, ...]:
    return tuple([ship for ship, seats in aboard.items() if len(seats) >= ROOM])


def _seat_problem(board: Board, seat: int) -> Text | None:
    """Return why the seat may take no step at all, or None."""
    if board.steps >= STEPS:
        return _("A turn has at most three steps.")
    if not is_out(board, seat):
        return _("None of your explorers is left on the board, so you have nothing to move.")
    return None


def _step_problem(board: Board, seat: int, step: Step) -> Text | None:
    who = step.who
    if step.verb is Verb.SAIL:
        here, origin = who, _origin_of_ship(board, seat, who)
    else:
        if not 0 <= who < len(board.where):
            return _("There is no such explorer.")
        if owner(board, who) != seat:
            return _("%(explorer)s is not yours.", explorer=explorer_name(who))
        here, origin = board.where[who] % ABOARD, _origin(board, who, board.where[who])
    places = _ends(board.map, board.ships, _full(hands(board))).places
    for rule in RULES_OF[step.verb, origin]:
        condition = rule.condition
        ends = places[condition] if isinstance(condition, Place) else condition(here)
        if step.to not in ends:
            return rule.reason(Attempt(who, here, step.to))
    return None


def _origin(board: Board, who: int, place: int) -> Origin:
    """Return the origin of a step of this explorer, who is in this place."""
    if place >= SAVED:
        return _ISLE
    if place >= ABOARD:
        return _CLIMBED if board.swam >> who & 1 else _SHIP
    if place < 0:
        return _LOST if place == LOST else _HAND
    if board.map[place] != SEA:
        return _LAND
    return _SWUM if board.swam >> who & 1 else _WATER


def _origin_of_ship(board: Board, seat: int, hex_: int) -> Origin:
    if hex_ not in board.ships:
        return Origin.NO_SHIP
    return Origin.OWN_SHIP if may_sail(board, seat, hex_) else Origin.OTHER_SHIP


class _Ends(NamedTuple):
    """The hexes that meet each condition, and those that meet each of `COMBINATIONS`."""

    places: dict[Place, frozenset[int]]
    together: tuple[frozenset[int], ...]


@lru_cache(maxsize=512)
def _ends(map_: str, ships: tuple[int, ...], full: tuple[int, ...]) -> _Ends:
    """Return the ends of steps with these tiles, these ships and these full ships."""
    everywhere, terrain = _hexes(map_)
    places = {
        Place.TERRAIN: terrain,
        Place.SEA: everywhere - terrain,
        Place.SHIP: frozenset(ships),
        Place.ROOM: everywhere.difference(full),
        Place.NO_SHIP: everywhere.difference(ships),
    }
    together = [everywhere.intersection(*(places[one] for one in all_)) for all_ in COMBINATIONS]
    return _Ends(places, tuple(together))


@lru_cache(maxsize=128)
def _hexes(map_: str) -> tuple[frozenset[int], frozenset[int]]:
    """(all hexes, those with terrain)."""
    terrain = frozenset(hex_ for hex_, letter in enumerate(map_) if letter != SEA)
    return frozenset(range(len(map_))), terrain


def start_of(board: Board, step: Step) -> int:
    """The hex on which a step begins."""
    return step.who if step.verb is Verb.SAIL else board.where[step.who] % ABOARD


def step_events(board: Board, seat: int, step: Step) -> tuple[Stepped | Harmed, ...]:
    """The effects of a legal step."""
    done = Stepped(seat, step, start_of(board, step))
    harm = _harm(board, step)
    return (done,) if harm is None else (done, harm)


def after_step(board: Board, step: Step) -> Board:
    """The board after a legal step and the harm it brings."""
    harm = _harm(board, step)
    board = stepped(board, step, start_of(board, step))
    return board if harm is None else harmed(board, harm)


def _harm(board: Board, step: Step) -> Harmed | None:
    """Entering danger oneself; `board` is the one before the step."""
    to = step.to
    if step.verb is Verb.SWIM:
        eater = eats_swimmers(board, to)
        return None if eater is None else Harmed(eater, to, lost=(step.who,))
    if step.verb is Verb.BOARD:
        if to in board.serpents or to in board.whales:
            return wreck(board, to, tuple(sorted((*crew(board, to), step.who))))
    elif step.verb is Verb.SAIL and (to in board.serpents or to in board.whales):
        aboard = crew(board, step.who)
        return wreck(board, to, aboard) if aboard else None
    return None


def wreck(board: Board, hex_: int, aboard: tuple[int, ...]) -> Harmed | None:
    """Return the event that wrecks a ship on this hex with these aboard; None if it is safe."""
    wrecker = wrecks_ships(board, hex_)
    if wrecker is None:
        return None
    if eats_swimmers(board, hex_):
        return Harmed(wrecker, hex_, ship=True, lost=aboard)
    return Harmed(wrecker, hex_, ship=True, overboard=aboard)
