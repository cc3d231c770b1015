"""Escape from Atlantis! drawn as SVG: the board, and icons of single things."""

from __future__ import annotations

from .board import board_svg, draw
from .icons import icon_svg
from .viewport import closeups

__all__ = ["board_svg", "closeups", "draw", "icon_svg"]
