"""The hand of the viewer, for pages and emails."""

from ..presentation import HandItem
from ..text import Text, _
from .board import acting
from .model import MOVES, Back, Stage, View
from .names import BACKS

_MOVE = _("Move serpent, shark or whale: move one creature of that kind to any empty sea hex.")
_USES: dict[Back, Text] = {
    Back.DOLPHIN: _("Dolphin: carries one of your swimmers up to three sea hexes."),
    Back.WIND: _("Wind: moves an empty ship, or a ship you control, up to three sea hexes."),
    **dict.fromkeys(MOVES, _MOVE),
}


def hand(view: View) -> tuple[HandItem, ...]:
    """The viewer's kept tiles in the order of the box; () for a spectator."""
    board, seat = view.board, view.viewer
    tiles = () if seat is None else view.kept[seat] or ()
    plays = board.stage is Stage.TURN and seat in acting(board) and not board.tiled
    return tuple(
        HandItem(icon_of(back), BACKS[back], tiles.count(back), _USES.get(back) if plays else None)
        for back in Back
        if back in tiles
    )


def icon_of(back: Back) -> str:
    """The name of a tile back's picture."""
    return f"back-{back.replace(' ', '-')}"
