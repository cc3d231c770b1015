"""What players of Escape from Atlantis! read, see and fill in; see `contract.Presentation`."""

from __future__ import annotations

from .board_text import board_text
from .event_text import sentence
from .form import move_form, preview
from .hand import hand
from .settlement import settlement
from .summaries import ending, holdings
from .svg import draw, icon_svg, zoom_links

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
