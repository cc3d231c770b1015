"""The surroundings of the island: the sea with its grid, the shallows, the four isles, the rim."""

from collections.abc import Collection
from functools import cache

from ...drawing import Box, Element, group, pair, path, text, use
from ..hexes import HEXES, ISLES, LAND, NAMES, NEAR
from ..model import SEA
from .geometry import CENTRES, HEIGHT, SHORE, WIDTH, isle_place, isle_point, outlines
from .pieces import LIFT, art

_SHALLOWS = (("shelf", "#3a8dab", 30), ("shallow", "#56a9bf", 17), ("lagoon", "#7cc4cf", 7))
_WAVES = ((3, 2), (9, 1), (17, 3), (26, 0), (32, 2), (53, 1), (62, 3), (72, 1), (85, 2), (95, 0), (104, 1), (112, 3), (121, 0), (128, 2))  # fmt: skip
_NAME: Box = (-12, -9, 24, 14)  # what the name of a hex stays inside
_NAMES_AT_SEA = 'font-size="5.4" class="names" fill="#d8f1f3" opacity=".66"'
_NAMES_ON_LAND = (
    'font-size="5.4" class="land-names" fill="#2c2418" stroke="#fffaf0" stroke-opacity=".7" '
    'stroke-width="1.4" paint-order="stroke" stroke-linejoin="round"'
)
_NAMES_ON_PIECES = (
    'font-size="5.4" class="names" fill="#eefafa" stroke="#1d4f6b" stroke-width="1.6" '
    'paint-order="stroke" stroke-linejoin="round"'
)
_NAME_AT_SEA = 10.6  # above the centre of the hex


def _shallow(css: str, colour: str, width: float) -> str:
    return f'class="{css}" fill="none" stroke="{colour}" stroke-width="{width:g}" stroke-linejoin="round"'


@cache
def sea() -> tuple[Element, ...]:
    """The deep water, and the shallows around the isles."""
    open_sea = outlines(hex_ for hex_ in range(len(HEXES)) if hex_ not in LAND)
    water = path(f"M0 0h{WIDTH}v{HEIGHT}H0z", "#2a7699", class_="sea")
    chart = path(open_sea, "#317f9f", class_="chart", opacity=".55")
    coasts = "".join(group(art("isle-coast"), isle_place(isle)) for isle in range(len(ISLES)))
    return Element((water, chart)), *(
        Element((coasts,), group=_shallow(css, colour, width * 0.6))
        for css, colour, width in _SHALLOWS
    )


@cache
def isle(number: int) -> str:
    """A haven in a corner of the board: beach, meadow, a hut between trees."""
    hut = isle_point(number, 16, 17 if number < 2 else 5)
    return group(art("isle"), isle_place(number)) + group(art("hut"), f"translate({pair(*hut)})")


@cache
def lettering() -> tuple[Element, ...]:
    """The names of the isles; letters of the rows on both sides, numbers of the columns above and
    below."""
    names = "".join(
        text(
            isle,
            *isle_point(number, 15, 66 if number < 2 else 61),
            class_="isle-name",
            font_size=7,
            fill="#5b4a26",
        )
        for number, isle in enumerate(ISLES)
    )
    return (Element((names,)), Element((art("rim"),)))


def water(map_: str) -> tuple[Element, ...]:
    """The shallows around what is left of the island, the sunken tiles, the grid."""
    coast = [
        hex_ for hex_ in LAND if map_[hex_] != SEA and any(map_[near] == SEA for near in NEAR[hex_])
    ]
    return (
        *(_shore(hex_, layer) for layer in range(3) for hex_ in coast),
        *(_sunken(hex_) for hex_ in LAND if map_[hex_] == SEA),
        _grid(),
    )


@cache
def _shore(hex_: int, layer: int) -> Element:
    wide = (-34, -34, 68, 68)
    return Element((use("hex"),), *CENTRES[hex_], box=wide, group=_shallow(*_SHALLOWS[layer]))


@cache
def _sunken(hex_: int) -> Element:
    return Element((use("sunk"),), *CENTRES[hex_])


@cache
def _grid() -> Element:
    """The outlines of all hexes, and some waves. Tiles cover the outlines where there is land."""
    waves = "".join(
        f"M{pair(CENTRES[hex_][0] - 6 + 3 * turn, CENTRES[hex_][1] + 5 - turn)}q2-2.8 4 0t4 0"
        for hex_, turn in _WAVES
    )
    line = {"stroke": "#a9dbe2"}
    grid = path(outlines(range(len(HEXES))), class_="grid", stroke_width=0.7, opacity=".55", **line)
    wave = path(waves, class_="wave", stroke_width=1.1, opacity=".8", **line)
    return Element((grid + wave,), box=(0, 0, WIDTH, SHORE))


def names(map_: str, covered: Collection[int]) -> tuple[Element, ...]:
    """The names of hexes in their upper corners: faint at sea, in ink on land. covered: the hexes
    with pieces, whose names stand beside these and on top of them.
    """
    plain = [hex_ for hex_ in range(len(HEXES)) if hex_ not in covered]
    plain.sort(key=lambda hex_: map_[hex_] == SEA)  # neighbours share their attributes
    return tuple(
        [_name(hex_, map_[hex_]) for hex_ in plain]
        + [_name(hex_, map_[hex_], covered=True) for hex_ in sorted(covered)]
    )


@cache
def _name(hex_: int, kind: str, covered: bool = False) -> Element:
    x, y = CENTRES[hex_]
    name = (text(NAMES[hex_], 0, 0),)
    if kind != SEA:  # an explorer wears its value on the right
        return Element(name, x - 6 * covered, y - 9.8 - LIFT[kind], box=_NAME, group=_NAMES_ON_LAND)
    if covered:  # and those in a ship a little lower
        return Element(name, x, y - 16, box=_NAME, group=_NAMES_ON_PIECES)
    return Element(name, x, y - _NAME_AT_SEA, box=_NAME, group=_NAMES_AT_SEA)
