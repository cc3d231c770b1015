"""Land: the three kinds of tiles, told apart by their drawing, their height and their colour.

As in the box a mountain is thicker than a forest, and a forest than a beach. Every kind has three
cuts, so that the island is no wallpaper. The front of a tile stays free for who stands there.
"""

from __future__ import annotations

from ..model import BEACH, FOREST, MOUNTAIN, TERRAINS
from .geometry import OUTLINE, num

LIFT = {BEACH: 1.6, FOREST: 3.4, MOUNTAIN: 5.6}
NAMES = {BEACH: "beach", FOREST: "forest", MOUNTAIN: "mountain"}
_TOPS = {BEACH: "#ead9ae", FOREST: "#8fab62", MOUNTAIN: "#b3a78c"}
_EDGES = {BEACH: "#b79d63", FOREST: "#5c7338", MOUNTAIN: "#74684f"}
_INKS = {BEACH: "#7d683a", FOREST: "#384a20", MOUNTAIN: "#453b2a"}
CUTS = 3

_PALM = (
    '<path d="M{x} {y}q-1.6-5 .4-9.6" fill="none" stroke="#7a5a3a" stroke-width="1.6" stroke-linecap="round"/>'
    '<path class="b-palm" d="M{x} {top}q-5-3-7.6 1.4 4-1.4 7.6-.6-3.6 1.4-4.6 5 3.6-3.4 5-4.4 2.4 1.4 3.8 4.4.2-4-2.6-5.6'
    ' 3.4-.8 6 .8-1.6-4.2-7.6-1z" fill="#5f8a3c" stroke="#36521f" stroke-width=".5"/>'
)


def _palm(x: float, y: float) -> str:
    return _PALM.format(x=num(x), y=num(y), top=num(y - 10))


def _dots(*places: tuple[float, float]) -> str:
    data = "".join(f"M{num(x)} {num(y)}h.1" for x, y in places)
    return f'<path class="b-speck" d="{data}" stroke="#bfa566" stroke-width="1.3" stroke-linecap="round"/>'


def _dune(data: str) -> str:
    return f'<path class="b-speck" d="{data}" fill="none" stroke="#cdb67e" stroke-width="1"/>'


def _round_trees(*places: tuple[float, float, float]) -> str:
    """Broad trees: foot and size of each."""
    trunks = "".join(f"M{num(x)} {num(y)}v{num(-3 * s)}" for x, y, s in places)
    crowns = "".join(
        f"M{num(x)} {num(y - 2 * s)}c{num(-5 * s)} 0{num(-5.4 * s)}{num(-4.8 * s)}{num(-2.8 * s)}{num(-6 * s)} "
        f"{num(-0.8 * s)}{num(-4.4 * s)} {num(6.4 * s)}{num(-4.4 * s)} {num(5.6 * s)} 0 "
        f"{num(2.6 * s)} {num(1.2 * s)} {num(2.2 * s)} {num(6 * s)}{num(-2.8 * s)} {num(6 * s)}z"
        for x, y, s in places
    )
    return (
        f'<path d="{trunks}" stroke="#5b3d1f" stroke-width="1.3"/>'
        f'<path class="b-tree" d="{crowns}" fill="#4f7f3c" stroke="#26431c" stroke-width=".6"/>'
    )


def _firs(*places: tuple[float, float]) -> str:
    """Slim trees by their feet."""
    data = "".join(f"M{num(x)} {num(y)}c-4.4 0-3.4-7 0-13 3.4 6 4.4 13 0 13z" for x, y in places)
    return f'<path class="b-fir" d="{data}" fill="#2f5d35" stroke="#173019" stroke-width=".6"/>'


def _peaks(*peaks: tuple[float, float, float]) -> str:
    """Peaks: foot in the middle, and height."""
    rock = "".join(
        f"M{num(x - h * 0.68)} {num(y)}L{num(x)} {num(y - h)} {num(x + h * 0.68)} {num(y)}z"
        for x, y, h in peaks
    )
    dark = "".join(
        f"M{num(x)} {num(y - h)}L{num(x + h * 0.68)} {num(y)}H{num(x + h * 0.16)}L{num(x - h * 0.06)} {num(y - h * 0.4)}z"
        for x, y, h in peaks
    )
    snow = "".join(
        f"M{num(x - h * 0.25)} {num(y - h * 0.63)}L{num(x)} {num(y - h)} {num(x + h * 0.25)} {num(y - h * 0.63)} "
        f"{num(x + h * 0.1)} {num(y - h * 0.7)} {num(x)} {num(y - h * 0.54)} {num(x - h * 0.12)} {num(y - h * 0.68)}z"
        for x, y, h in peaks
    )
    return (
        f'<path class="b-rock" d="{rock}" fill="#8d8374" stroke="#3b3326" stroke-width=".7" stroke-linejoin="round"/>'
        f'<path class="b-rock-shade" d="{dark}" fill="#6a6152"/>'
        f'<path class="b-snow" d="{snow}" fill="#fbfbf7" stroke="#8d8374" stroke-width=".4"/>'
    )


_DRAWINGS: dict[str, tuple[str, ...]] = {
    BEACH: (
        _dots((-9, 3), (-4, -9), (5, -11), (9, 6), (-6, 11), (3, 13)) + _palm(-7.4, -1.4),
        _dots((-8, -7), (-10, 5), (7, 8), (-2, 13), (2, -12))
        + _palm(8.6, -1)
        + '<path class="b-star" d="M-7 9.4l1 2.2 2.4.2-1.8 1.6.6 2.3-2.2-1.2-2 1.2.5-2.3-1.8-1.6 2.4-.2z" fill="#e08a5a" '
        'stroke="#99502a" stroke-width=".4" transform="translate(-1.4-3)"/>',
        _dune("M-12-5q5-3 10 0M3-9q4-2.4 8 0M-9 8q5-3 10 0M4 11q3-2 6 0")
        + _dots((-5, -11), (10, 1))
        + '<path class="b-shell" d="M6 6.4c-.4-3.4 5.6-3.4 5.2 0q-2.6 1.6-5.2 0z" fill="#f4d9c6" stroke="#a6714c" '
        'stroke-width=".5"/>',
    ),
    FOREST: (
        _round_trees((-8.4, -2, 1), (6.2, -5, 1.05), (-1.2, -6.4, 1.05))
        + _firs((11, 3), (-12, 5)),
        _firs((-10, 1), (-4.6, -3.6), (10.6, -1))
        + _round_trees((3, -5, 1.1), (-11, 8, 0.7)),
        _round_trees((-4, -6, 1), (9.4, 0.6, 0.95))
        + _firs((3.2, -3.4), (-10.4, 1.6), (-12.4, 7)),
    ),
    MOUNTAIN: (
        _peaks((6, -1.4, 11), (-4, 0.6, 14.6)),
        _peaks((-7, -1, 11), (4, 1, 15)),
        _peaks((-8.4, -2, 8), (8.8, -2, 8.4), (0, 1, 15)),
    ),
}  # fmt: skip


def definitions(prefix: str) -> str:
    """Every tile, `<kind><cut>`, the surface lifted by its height; a drowned tile as well."""
    parts = []
    for kind in TERRAINS:
        lift = num(-LIFT[kind])
        for cut, drawing in enumerate(_DRAWINGS[kind]):
            parts.append(
                f'<g id="{prefix}{kind}{cut}"><path class="b-{NAMES[kind]}-edge" d="{OUTLINE}" fill="{_EDGES[kind]}" '
                f'stroke="{_INKS[kind]}" stroke-width=".8"/><g transform="translate(0{lift})">'
                f'<path class="b-{NAMES[kind]}" d="{OUTLINE}" fill="{_TOPS[kind]}" stroke="{_INKS[kind]}" '
                f'stroke-width=".6"/>{drawing}</g></g>'
            )
    return "".join(parts)


def tile(kind: str, cut: int = 0) -> str:
    """One tile by itself, for icons."""
    return (
        f'<path class="b-{NAMES[kind]}-edge" d="{OUTLINE}" fill="{_EDGES[kind]}" stroke="{_INKS[kind]}" '
        f'stroke-width=".8"/><g transform="translate(0{num(-LIFT[kind])})"><path class="b-{NAMES[kind]}" '
        f'd="{OUTLINE}" fill="{_TOPS[kind]}" stroke="{_INKS[kind]}" stroke-width=".6"/>{_DRAWINGS[kind][cut]}</g>'
    )
