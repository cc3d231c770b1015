"""Zooming in: 133 hexes are too small for a finger on a phone.

In the first of two steps people choose a part of the board, in the second what lies there.
"""

from functools import partial

from ...drawing import WHOLE_BOARD, Viewport, ZoomLink
from ...svg_kit import Point
from ...text import Text, _
from ...zooming import Window, Zooming, parts_of
from ..hexes import CENTRE, HEXES, INDEX, ISLES, NAMES
from ..model import ABOARD, COLOUR_LETTERS, EACH, SAVED, View
from ..names import hex_id
from .geometry import CENTRES, HEIGHT, ISLE_CENTRES, SHORE, WIDTH

# Width and height of the window at each zoom level. At the first one all tap targets are at least
# 34 of 400 units wide; at the last one any hex is shown with all its neighbours, and people side by
# side on it are far enough apart for a finger.
SIZES = ((144, 144), (100, 100))
PARTS_ACROSS = 4  # of a board, and as many down
SEA = Window(0, 0, WIDTH, SHORE)


def window(view: View, viewport: Viewport) -> Window:
    """The window around this element, inside the sea; the whole drawing without zoom."""
    return ZOOMING.window(viewport, partial(place_of, view))


def place_of(view: View, mark: str) -> Point | None:
    """Return the place of the element with this id; None if the board has none."""
    kind, _dash, rest = mark.partition("-")
    if mark in PARTS:
        return PARTS[mark][0].middle
    if kind == "isle" and rest in ISLES:
        return ISLE_CENTRES[ISLES.index(rest)]
    if kind == "explorer":
        return _place_of_explorer(view, rest)
    row_, _dash, col_ = rest.partition("-")
    if row_.isascii() and row_.isdecimal() and col_.isascii() and col_.isdecimal():
        hex_ = INDEX.get((int(row_[:3]), int(col_[:3])))
        return None if hex_ is None else CENTRES[hex_]
    return None


def _place_of_explorer(view: View, name: str) -> Point | None:
    letter, number = name[:1], name[1:3]
    if not letter or letter not in COLOUR_LETTERS or number not in map(str, range(1, EACH + 1)):
        return None
    who = COLOUR_LETTERS.index(letter) * EACH + int(number) - 1
    place = view.board.where[who] if who < len(view.board.where) else -1
    if place >= SAVED:
        return ISLE_CENTRES[place - SAVED]
    return CENTRES[place % ABOARD] if place >= 0 else None


def zoom_links(view: View, viewport: Viewport = WHOLE_BOARD) -> tuple[ZoomLink, ...]:
    """The viewports to offer from this one."""
    return ZOOMING.links(viewport, partial(place_of, view))


def _nearest(point: Point) -> int:
    """The hex whose centre is nearest."""
    x, y = point
    hexes = range(len(HEXES))
    return min(hexes, key=lambda hex_: (CENTRES[hex_][0] - x) ** 2 + (CENTRES[hex_][1] - y) ** 2)


def _label(middle: Point) -> Text:
    return _("Zoom in on %(hex)s", hex=NAMES[_nearest(middle)])


PARTS = parts_of(SEA, PARTS_ACROSS, PARTS_ACROSS, _label)
ZOOMING = Zooming(
    whole=Window(0, 0, WIDTH, HEIGHT),
    limits=SEA,
    sizes=SIZES,
    middle=CENTRES[CENTRE],
    parts=PARTS,
    nearest=lambda point: hex_id(_nearest(point)),
)
