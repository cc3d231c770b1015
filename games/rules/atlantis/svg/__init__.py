"""Atlantis in pictures: the board of a view and small icons, as SVG text.

A pure function of what it is given; knows no rules, no page and no reader.
"""

from .board import board_svg
from .icons import icon_svg

__all__ = ["board_svg", "icon_svg"]
