"""The pictures of Escape from Atlantis!: the board, and icons of single things."""

from __future__ import annotations

from .board import board_svg
from .closeup import closeups
from .icons import icon_svg

__all__ = ["board_svg", "closeups", "icon_svg"]
