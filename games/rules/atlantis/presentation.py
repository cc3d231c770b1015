"""What players of Atlantis read, see and fill in; see `games.rules.presentation`."""

from ..drawing import Box
from .board_text import board_text as board_text
from .event_text import sentence as sentence
from .event_text import sentences as sentences
from .form import forms as forms
from .form import move_form as move_form
from .form import preview as preview
from .guide import guide as guide
from .guide import introduction as introduction
from .guide import legal as legal
from .hand import hand as hand
from .hand import holdings as holdings
from .hints import hints as hints
from .model import View
from .position_text import position_text as position_text
from .settlement import ending as ending
from .settlement import settlement as settlement
from .svg import draw as draw
from .svg import icon_svg as icon_svg
from .svg import zoom_links as zoom_links


def details(view: View) -> tuple[Box, ...]:
    """None: the whole board can be read on a phone."""
    return ()


def crowded() -> bool:
    """No: a finger can choose everything on the whole board."""
    return False
