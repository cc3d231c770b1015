"""What the island lies in: the open sea with its grid, the shallows, the four isles, the rim."""

from __future__ import annotations

from ..hexes import CENTRE, HEXES, INDEX, ISLES, LAND, NAMES, ROW_LETTERS, SPANS
from ..model import SEA
from .geometry import CENTRES, HEIGHT, HEX, WIDTH, isle_place, isle_point, num, outlines, pair
from .terrain import LIFT

DEEP = "#2a7699"
# (class, colour, width) of the shallows round what is left of the island, from the outside.
_SHALLOWS = (("shelf", "#3a8dab", 30), ("shallow", "#56a9bf", 17), ("lagoon", "#7cc4cf", 7))
_WAVES = ((3, 2), (9, 1), (17, 3), (26, 0), (32, 2), (53, 1), (62, 3), (72, 1), (85, 2), (95, 0), (104, 1), (112, 3), (121, 0), (128, 2))  # fmt: skip

# An isle in the north-west corner; mirrored into the others.
ISLE = "M0 0H76C86 8 84 23 69 29 57 33 47 35 42 44 38 56 34 69 22 72 12 74 4 72 0 68z"
_MEADOW = "M0 0H64C70 8 64 18 51 21 39 24 32 30 28 41 25 51 18 57 8 56 4 55 2 53 0 51z"


def sea(map_: str, prefix: str) -> str:
    """The water: its deep, the shallows round the land, the drowned tiles, the grid."""
    land = outlines(hex_ for hex_ in LAND if map_[hex_] != SEA)
    drowned = [hex_ for hex_ in LAND if map_[hex_] == SEA]
    shallows = "".join(
        f'<path class="{name}" d="{land}" fill="none" stroke="{colour}" stroke-width="{width}" '
        'stroke-linejoin="round"/>'
        for name, colour, width in _SHALLOWS
        if land
    )
    isles = "".join(
        f'<g class="{name}" fill="none" stroke="{colour}" stroke-width="{num(width * 0.6)}" stroke-linejoin="round">'
        + "".join(
            f'<path d="{ISLE}" transform="{isle_place(isle)}"/>' for isle in range(len(ISLES))
        )
        + "</g>"
        for name, colour, width in _SHALLOWS
    )
    sunken = "".join(
        f'<use href="#{prefix}sunk" x="{num(CENTRES[hex_][0])}" y="{num(CENTRES[hex_][1])}"/>'
        for hex_ in drowned
    )
    waves = "".join(
        f"M{pair(CENTRES[hex_][0] - 6 + 3 * turn, CENTRES[hex_][1] + 5 - turn)}q2-2.8 4 0t4 0"
        for hex_, turn in _WAVES
    )
    water = outlines(hex_ for hex_ in range(len(HEXES)) if hex_ not in LAND)
    return (
        f'<path class="sea" d="M0 0h{WIDTH}v{HEIGHT}H0z" fill="{DEEP}"/>'
        f'<path class="chart" d="{water}" fill="#317f9f" opacity=".55"/>'
        + shallows
        + isles
        + sunken
        + f'<path class="grid" d="{water}{outlines(drowned)}" fill="none" stroke="#a9dbe2" stroke-width=".7" opacity=".55"/>'
        f'<path class="wave" d="{waves}" fill="none" stroke="#a9dbe2" stroke-width="1.1" opacity=".8"/>'
    )


def definitions(prefix: str) -> str:
    """A drowned tile, for the board to refer to."""
    return (
        f'<g id="{prefix}sunk"><path class="b-sunken" d="M0-14.6L12.6-7.2V7.2L0 14.6-12.6 7.2V-7.2z" fill="#5fa9bd" '
        'opacity=".8"/><path class="b-ripple" d="M-8-3q3.4-3.2 6.8 0t6.8 0M-3.6 4.4q3-3 6 0t6 0" fill="none" '
        'stroke="#cdebee" stroke-width="1.1" opacity=".75"/></g>'
    )


def isle(number: int) -> str:
    """A haven in a corner of the board: beach, meadow, a hut between trees, and its name."""
    hut = isle_point(number, 16, 17 if number < 2 else 5)
    name = isle_point(number, 15, 66 if number < 2 else 61)
    return (
        f'<g transform="{isle_place(number)}"><path class="sand" d="{ISLE}" fill="#ead9ae" stroke="#3d3222" '
        f'stroke-width=".9"/><path class="grass" d="{_MEADOW}" fill="#a9bb7a" stroke="#6f7f45" stroke-width=".7"/></g>'
        f'<g transform="translate({pair(*hut)})">'
        '<path class="marble" d="M-7 0v-7.4H7V0z" fill="#fbf6e9" stroke="#6b5f47" stroke-width=".8"/>'
        '<path class="roof" d="M-8.6-7L-5.4-12.6H5.4L8.6-7z" fill="#c9795a" stroke="#6b3a28" stroke-width=".8"/>'
        '<path class="door" d="M-1.6 0v-4.6h3.2V0z" fill="#5a6f86"/>'
        '<path class="cypress" d="M11 2c-4 0-3.2-7 0-13 3.2 6 4 13 0 13zM-9.6 3c-3.4 0-2.8-6 0-11 2.8 5 3.4 11 0 11z" '
        'fill="#3f6b3f" stroke="#24401f" stroke-width=".7"/></g>'
        f'<text class="isle-name" x="{num(name[0])}" y="{num(name[1])}" font-size="7" fill="#5b4a26">{ISLES[number]}</text>'
    )


def rim() -> str:
    """Letters of the rows on both sides, numbers of the columns above and below."""
    letters = [_letter(row, x) for row in range(2, 11) for x in (6.4, WIDTH - 6.4)]
    shores = [_letter(row, x) for row in (1, 11) for x in (31, WIDTH - 31)]
    ends = [
        _letter(row, CENTRES[INDEX[row, col]][0] + side * HEX * 0.68)
        for row in (0, 12)
        for col, side in zip(SPANS[row], (-1, 1), strict=True)
    ]
    numbers = [
        f'<text x="{num(CENTRES[INDEX[row, col]][0])}" y="{y}">{col + 1}</text>'
        for row, y in ((0, "11.6"), (12, "385.4"))
        for col in range(SPANS[row][0], SPANS[row][1] + 1)
    ]
    return (
        '<g font-size="8.6"><g class="numbers" fill="#f2fbfb" opacity=".9">'
        f'{"".join([*letters, *ends, *numbers])}</g><g class="isle-name" fill="#5b4a26">{"".join(shores)}</g></g>'
    )


def _letter(row: int, x: float) -> str:
    y = CENTRES[INDEX[row, SPANS[row][0]]][1]
    return f'<text x="{num(x)}" y="{num(y + 3)}">{ROW_LETTERS[row]}</text>'


def names(map_: str) -> str:
    """The name of every hex in its upper corner: faint on the sea, in ink on land."""
    at_sea: list[str] = []
    on_land: list[str] = []
    for hex_, (x, y) in enumerate(CENTRES):
        kind = map_[hex_]
        up = 10.6 if kind == SEA else 9.8 + LIFT[kind]
        (at_sea if kind == SEA else on_land).append(
            f'<text x="{num(x)}" y="{num(y - up)}">{NAMES[hex_]}</text>'
        )
    return (
        f'<g font-size="5.4"><g class="names" fill="#d8f1f3" opacity=".66">{"".join(at_sea)}</g>'
        '<g class="land-names" fill="#2c2418" stroke="#fffaf0" stroke-opacity=".7" stroke-width="1.4" '
        f'paint-order="stroke" stroke-linejoin="round">{"".join(on_land)}</g></g>'
    )


assert NAMES[CENTRE] == "G6"
