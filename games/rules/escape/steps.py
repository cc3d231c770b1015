"""Step 2 of a turn: where explorers and ships may go, why not, and what a step leads to.

Works on the public board alone. `legal_steps` lists, `check_step` explains; a test holds the two
together.
"""

from collections.abc import Iterator

from ..contract import IllegalMove
from ..text import Text, _
from .board import crew, eats_swimmers, has_room, is_out, may_sail, own, owner, wrecks_ships
from .evolve import harmed, stepped
from .hexes import ISLE_AT, NEAR, NEAR_SETS
from .model import ABOARD, EACH, LOST, ROOM, SAVED, SEA, STEPS, Board, Harmed, Step, Stepped, Verb
from .names import explorer_name, isle_name, place_name


def legal_steps(board: Board, seat: int) -> Iterator[Step]:
    """Every single step the seat may take now; nothing once its three steps are used."""
    if board.steps >= STEPS:
        return
    where, map_, ships, swam = board.where, board.map, board.ships, board.swam
    hands: dict[int, list[int]] = {ship: [] for ship in ships}
    for explorer, place in enumerate(where):
        if ABOARD <= place < SAVED and place - ABOARD in hands:
            hands[place - ABOARD].append(explorer // EACH % board.seats)
    roomy = {ship for ship, aboard in hands.items() if len(aboard) < ROOM}
    alive = False
    for who in own(board, seat):
        place = where[who]
        if place < 0 or place >= SAVED:
            continue
        alive = True
        dry = not swam >> who & 1
        if place >= ABOARD:
            here = place - ABOARD
            for near in NEAR[here]:
                if near in roomy:
                    yield Step(Verb.BOARD, who, near)
            if here in ISLE_AT:
                yield Step(Verb.ASHORE, who, ISLE_AT[here])
            if dry:
                yield Step(Verb.SWIM, who, here)
        elif map_[place] != SEA:
            for near in NEAR[place]:
                if map_[near] != SEA:
                    yield Step(Verb.WALK, who, near)
                else:
                    if near in roomy:
                        yield Step(Verb.BOARD, who, near)
                    yield Step(Verb.SWIM, who, near)
        elif dry:
            if place in ISLE_AT:
                yield Step(Verb.ASHORE, who, ISLE_AT[place])
            if place in roomy:
                yield Step(Verb.BOARD, who, place)
            for near in NEAR[place]:
                if map_[near] == SEA:
                    yield Step(Verb.SWIM, who, near)
    if not alive:
        return
    for ship, aboard in hands.items():
        if aboard:
            mine = aboard.count(seat)
            if any(aboard.count(other) > mine for other in aboard):
                continue
        for near in NEAR[ship]:
            if map_[near] == SEA and near not in hands:
                yield Step(Verb.SAIL, ship, near)


def check_step(board: Board, seat: int, step: Step) -> None:
    """IllegalMove with the reason where the seat may not take this step now."""
    if board.steps >= STEPS:
        raise IllegalMove(_("A turn has at most three steps."))
    if not is_out(board, seat):
        raise IllegalMove(
            _("None of your explorers is left on the board, so you have nothing to move.")
        )
    reason = _sail_problem(board, seat, step) if step.verb is Verb.SAIL else None
    if step.verb is not Verb.SAIL:
        reason = _explorer_problem(board, seat, step)
    if reason is not None:
        raise IllegalMove(reason)


def start_of(board: Board, step: Step) -> int:
    """The hex on which a step begins."""
    return step.who if step.verb is Verb.SAIL else board.where[step.who] % ABOARD


def step_events(board: Board, seat: int, step: Step) -> tuple[Stepped | Harmed, ...]:
    """What a legal step leads to."""
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
    """What becomes of an occupied ship on this hex with these aboard; None where it is safe."""
    wrecker = wrecks_ships(board, hex_)
    if wrecker is None:
        return None
    if eats_swimmers(board, hex_):
        return Harmed(wrecker, hex_, ship=True, lost=aboard)
    return Harmed(wrecker, hex_, ship=True, overboard=aboard)


# -- reasons -----------------------------------------------------------------------------


def _sail_problem(board: Board, seat: int, step: Step) -> Text | None:
    start, to = step.who, step.to
    if start not in board.ships:
        return _("There is no ship at %(hex)s.", hex=place_name(start))
    if not may_sail(board, seat, start):
        return _(
            "Another player has more explorers on the ship at %(hex)s and controls it.",
            hex=place_name(start),
        )
    return _water_problem(board, start, to) or (
        _("There is already a ship at %(hex)s.", hex=place_name(to)) if to in board.ships else None
    )


def _water_problem(board: Board, start: int, to: int) -> Text | None:
    if to not in NEAR_SETS[start]:
        return _("%(to)s is not next to %(hex)s.", to=place_name(to), hex=place_name(start))
    if board.map[to] != SEA:
        return _("%(hex)s is land.", hex=place_name(to))
    return None


def _explorer_problem(board: Board, seat: int, step: Step) -> Text | None:
    who, to = step.who, step.to
    if not 0 <= who < len(board.where):
        return _("There is no such explorer.")
    name = explorer_name(who)
    if owner(board, who) != seat:
        return _("%(explorer)s is not yours.", explorer=name)
    place = board.where[who]
    if place >= SAVED:
        return _("%(explorer)s is safe on an isle and can no longer move.", explorer=name)
    if place == LOST:
        return _("%(explorer)s has been lost.", explorer=name)
    if place < 0:
        return _("%(explorer)s is not on the board yet.", explorer=name)
    here = place % ABOARD
    if place >= ABOARD:
        return _from_ship(board, name, who, here, step)
    if board.map[here] != SEA:
        return _from_land(board, name, here, step)
    if board.swam >> who & 1:
        return _(
            "%(explorer)s is in the water and cannot do anything else this turn.", explorer=name
        )
    if step.verb is Verb.WALK:
        return _("Explorers cannot return to land.")
    if step.verb is Verb.ASHORE:
        return _isle_problem(name, here, to)
    if step.verb is Verb.BOARD:
        if to != here:
            return _(
                "A swimmer can only board a ship on the same hex, %(hex)s.", hex=place_name(here)
            )
        return _ship_problem(board, to)
    return _water_problem(board, here, to)


def _from_ship(board: Board, name: str, who: int, here: int, step: Step) -> Text | None:
    if step.verb is Verb.WALK:
        return _("Explorers cannot return to land.")
    if step.verb is Verb.ASHORE:
        return _isle_problem(name, here, step.to)
    if step.verb is Verb.BOARD:
        if step.to not in NEAR_SETS[here]:
            return _("%(to)s is not next to %(hex)s.", to=place_name(step.to), hex=place_name(here))
        return _ship_problem(board, step.to)
    if step.to != here:
        return _(
            "From a ship, an explorer can only jump into the water of the same hex, %(hex)s.",
            hex=place_name(here),
        )
    if board.swam >> who & 1:
        return _(
            "%(explorer)s climbed aboard from the water this turn and cannot jump back in.",
            explorer=name,
        )
    return None


def _from_land(board: Board, name: str, here: int, step: Step) -> Text | None:
    if step.verb is Verb.ASHORE:
        return _("%(hex)s does not touch an isle.", hex=place_name(here))
    if step.to not in NEAR_SETS[here]:
        return _("%(to)s is not next to %(hex)s.", to=place_name(step.to), hex=place_name(here))
    if step.verb is Verb.WALK:
        if board.map[step.to] == SEA:
            return _("%(hex)s is a sea hex.", hex=place_name(step.to))
        return None
    if step.verb is Verb.BOARD:
        return _ship_problem(board, step.to)
    if board.map[step.to] != SEA:
        return _("%(hex)s is land.", hex=place_name(step.to))
    return None


def _ship_problem(board: Board, hex_: int) -> Text | None:
    if hex_ not in board.ships:
        return _("There is no ship at %(hex)s.", hex=place_name(hex_))
    if not has_room(board, hex_):
        return _("The ship at %(hex)s is full.", hex=place_name(hex_))
    return None


def _isle_problem(name: str, here: int, isle: int) -> Text | None:
    if here not in ISLE_AT:
        return _("%(hex)s does not touch an isle.", hex=place_name(here))
    if ISLE_AT[here] != isle:
        return _(
            "%(explorer)s can only land on the isle %(isle)s.",
            explorer=name,
            isle=isle_name(ISLE_AT[here]),
        )
    return None
