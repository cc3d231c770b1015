"""Escape from Atlantis! drawn as SVG: the board, and icons of single things."""

from .board import draw
from .details import details
from .pieces import icon_svg

__all__ = ["details", "draw", "icon_svg"]
