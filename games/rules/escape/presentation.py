"""The presentation of Escape from Atlantis!; see `games.rules.presentation`."""

from collections.abc import Collection

from ..presentation import HandItem
from ..text import Text, _
from .board import acting
from .event_text import counted as counted
from .event_text import learnt as learnt
from .event_text import sentence as sentence
from .event_text import sentences as sentences
from .form import forms as forms
from .form import move_form as move_form
from .form import preview as preview
from .guide import guide as guide
from .guide import introduction as introduction
from .guide import legal as legal
from .losses import losses as losses
from .model import DEFENCES, KEPT, MOVES, Back, DefenceStage, TurnStage, View
from .names import BACKS, back_icon
from .position_text import board_text as board_text
from .position_text import players as players
from .position_text import position_text as position_text
from .settlement import ending as ending
from .settlement import settlement as settlement
from .svg import details as details
from .svg import draw as draw
from .svg import icon_svg as icon_svg

_MOVE = _("Move serpent, shark or whale: move one creature of that kind to any empty sea hex.")
_USES: dict[Back, Text] = {
    Back.DOLPHIN: _("Dolphin: carries one of your swimmers up to three sea hexes."),
    Back.WIND: _("Wind: moves an empty ship, or a ship you control, up to three sea hexes."),
    **dict.fromkeys(MOVES, _MOVE),
    Back.SHARK_DEFENCE: _(
        "Shark defence: saves your swimmers when another player moves a shark to them. You’ll be "
        "asked then."
    ),
    Back.WHALE_DEFENCE: _(
        "Whale defence: saves a ship you control when another player moves a whale to it. You’ll "
        "be asked then."
    ),
}


def crowded() -> bool:
    """Return True: there are 133 hexes, with several pieces on some of them."""
    return True


def unfit_orders(view: View) -> tuple[()]:
    """None: a standing order settles every attack that it is about."""
    return ()


def hints() -> dict[str, Text]:
    """Return hints by the question that each is about."""
    return {
        "who": _(
            "On your turn you take up to three steps, with one piece or several, and then sink a tile. "
            "On the board, tap a piece and then its destination, or drag it there."
        ),
        "value": _(
            "Your explorers are worth different amounts. Only you can see the values of yours."
        ),
        "step": _(
            "A swimmer moves one hex per turn, and nobody returns to the island from the water."
        ),
        "answer": _("An explorer is saved only on one of the four isles in the corners."),
        "creature": _(
            "Sharks eat swimmers, whales sink ships with people aboard, and serpents do both."
        ),
    }


def hand(view: View) -> tuple[HandItem, ...]:
    """The viewer's kept tiles in the order of the box; () for a spectator."""
    board, seat = view.board, view.viewer
    tiles = () if seat is None else view.kept[seat] or ()
    explained: Collection[Back] = ()
    if seat in acting(board) and isinstance(board.stage, TurnStage | DefenceStage):
        plays = isinstance(board.stage, TurnStage) and not board.tiled
        explained = KEPT if plays else DEFENCES.values()
    return tuple(
        HandItem(
            back_icon(back),
            BACKS[back],
            tiles.count(back),
            _USES[back] if back in explained else None,
        )
        for back in Back
        if back in tiles
    )
