"""Step 3 of a turn: a terrain tile sinks, and what its back brings at once."""

from ..errors import IllegalMove
from ..text import _
from . import model
from .board import crew, lowest_terrain, sinkable, swimmers
from .event_builder import SUBMERGED, VOLCANO, EventBuilder, end_game, end_if_nobody_is_left
from .hexes import LAND_INDEX, NEAR
from .names import TERRAIN_NAMES, place_name


def check_sink(board: model.Board, hex_: int) -> None:
    """IllegalMove with the reason where this tile may not sink now."""
    if hex_ in sinkable(board):
        return
    lowest = lowest_terrain(board)
    if lowest is None:
        raise IllegalMove(_("There are no tiles left to sink. Roll the die instead."))
    if hex_ not in LAND_INDEX or board.map[hex_] == model.SEA:
        raise IllegalMove(_("There is no tile at %(hex)s.", hex=place_name(hex_)))
    if board.map[hex_] != lowest:
        raise IllegalMove(
            _(
                "%(hex)s is %(terrain)s. You must sink %(lowest)s tiles first.",
                hex=place_name(hex_),
                terrain=TERRAIN_NAMES[board.map[hex_]],
                lowest=TERRAIN_NAMES[lowest],
            )
        )
    raise IllegalMove(
        _(
            "%(hex)s does not touch the sea. Choose a %(terrain)s tile that does.",
            hex=place_name(hex_),
            terrain=TERRAIN_NAMES[lowest],
        )
    )


def sink(builder: EventBuilder, seat: int, hex_: int) -> None:
    """Sink the tile and carry out its back; the game may end by it."""
    terrain = builder.board.map[hex_]
    back = builder.state.backs[LAND_INDEX[hex_]]
    assert back is not None, "a tile that has not sunk has a back"
    builder.add(model.Sank(seat, hex_, terrain, back, kept=back in model.KEPT))
    as_whirlpool = builder.board.options.ending is not model.Ending.VOLCANO
    match back:
        case model.Back.VOLCANO if not as_whirlpool:
            _erupt(builder, hex_)
            return
        case model.Back.WHIRLPOOL | model.Back.VOLCANO:
            _whirl(builder, hex_)
        case model.Back.SHARK | model.Back.WHALE:
            _surface(builder, back, hex_)
        case model.Back.SHIP:
            _raise_ship(builder, hex_)
        case _:
            pass  # kept face down
    if end_if_nobody_is_left(builder):
        return
    if (
        builder.board.options.ending is model.Ending.SUBMERGED
        and lowest_terrain(builder.board) is None
    ):
        end_game(builder, SUBMERGED)


def _erupt(builder: EventBuilder, hex_: int) -> None:
    drowned = tuple(
        explorer
        for explorer, place in enumerate(builder.board.where)
        if place != model.LOST and place < model.SAVED
    )
    builder.add(model.Erupted(hex_, drowned))
    end_game(builder, VOLCANO)


def _whirl(builder: EventBuilder, hex_: int) -> None:
    board = builder.board
    pool = tuple(near for near in (hex_, *NEAR[hex_]) if board.map[near] == model.SEA)
    explorers = [who for near in pool for who in (*swimmers(board, near), *crew(board, near))]
    builder.add(
        model.Whirled(
            hex_,
            explorers=tuple(sorted(explorers)),
            ships=tuple(ship for ship in board.ships if ship in pool),
            serpents=tuple(serpent for serpent in board.serpents if serpent in pool),
            sharks=tuple(shark for shark in board.sharks if shark in pool),
            whales=tuple(whale for whale in board.whales if whale in pool),
        )
    )


def _surface(builder: EventBuilder, back: model.Back, hex_: int) -> None:
    """A shark or whale comes up, if one is left; the shark takes the swimmers."""
    _ships, sharks, whales = builder.board.supply
    if not (sharks if back is model.Back.SHARK else whales):
        return
    builder.add(model.Appeared(back, hex_))
    swimming = swimmers(builder.board, hex_)
    if back is model.Back.SHARK and swimming:
        builder.add(model.Harmed(model.Creature.SHARK, hex_, lost=swimming))


def _raise_ship(builder: EventBuilder, hex_: int) -> None:
    if not builder.board.supply[0]:
        return
    swimming = swimmers(builder.board, hex_)
    if len(swimming) > model.ROOM:
        builder.add(model.Appeared(model.Back.SHIP, hex_, crowd=True))
    else:
        builder.add(model.Appeared(model.Back.SHIP, hex_, aboard=swimming))
