"""Icons of single things: tile backs, explorers, creatures, a ship, terrain."""

from functools import lru_cache

from ...svg_kit import group, icon
from ..model import COLOUR_LETTERS, Back, Creature
from .pieces import TERRAIN_NAMES, art, back, tile


@lru_cache(maxsize=64)
def icon_svg(name: str) -> str:
    """The icon of this name. ValueError where there is none.

    Names: `back-<tile back>` (words joined by "-"), `back` (face down), `explorer-<U, V, Y, N>`,
    `serpent`, `shark`, `whale`, `ship`, `beach`, `forest`, `mountain`.
    """
    kind, _dash, which = name.partition("-")
    if kind == "back":
        content = group(back(Back(which.replace("-", " "))), "scale(.86)") if which else art("back")
        return icon("icon", (-20, -20, 40, 40), art("tile-back") + content)
    if kind == "explorer" and which in tuple(COLOUR_LETTERS):
        return icon("icon", (-9, -22, 18, 25), art(name))
    if name == "ship":
        return icon("icon", (-19, -22, 38, 32), art("sail") + art("hull"))
    if name in tuple(Creature):
        return icon("icon", (-20, -17, 40, 28), art(name))
    for letter, terrain in TERRAIN_NAMES.items():
        if name == terrain:
            return icon("icon", (-17, -26, 34, 46), tile(letter))
    raise ValueError(f"there is no picture {name!r}")
