"""The presentation of Escape from Atlantis!; see `games.rules.presentation`."""

from ..text import Text, _
from .board_text import board_text as board_text
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
from .hand import hand as hand
from .losses import losses as losses
from .players import players as players
from .position_text import position_text as position_text
from .settlement import ending as ending
from .settlement import settlement as settlement
from .svg import details as details
from .svg import draw as draw
from .svg import icon_svg as icon_svg
from .svg import zoom_links as zoom_links


def crowded() -> bool:
    """Yes: 133 hexes, with several pieces on some of them."""
    return True


def hints() -> dict[str, Text]:
    """By the question that each is about."""
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
