"""Questions about a board: who is where, who controls what, whose turn it is. Changes nothing.

All of it is public, so the same functions serve the rules, the views, the pictures and the bot.
"""

from collections.abc import Sequence
from functools import cache

from . import model
from .hexes import LAND, NEAR

INLAND = frozenset(hex_ for hex_ in LAND if all(near in LAND for near in NEAR[hex_]))


# -- explorers ---------------------------------------------------------------------------


def owner(board: model.Board, explorer: int) -> int:
    """The seat that plays the explorer's colour."""
    return explorer // model.EACH % board.seats


def own(board: model.Board, seat: int) -> tuple[int, ...]:
    """The explorers of a seat, placed or not."""
    return _own(seat, board.seats, board.colours)


@cache
def _own(seat: int, seats: int, colours: int) -> tuple[int, ...]:
    return tuple(
        explorer
        for colour in range(seat, colours, seats)
        for explorer in range(colour * model.EACH, colour * model.EACH + model.EACH)
    )


def out(place: int) -> bool:
    """Return whether somebody in this place is still on the board: neither lost, saved nor in
    hand."""
    return 0 <= place < model.SAVED


def anybody_out(board: model.Board) -> bool:
    return any(0 <= place < model.SAVED for place in board.where)


def is_out(board: model.Board, seat: int) -> bool:
    """Return whether the seat has an explorer on the board."""
    return any(out(board.where[explorer]) for explorer in own(board, seat))


def at(board: model.Board, place: int) -> tuple[int, ...]:
    """The explorers in exactly this place (a hex, hex + ABOARD, isle + SAVED, LOST)."""
    where = board.where
    if place not in where:
        return ()
    return tuple([explorer for explorer, there in enumerate(where) if there == place])


def swimmers(board: model.Board, hex_: int) -> tuple[int, ...]:
    return at(board, hex_) if board.map[hex_] == model.SEA else ()


def crew(board: model.Board, hex_: int) -> tuple[int, ...]:
    """The explorers in the ship on this hex."""
    return at(board, hex_ + model.ABOARD)


def swims(board: model.Board, explorer: int) -> bool:
    place = board.where[explorer]
    return 0 <= place < model.ABOARD and board.map[place] == model.SEA


def hands(board: model.Board) -> dict[int, list[int]]:
    """Return for each ship, by its hex, the seats that play those aboard, one entry for each."""
    hands: dict[int, list[int]] = {ship: [] for ship in board.ships}
    where = board.where
    for explorer in [who for who, at in enumerate(where) if model.ABOARD <= at < model.SAVED]:
        hands[where[explorer] - model.ABOARD].append(owner(board, explorer))
    return hands


def controls(seat: int, hands: Sequence[int]) -> bool:
    """Return whether the seat may move a ship with these seats' explorers aboard: no other has more
    of them. So anybody may move an empty ship."""
    mine = hands.count(seat)
    return all(hands.count(other) <= mine for other in hands)


def controllers(board: model.Board, hex_: int) -> tuple[int, ...]:
    """The seats that control the ship on this hex: the most aboard, ties included; () if empty."""
    hands = [owner(board, explorer) for explorer in crew(board, hex_)]
    return tuple(sorted({seat for seat in hands if controls(seat, hands)}))


def may_sail(board: model.Board, seat: int, hex_: int) -> bool:
    """Return whether the seat may move the ship on this hex: it is empty or under its control."""
    return controls(seat, [owner(board, explorer) for explorer in crew(board, hex_)])


# -- sea and creatures --------------------------------------------------------------------


def herd(board: model.Board, creature: model.Creature) -> tuple[int, ...]:
    """The hexes of the creatures of a kind, one entry for each."""
    match creature:
        case model.Creature.SERPENT:
            return board.serpents
        case model.Creature.SHARK:
            return board.sharks
        case model.Creature.WHALE:
            return board.whales


def eats_swimmers(board: model.Board, hex_: int) -> model.Creature | None:
    """The creature here that a swimmer does not survive."""
    if hex_ in board.sharks:
        return model.Creature.SHARK
    return model.Creature.SERPENT if hex_ in board.serpents else None


def wrecks_ships(board: model.Board, hex_: int) -> model.Creature | None:
    """The creature here that an occupied ship does not survive."""
    if hex_ in board.serpents:
        return model.Creature.SERPENT
    return model.Creature.WHALE if hex_ in board.whales else None


def is_vacant(board: model.Board, hex_: int) -> bool:
    """A sea hex without ship, swimmer or creature."""
    return (
        board.map[hex_] == model.SEA
        and hex_ not in board.ships
        and hex_ not in board.where
        and hex_ not in board.serpents
        and hex_ not in board.sharks
        and hex_ not in board.whales
    )


def lowest_terrain(board: model.Board) -> str | None:
    """The kind of terrain that must sink next; None when all is water."""
    for terrain in (model.BEACH, model.FOREST, model.MOUNTAIN):
        if terrain in board.map:
            return terrain
    return None


def sinkable(board: model.Board) -> tuple[int, ...]:
    """The tiles that may be sunk now (A turn, step 3)."""
    terrain = lowest_terrain(board)
    if terrain is None:
        return ()
    lowest = [hex_ for hex_ in LAND if board.map[hex_] == terrain]
    coast = [hex_ for hex_ in lowest if any(board.map[near] == model.SEA for near in NEAR[hex_])]
    return tuple(coast or lowest)


# -- turns --------------------------------------------------------------------------------


def colour_order(board: model.Board) -> tuple[int, ...]:
    """The colours in the order of the setup: all seats, then their second colours."""
    return tuple(
        seat + second
        for second in range(0, board.colours, board.seats or 1)
        for seat in board.order
    )


def to_place(board: model.Board) -> int | None:
    """The colour that places the next explorer; None when all stand."""
    left = board.where.count(model.IN_HAND)
    if not left:
        return None
    return colour_order(board)[(len(board.where) - left) % board.colours]


def to_launch(board: model.Board) -> int | None:
    """The colour that places the next ship; None while explorers are placed or all ships swim."""
    if not board.is_setup or model.IN_HAND in board.where:
        return None
    count = len(board.ships)
    return colour_order(board)[count % board.colours] if count < 2 * board.colours else None


def acting(board: model.Board) -> tuple[int, ...]:
    """The seats that are asked now."""
    match board.stage:
        case model.SetupStage():
            colour = to_place(board)
            if colour is None:
                colour = to_launch(board)
            return () if colour is None or not board.seats else (colour % board.seats,)
        case model.TurnStage(seat) | model.CrewStage(seat) | model.CreatureStage(seat):
            return (seat,)
        case model.DefenceStage(asked=asked):
            return asked
        case model.OverStage():
            return ()


def clockwise(board: model.Board, seat: int) -> tuple[int, ...]:
    """The seats after this one, in turn order."""
    place = board.order.index(seat)
    return board.order[place + 1 :] + board.order[:place]


def next_seat(board: model.Board, seat: int) -> int:
    return board.order[(board.order.index(seat) + 1) % board.seats]


def saved(board: model.Board, seat: int) -> tuple[int, ...]:
    """The explorers of a seat on the isles."""
    return tuple(explorer for explorer in own(board, seat) if board.where[explorer] >= model.SAVED)


def lost(board: model.Board, seat: int) -> tuple[int, ...]:
    return tuple(explorer for explorer in own(board, seat) if board.where[explorer] == model.LOST)
