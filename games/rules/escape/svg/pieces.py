"""The pieces of Escape: explorers, ships, creatures, tiles and their backs. No positions.

Colours are presentation attributes, so that a picture needs no style sheet; the style sheet of a
page finds the classes beside them and dims the board at night. Colours of explorers differ by the
shape of the head first: ball, roof, block, diamond. Every kind of tile has three cuts, so that the
island does not look like wallpaper; mountains are thicker than forests, forests than beaches.
"""

from functools import cache, lru_cache

from ...drawing import Box, art_of, group, icon, num, text
from ..model import BEACH, COLOUR_LETTERS, FOREST, MOUNTAIN, TERRAINS, Back, Creature
from .geometry import OUTLINE

art = art_of(__package__)

LIFT = {BEACH: 1.6, FOREST: 3.4, MOUNTAIN: 5.6}  # height of a tile
TERRAIN_NAMES = {BEACH: "beach", FOREST: "forest", MOUNTAIN: "mountain"}
CUTS = 3

# Tile backs that are composed of several drawings: (drawing, transform).
_BACKS: dict[Back, tuple[tuple[str, str], ...]] = {
    Back.SHIP: (("sail", "translate(0 4)"), ("hull", "translate(0 4)")),
    Back.MOVE_SERPENT: (("serpent", "translate(0 -2)scale(.85)"), ("arrow", "")),
    Back.MOVE_SHARK: (("shark", "translate(0 -1)scale(.85)"), ("arrow", "")),
    Back.MOVE_WHALE: (("whale", "translate(0 -1)scale(.85)"), ("arrow", "")),
    Back.SHARK_DEFENCE: (("shield", ""), ("shark", "translate(0 -1)scale(.6)")),
    Back.WHALE_DEFENCE: (("shield", ""), ("whale", "translate(0 -1)scale(.6)")),
}


@cache
def definitions() -> tuple[tuple[str, str], ...]:
    """The definitions that boards refer to.

    hex is the outline of a hex, sunk a sunken tile, s<colour> an explorer that stands, w<colour>
    one that swims, <terrain><cut> a tile.
    """
    return (
        ("hex", f'<path d="{OUTLINE}"/>'),
        ("sunk", art("sunken")),
        *((f"s{letter}", art(f"explorer-{letter}")) for letter in COLOUR_LETTERS),
        *((f"w{letter}", art(f"swimmer-{letter}")) for letter in COLOUR_LETTERS),
        *((name, art(name)) for name in ("hull", "sail", *Creature)),
        *((f"{kind}{cut}", tile(kind, cut)) for kind in TERRAINS for cut in range(CUTS)),
    )


@cache
def spare(colours: int) -> frozenset[str]:
    """The definitions that previews of moves never refer to: swimmers, tiles, colours nobody
    has."""
    names = {name for name, _svg in definitions()}
    return frozenset(
        names - {"hull", "sail", *Creature, *(f"s{c}" for c in COLOUR_LETTERS[:colours])}
    )


def tile(kind: str, cut: int = 0) -> str:
    """A terrain tile; its surface is LIFT above its place."""
    return art(f"{TERRAIN_NAMES[kind]}-{cut + 1}")


def back(back: Back) -> str:
    """The back of a tile, in a box of 36 units."""
    parts = _BACKS.get(back, ((back.value, ""),))
    return "".join(group(art(name), transform) for name, transform in parts)


# What the tags of a piece stay inside: a board has dozens, and pictures of them are as large as
# this.
TAGS: Box = (-12, -24, 24, 38)


def name_tag(name: str, y: float, size: float) -> str:
    """The name of a piece, light with a dark rim, legible on everything."""
    return text(
        name,
        0,
        y,
        class_="who",
        font_size=size,
        fill="#fffdf5",
        stroke="#1c2a33",
        stroke_width=1.8,
        paint_order="stroke",
        stroke_linejoin="round",
    )


def number_tag(number: int, x: float, y: float) -> str:
    """A number on a small disc of paper."""
    disc = (
        f'<circle class="b-badge" cx="{num(x)}" cy="{num(y)}" r="4.3" fill="#fffaf0" '
        'stroke="#2c2418" stroke-width=".7"/>'
    )
    return disc + text(number, x, y + 2.5, class_="value", font_size=7, fill="#2c2418")


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
