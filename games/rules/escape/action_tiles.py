"""Step 1 of a turn: kept tiles played at its start. Where they may lead, why not, what happens.

Works on the public board and a list of tiles; whose tiles, its callers know.
"""

from collections.abc import Collection, Iterator

from ..errors import IllegalMove
from ..text import Text, _
from .board import crew, eats_swimmers, herd, is_vacant, may_sail, own, owner, swims
from .evolve import played
from .hexes import NAMES, walks
from .model import MOVES, PLAYABLE, SEA, Back, Board, Harmed, Play, Played
from .names import BACKS, NO_CREATURE, explorer_name, place_name
from .steps import wreck

FAR = 3  # hexes that a dolphin or the wind carries


def legal_plays(board: Board, seat: int, tiles: Collection[Back]) -> Iterator[Play]:
    """Every way to play one of these tiles at the start of the seat's turn."""
    if board.tiled:
        return
    for tile in Back:
        if tile in tiles and tile in PLAYABLE:
            for start in starts(board, seat, tile):
                for to in ends(board, tile, start):
                    yield Play(tile, start, to)


def starts(board: Board, seat: int, tile: Back) -> tuple[int, ...]:
    """Return what the tile may move: own swimmers, or the hexes of ships or creatures."""
    if tile is Back.DOLPHIN:
        return tuple(explorer for explorer in own(board, seat) if swims(board, explorer))
    if tile is Back.WIND:
        return tuple(ship for ship in board.ships if may_sail(board, seat, ship))
    return tuple(sorted(set(herd(board, MOVES[tile]))))


def ends(board: Board, tile: Back, start: int) -> dict[int, tuple[int, ...]]:
    """Return the hexes to which the tile may move it, each with the hexes entered."""
    map_ = board.map
    if tile is Back.DOLPHIN:
        stops = {*board.sharks, *board.serpents}
        return walks(board.where[start], FAR, lambda hex_: map_[hex_] == SEA, stops)
    if tile is Back.WIND:
        stops = {*board.serpents, *board.whales} if crew(board, start) else set()
        ships = board.ships
        return walks(start, FAR, lambda hex_: map_[hex_] == SEA and hex_ not in ships, stops)
    return {hex_: (hex_,) for hex_ in range(len(NAMES)) if is_vacant(board, hex_)}


def check_play(board: Board, seat: int, play: Play, tiles: Collection[Back]) -> None:
    """IllegalMove with the reason where the seat may not play this now."""
    if play.tile not in tiles:
        raise IllegalMove(_("You do not have the tile “%(tile)s”.", tile=BACKS[play.tile]))
    if play.tile not in PLAYABLE:
        raise IllegalMove(_("You can play a defence tile only during another player’s turn."))
    if board.tiled:
        raise IllegalMove(_("You can play one kept tile per turn, at the start of the turn."))
    problem = _start_problem(board, seat, play)
    if problem is None and play.to not in ends(board, play.tile, play.start):
        problem = _end_problem(play)
    if problem is not None:
        raise IllegalMove(problem)


def play_events(board: Board, seat: int, play: Play) -> tuple[Played | Harmed, ...]:
    """The effects of a legal play."""
    way = ends(board, play.tile, play.start)[play.to]
    done = Played(seat, play.tile, play.start, way)
    harm: Harmed | None = None
    if play.tile is Back.DOLPHIN:
        eater = eats_swimmers(board, play.to)
        if eater is not None:
            harm = Harmed(eater, play.to, lost=(play.start,))
    elif play.tile is Back.WIND:
        aboard = crew(board, play.start)
        if aboard:
            harm = wreck(board, play.to, aboard)
    return (done,) if harm is None else (done, harm)


def after_play(board: Board, seat: int, play: Play) -> Board:
    """The board after a legal play and the harm it brings."""
    for event in play_events(board, seat, play):
        board = played(board, event)
    return board


def _start_problem(board: Board, seat: int, play: Play) -> Text | None:
    if play.start in starts(board, seat, play.tile):
        return None
    if play.tile is Back.DOLPHIN:
        if not 0 <= play.start < len(board.where):
            return _("There is no such explorer.")
        name = explorer_name(play.start)
        if owner(board, play.start) != seat:
            return _("%(explorer)s is not yours.", explorer=name)
        return _("%(explorer)s is not swimming. The dolphin carries only swimmers.", explorer=name)
    hex_ = place_name(play.start)
    if play.tile is Back.WIND:
        if play.start not in board.ships:
            return _("There is no ship at %(hex)s.", hex=hex_)
        return _(
            "Another player has more explorers on the ship at %(hex)s and controls it.", hex=hex_
        )
    return _("There is %(creature)s at %(hex)s.", creature=NO_CREATURE[MOVES[play.tile]], hex=hex_)


def _end_problem(play: Play) -> Text:
    to = place_name(play.to)
    if play.tile in MOVES:
        return _("%(hex)s is not free. Choose a sea hex with no ship, swimmer or creature.", hex=to)
    if play.tile is Back.DOLPHIN:
        return _(
            "The dolphin cannot carry %(explorer)s to %(hex)s: it moves at most three sea hexes, "
            "and danger ends its move.",
            explorer=explorer_name(play.start),
            hex=to,
        )
    return _(
        "The wind cannot blow the ship to %(hex)s: it moves at most three sea hexes without a "
        "ship, and danger ends the move.",
        hex=to,
    )
