"""Zooming in: 133 hexes are too small for a finger on a phone.

A viewport shows the same drawing in a smaller window, around an element of the board. In the first
of two steps people choose a part of the board, in the second what lies there.
"""

from collections.abc import Iterator

import msgspec

from ...drawing import Box
from ...svg_kit import Point
from ...text import Text, _
from ...viewport import WHOLE_BOARD, Viewport, ZoomLink
from ..element_ids import hex_id
from ..hexes import CENTRE, HEXES, INDEX, ISLES, NAMES
from ..model import ABOARD, COLOUR_LETTERS, EACH, SAVED, View
from .geometry import CENTRES, HEIGHT, ISLE_CENTRES, SHORE, WIDTH

# Width of the window at each zoom level. At the first one all tap targets are at least 34 of 400
# units wide; at the last one any hex is shown with all its neighbours, and people side by side on
# it are far enough apart for a finger.
WIDTHS = (WIDTH, 144, 100)
PARTS_ACROSS = 4  # of a board, and as many down


class Window(msgspec.Struct, frozen=True):
    """The visible part of a drawing."""

    left: float
    top: float
    width: float
    height: float

    @property
    def box(self) -> Box:
        return self.left, self.top, self.width, self.height

    @property
    def middle(self) -> Point:
        return self.left + self.width / 2, self.top + self.height / 2

    def shows(self, point: Point) -> bool:
        """Whether something drawn around this point is not cut off."""
        (x, y), rim = point, 10
        return (
            self.left + rim <= x <= self.left + self.width - rim
            and self.top + rim <= y <= self.top + self.height - rim
        )


def window(view: View, viewport: Viewport) -> Window:
    """The window around this element, inside the sea; the whole drawing without zoom."""
    zoom = max(0, min(viewport.zoom, len(WIDTHS) - 1))
    if not zoom:
        return Window(0, 0, WIDTH, HEIGHT)
    width = WIDTHS[zoom]
    x, y = place_of(view, viewport.center) or CENTRES[CENTRE]
    return Window(
        min(max(0, x - width / 2), WIDTH - width),
        min(max(0, y - width / 2), SHORE - width),
        width,
        width,
    )


def place_of(view: View, mark: str) -> Point | None:
    """Where the element with this id is drawn; None if the board has none."""
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
    """The viewports to offer from this one: parts of the board, zoom in and out, the four directions."""
    zoom = max(0, min(viewport.zoom, len(WIDTHS) - 1))
    if not zoom:
        return (
            *(ZoomLink(Viewport(part, 1), label, part) for part, (_field, label) in PARTS.items()),
            ZoomLink(Viewport("", 1), _("Zoom in"), sign="+"),
        )
    here = window(view, viewport)
    known = viewport.center if place_of(view, viewport.center) else ""
    links = [ZoomLink(WHOLE_BOARD, _("Whole board"), sign="⤢")]
    if zoom > 1:
        links.append(ZoomLink(Viewport(known, zoom - 1), _("Zoom out"), sign="−"))
    if zoom < len(WIDTHS) - 1:
        links.append(ZoomLink(Viewport(known, zoom + 1), _("Zoom in"), sign="+"))
    x, y = here.middle
    far = here.width * 0.55
    for dx, dy, sign, label in (
        (-far, 0, "←", _("Move west")),
        (0, -far, "↑", _("Move north")),
        (0, far, "↓", _("Move south")),
        (far, 0, "→", _("Move east")),
    ):
        there = Viewport(hex_id(_nearest((x + dx, y + dy))), zoom)
        if window(view, there) != here:
            links.append(ZoomLink(there, label, sign=sign))
    return tuple(links)


def _nearest(point: Point) -> int:
    """The hex whose centre is nearest."""
    x, y = point
    hexes = range(len(HEXES))
    return min(hexes, key=lambda hex_: (CENTRES[hex_][0] - x) ** 2 + (CENTRES[hex_][1] - y) ** 2)


def _parts() -> Iterator[tuple[str, tuple[Window, Text]]]:
    width, height = WIDTH / PARTS_ACROSS, SHORE / PARTS_ACROSS
    for number in range(PARTS_ACROSS**2):
        row, column = divmod(number, PARTS_ACROSS)
        field = Window(column * width, row * height, width, height)
        label = _("Zoom in on %(hex)s", hex=NAMES[_nearest(field.middle)])
        yield f"part-{number + 1}", (field, label)


# Parts of the whole board: element id → (area, label).
PARTS = dict(_parts())
