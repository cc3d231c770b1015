"""Atlantis drawn as SVG: the board of a view, and icons."""

from .board import board_svg, draw
from .icons import icon_svg

__all__ = ["board_svg", "draw", "icon_svg"]
