"""Single things as small pictures: tile backs, explorers, creatures, a ship, terrain."""

from __future__ import annotations

from ..model import COLOUR_LETTERS, TERRAINS, Back, Creature
from . import art, terrain

_PLAIN = "#f7efdc"


def icon_svg(name: str) -> str:
    """The picture of this name, `class="icon"`, for pages to size; ValueError for no such name.

    Names: `back-<tile back>` (words joined by "-"), `back` (face down), `explorer-<U, V, Y, N>`,
    `serpent`, `shark`, `whale`, `ship`, `beach`, `forest`, `mountain`.
    """
    kind, _dash, which = name.partition("-")
    if kind == "back" and not which:
        return _icon(
            "-20 -20 40 40",
            _tile(
                '<path d="M-9-2q4.6-5 9 0t9 0M-9 6q4.6-5 9 0t9 0" fill="none" stroke="#3a8dab" stroke-width="2.6"/>'
            ),
        )
    if kind == "back":
        back = Back(which.replace("-", " "))
        return _icon(
            "-20 -20 40 40", _tile(f'<g transform="scale(.86)">{art.BACK_DRAWINGS[back]}</g>')
        )
    if kind == "explorer" and which in COLOUR_LETTERS and which:
        return _icon("-9 -22 18 25", art.pawn(COLOUR_LETTERS.index(which)))
    if kind == "ship":
        return _icon("-19 -22 38 32", art.SAIL + art.HULL)
    if kind in tuple(Creature):
        return _icon("-20 -17 40 28", art.DRAWINGS[Creature(kind)])
    for letter in TERRAINS:
        if kind == terrain.NAMES[letter]:
            return _icon("-17 -26 34 46", terrain.tile(letter))
    raise ValueError(f"there is no picture {name!r}")


def _tile(content: str) -> str:
    shape = "M0-18L15.6-9V9L0 18-15.6 9V-9z"
    return f'<path d="{shape}" fill="{_PLAIN}" stroke="#54431f" stroke-width="1.2" stroke-linejoin="round" transform="scale(1.06)"/>{content}'


def _icon(box: str, content: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="icon" viewBox="{box}" aria-hidden="true" '
        f'focusable="false">{content}</svg>'
    )
