"""Zooming into a board that is too full for a narrow window: its parts, and the links between them.

A viewport shows the same drawing in a smaller window, around an element of the board. This needs no
JavaScript.
"""

from collections.abc import Callable, Mapping

import msgspec

from .drawing import WHOLE_BOARD, Box, Element, Linker, Point, Viewport, ZoomLink, num
from .text import Text, _

PlaceOf = Callable[[str], Point | None]  # element id → where it is drawn; None if there is none


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
        """Return whether something drawn around this point is not cut off."""
        (x, y), rim = point, 10
        return (
            self.left + rim <= x <= self.left + self.width - rim
            and self.top + rim <= y <= self.top + self.height - rim
        )


Parts = Mapping[str, tuple[Window, Text]]  # element id → area, label


def parts_of(area: Window, across: int, down: int, label: Callable[[Point], Text]) -> Parts:
    """This area in equal parts. label: of the part with this middle."""
    width, height = area.width / across, area.height / down
    fields = [
        Window(area.left + column * width, area.top + row * height, width, height)
        for row in range(down)
        for column in range(across)
    ]
    return {
        f"part-{number}": (field, label(field.middle))
        for number, field in enumerate(fields, start=1)
    }


def part_element(parts: Parts, name: str, linker: Linker, css: str = "part") -> Element:
    """A field over a part of the whole board that zooms in.

    It takes the clicks of everything below, so only the style sheet of a narrow page shows it.
    """
    field, label = parts[name]
    area = (
        f'<rect x="{num(field.left)}" y="{num(field.top)}" width="{num(field.width)}" '
        f'height="{num(field.height)}" fill="#fff" fill-opacity="0"/>'
    )
    return Element(
        ("", area),  # no picture, see Drawing.scenery
        id=name,
        css=css,
        href=linker.links[name],
        label=linker.translate(label),
        attributes=' display="none"',
    )


class Zooming(msgspec.Struct, frozen=True):
    """The zoom of a board, in two or more steps.

    whole: the window without zoom. limits: what other windows stay inside. sizes: width and height
    of the window at each further zoom level. middle: what is shown around an unknown element.
    parts: of the whole board, which lead to the first level. nearest: the id of the element whose
    middle is nearest to a point, among those that a step to another window can lead to.
    """

    whole: Window
    limits: Window
    sizes: tuple[tuple[float, float], ...]
    middle: Point
    parts: Parts
    nearest: Callable[[Point], str]

    def _level(self, viewport: Viewport) -> int:
        return max(0, min(viewport.zoom, len(self.sizes)))

    def window(self, viewport: Viewport, place_of: PlaceOf) -> Window:
        """The window around the element of this viewport; the whole drawing without zoom."""
        level = self._level(viewport)
        if not level:
            return self.whole
        width, height = self.sizes[level - 1]
        x, y = place_of(viewport.center) or self.middle
        left, top, wide, tall = self.limits.box
        return Window(
            min(max(left, x - width / 2), left + wide - width),
            min(max(top, y - height / 2), top + tall - height),
            width,
            height,
        )

    def links(self, viewport: Viewport, place_of: PlaceOf) -> tuple[ZoomLink, ...]:
        """The viewports to offer from this one: parts of the board, zoom in and out, the four
        directions."""
        level = self._level(viewport)
        if not level:
            return (
                *(
                    ZoomLink(Viewport(part, 1), label, part)
                    for part, (_field, label) in self.parts.items()
                ),
                ZoomLink(Viewport("", 1), _("Zoom in"), sign="+"),
            )
        here = self.window(viewport, place_of)
        known = viewport.center if place_of(viewport.center) else ""
        links = [ZoomLink(WHOLE_BOARD, _("Whole board"), sign="⤢")]
        if level > 1:
            links.append(ZoomLink(Viewport(known, level - 1), _("Zoom out"), sign="−"))
        if level < len(self.sizes):
            links.append(ZoomLink(Viewport(known, level + 1), _("Zoom in"), sign="+"))
        x, y = here.middle
        far, high = here.width * 0.55, here.height * 0.55
        for dx, dy, sign, label in (
            (-far, 0, "←", _("Move west")),
            (0, -high, "↑", _("Move north")),
            (0, high, "↓", _("Move south")),
            (far, 0, "→", _("Move east")),
        ):
            there = Viewport(self.nearest((x + dx, y + dy)), level)
            if self.window(there, place_of) != here:
                links.append(ZoomLink(there, label, sign=sign))
        return tuple(links)
