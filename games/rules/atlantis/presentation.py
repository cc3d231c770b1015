"""What players of Atlantis read, see and fill in; see `contract.Presentation`."""

from __future__ import annotations

from ..contract import WHOLE_BOARD, Viewport, ZoomLink
from .board_text import board_text
from .event_text import sentence
from .form import move_form, preview
from .hand import hand, holdings
from .model import View
from .settlement import settlement
from .svg import draw, icon_svg

__all__ = [
    "board_text",
    "draw",
    "ending",
    "hand",
    "holdings",
    "icon_svg",
    "move_form",
    "preview",
    "sentence",
    "settlement",
    "zoom_links",
]


def zoom_links(view: View, viewport: Viewport = WHOLE_BOARD) -> tuple[ZoomLink, ...]:
    """None: the whole board can be read in any window."""
    return ()


def ending(view: View) -> None:
    """None: there is one way to end."""
