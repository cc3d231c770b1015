"""What has just happened, on top of the board: ways of pieces, tiles that sank, harm done."""

from collections.abc import Iterator, Sequence

from ...drawing import Box, Element
from ...svg_kit import Point, pair, path
from ..model import Defended, Event, Harmed, Played, Sank, Steered, Stepped, Verb, Whirled
from .geometry import CENTRES, ISLE_CENTRES
from .pieces import art


def traces(recent: Sequence[Event]) -> Iterator[Element]:
    """Marks of these events, oldest first."""
    for event in recent:
        match event:
            case Stepped(step=step, start=start):
                end = ISLE_CENTRES[step.to] if step.verb is Verb.ASHORE else CENTRES[step.to]
                yield from _way([CENTRES[start], end], "#fff3b0")
            case Steered(start=start, way=way) if start is not None:
                yield from _way([CENTRES[hex_] for hex_ in (start, *way)], "#ffb3a7")
            case Played(way=way):
                yield from _way([CENTRES[hex_] for hex_ in way], "#d5c2ff")
            case Sank(hex=hex_):
                yield Element((art("sank"),), *CENTRES[hex_])
            case Harmed(hex=hex_) | Whirled(hex=hex_):
                yield _corner(hex_, "harm")
            case Defended(hex=hex_):
                yield _corner(hex_, "saved")
            case _:
                pass


def _corner(hex_: int, drawing: str) -> Element:
    x, y = CENTRES[hex_]
    return Element((art(drawing),), x + 9, y - 10, "scale(.8)")


def _way(points: list[Point], colour: str) -> Iterator[Element]:
    """A dotted way with an arrowhead, drawn from its first point."""
    if len(points) < 2 or points[0] == points[-1]:
        return
    (left, top), places = points[0], points
    places = [(x - left, y - top) for x, y in points]
    line = f"M{'L'.join(pair(x, y) for x, y in places)}"
    (x0, y0), (x1, y1) = places[-2], places[-1]
    length = max(1.0, ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5)
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    tip = (x1 - 6 * dx, y1 - 6 * dy)
    head = (
        f"M{pair(tip[0] - 6 * dx + 4 * dy, tip[1] - 6 * dy - 4 * dx)}L{pair(*tip)} "
        f"{pair(tip[0] - 6 * dx - 4 * dy, tip[1] - 6 * dy + 4 * dx)}"
    )
    end = {"stroke_linecap": "round"}
    edge = path(line, class_="way-edge", stroke="#0c3348", stroke_width=4.4, opacity=".35", **end)
    pen = {"class_": "way", "stroke": colour, "stroke_width": "2.2", **end}
    steps = path(line, stroke_dasharray=".1 4.4", **pen)
    arrow = path(head, stroke_linejoin="round", **pen)
    yield Element((edge + steps + arrow,), left, top, box=_around(places))


def _around(points: list[Point]) -> Box:
    (left, right), (top, bottom) = ((min(side), max(side)) for side in zip(*points, strict=True))
    return left - 8, top - 8, right - left + 16, bottom - top + 16
