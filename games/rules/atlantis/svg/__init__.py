"""Atlantis drawn as SVG: the board of a view, and icons."""

from .board import draw
from .icons import icon_svg

__all__ = ["draw", "icon_svg"]
