"""The presentation of Atlantis; see `games.rules.presentation`."""

from ..drawing import Box
from ..presentation import HandItem
from ..text import Text, _
from .box import ITEMS
from .event_text import counted as counted
from .event_text import learnt as learnt
from .event_text import losses as losses
from .event_text import sentence as sentence
from .event_text import sentences as sentences
from .form import forms as forms
from .form import move_form as move_form
from .form import preview as preview
from .guide import guide as guide
from .guide import introduction as introduction
from .guide import legal as legal
from .model import View
from .names import ITEM_NAMES
from .plans import unfit_orders as unfit_orders
from .position_text import board_text as board_text
from .position_text import players as players
from .position_text import position_text as position_text
from .settlement import ending as ending
from .settlement import settlement as settlement
from .svg import draw as draw
from .svg import icon_svg as icon_svg


def details(view: View) -> tuple[Box, ...]:
    """Return (): the whole board can be read on a phone."""
    return ()


def crowded() -> bool:
    """Return False: a finger can choose everything on the whole board."""
    return False


def hints() -> dict[str, Text]:
    """Return hints by the question that each is about."""
    return {
        "figure": _(
            "Choose an outlined figure, then an outlined space. Nothing is sent before you confirm."
        ),
        "landing": _(
            "A card moves a figure to the next tile with its picture. If a figure stands there, play "
            "another card and move on."
        ),
        "cards": _("You take the first free tile behind your figure, not the tile it stands on."),
        "bridge": _("You have one bridge for the whole game. A bridged gap is free for everyone."),
        "pay": _(
            "The coin on the water shows what crossing it costs. You pay with tiles or cards."
        ),
    }


def hand(view: View) -> tuple[HandItem, ...]:
    """The viewer's cards by item, in the order of the items; () for a spectator."""
    cards = () if view.viewer is None else view.players[view.viewer].hand or ()
    return tuple(
        HandItem(item.value, ITEM_NAMES[item], cards.count(item)) for item in ITEMS if item in cards
    )
