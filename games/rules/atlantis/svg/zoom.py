"""Zooming in without JavaScript: on a phone, the whole board shows numbers of spaces too small to
read.

A part of the board lies below everything that can be chosen, so that a tap on a figure or a
landing still chooses it.
"""

from collections.abc import Iterable

from ...drawing import WHOLE_BOARD, Point, Viewport, ZoomLink
from ...text import Text, _
from ...zooming import Window, Zooming, parts_of
from ..model import FIGURES, MAINLAND, SPACES, View
from . import geometry
from .geometry import HEIGHT, PLACES, WIDTH

BOARD = Window(0, 0, WIDTH, HEIGHT)
# At the first zoom level the smallest letters, 8 units high, have at least 11 pixels in a window
# of 320 pixels.
SIZES = tuple((WIDTH / closer, HEIGHT / closer) for closer in (2, 3.2))
# Of the ends, whose drawings are larger than a window: their middles, and their shores.
ENDS: dict[str, tuple[Point, ...]] = {
    "atlantis": ((64, 58), PLACES[0], (30, 90)),
    "mainland": ((305, 482), PLACES[MAINLAND], (40, 490), (170, 485)),
}


def window(view: View, viewport: Viewport) -> Window:
    """The window around this element; the whole drawing without zoom."""
    return ZOOMING.window(viewport, _Places(view).middle)


def shown(view: View, viewport: Viewport, names: Iterable[str]) -> frozenset[str]:
    """Return the elements that can be chosen in this window."""
    points, here = _Places(view).points, window(view, viewport)
    return frozenset(name for name in names if any(map(here.shows, points.get(name, ()))))


def zoom_links(view: View, viewport: Viewport = WHOLE_BOARD) -> tuple[ZoomLink, ...]:
    """The viewports to offer from this one."""
    return ZOOMING.links(viewport, _Places(view).middle)


class _Places:
    """points: element id → its middle, and other points at which it can be chosen."""

    def __init__(self, view: View) -> None:
        self.points = dict(ENDS)
        for space in range(1, SPACES + 1):
            self.points[f"space-{space}"] = (PLACES[space],)
        for gap in view.gaps:
            middle = geometry.middle(gap.first, gap.last)
            self.points[f"gap-{gap.first}"] = (middle, *PLACES[gap.first : gap.last + 1])
        seats = len(view.players)
        for player in view.players:
            for number, space in enumerate(player.figures):
                place = geometry.figure_place(player.seat, number, seats, space)
                self.points[f"figure-{player.seat}-{FIGURES[number]}"] = (place,)

    def middle(self, mark: str) -> Point | None:
        """Return the middle of the element with this id; None if the board has none."""
        if mark in PARTS:
            return PARTS[mark][0].middle
        return self.points[mark][0] if mark in self.points else None


def _nearest(point: Point) -> int:
    """The space whose middle is nearest."""
    x, y = point
    spaces = range(1, SPACES + 1)
    return min(spaces, key=lambda space: (PLACES[space][0] - x) ** 2 + (PLACES[space][1] - y) ** 2)


def _label(middle: Point) -> Text:
    return _("Zoom in on space %(number)s", number=_nearest(middle))


PARTS = parts_of(BOARD, 3, 4, _label)
ZOOMING = Zooming(
    whole=BOARD,
    limits=BOARD,
    sizes=SIZES,
    middle=BOARD.middle,
    parts=PARTS,
    nearest=lambda point: f"space-{_nearest(point)}",
)
