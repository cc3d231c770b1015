"""Escape from Atlantis! drawn as SVG: the board, and icons of single things."""

from .board import draw
from .pieces import icon_svg
from .zoom import details, zoom_links

__all__ = ["details", "draw", "icon_svg", "zoom_links"]
