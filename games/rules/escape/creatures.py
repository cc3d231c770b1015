"""Step 4 of a turn: where a creature may go, whom it harms, and who may defend against it."""

from collections.abc import Iterator

from ..errors import IllegalMove
from ..text import _
from . import model
from .board import at, clockwise, controllers, crew, eats_swimmers, herd, owner, swimmers
from .hexes import walks
from .names import NO_CREATURE, place_name


def ways(board: model.Board, creature: model.Creature, start: int) -> dict[int, tuple[int, ...]]:
    """Return the hexes to which the creature on `start` may go, each with the hexes entered."""
    map_ = board.map
    stops: set[int] = set()
    if creature is model.Creature.SHARK:
        stops = {place for place in board.where if 0 <= place < model.ABOARD}
    elif creature is model.Creature.WHALE:
        stops = {
            place - model.ABOARD for place in board.where if model.ABOARD <= place < model.SAVED
        }
    return walks(start, model.REACH[creature], lambda hex_: map_[hex_] == model.SEA, stops)


def legal_steers(board: model.Board) -> Iterator[model.Steer]:
    """Every move of a creature of the kind rolled, by where it begins and ends; not the pass."""
    if board.rolled is not None:
        for start in sorted(set(herd(board, board.rolled))):
            for to in ways(board, board.rolled, start):
                yield model.Steer(start, to)


def on_the_die(board: model.Board) -> model.Creature:
    """The kind of creature that may be moved; ValueError where the die was not rolled."""
    if board.rolled is None:
        raise ValueError("the die was not rolled")
    return board.rolled


def check_steer(board: model.Board, steer: model.Steer) -> tuple[int, ...]:
    """The way of a creature's move; IllegalMove with the reason where it may not go there."""
    creature = board.rolled
    if creature is None or steer.start is None or steer.to is None:
        raise IllegalMove(_("Say where the creature starts and where it goes."))
    if steer.start not in herd(board, creature):
        raise IllegalMove(
            _(
                "There is %(creature)s at %(hex)s.",
                creature=NO_CREATURE[creature],
                hex=place_name(steer.start),
            )
        )
    way = ways(board, creature, steer.start).get(steer.to)
    if way is not None:
        return way
    limits = {
        model.Creature.SERPENT: _("A sea serpent moves one sea hex."),
        model.Creature.SHARK: _(
            "A shark moves one or two sea hexes and stops at the first swimmers it meets."
        ),
        model.Creature.WHALE: _(
            "A whale moves one to three sea hexes and stops at the first occupied ship it meets."
        ),
    }
    raise IllegalMove(limits[creature])


def harm_on(board: model.Board, creature: model.Creature, hex_: int) -> model.Harmed | None:
    """The harm done by a creature that comes onto this hex; None where there is no prey.

    For a whale, the sharks and serpents of `board` count.
    """
    aboard, swimming = crew(board, hex_), swimmers(board, hex_)
    match creature:
        case model.Creature.SERPENT:
            lost = tuple(sorted(aboard + swimming))
            return model.Harmed(creature, hex_, ship=bool(aboard), lost=lost) if lost else None
        case model.Creature.SHARK:
            return model.Harmed(creature, hex_, lost=swimming) if swimming else None
        case model.Creature.WHALE:
            if not aboard:
                return None
            if eats_swimmers(board, hex_):
                return model.Harmed(creature, hex_, ship=True, lost=aboard)
            return model.Harmed(creature, hex_, ship=True, overboard=aboard)


def affected(
    board: model.Board, creature: model.Creature, hex_: int, active: int
) -> tuple[int, ...]:
    """The seats that a steered creature on this hex harms and that may defend, clockwise."""
    if creature is model.Creature.SHARK:
        hurt = {owner(board, explorer) for explorer in at(board, hex_)}
    elif creature is model.Creature.WHALE:
        hurt = set(controllers(board, hex_))
    else:
        return ()
    return tuple(seat for seat in clockwise(board, active) if seat in hurt)


def at_stake(board: model.Board, creature: model.Creature, hex_: int, seat: int) -> int:
    """Return the number of the seat's explorers that the creature threatens on this hex."""
    place = hex_ + model.ABOARD if creature is model.Creature.WHALE else hex_
    return sum(owner(board, explorer) == seat for explorer in at(board, place))
