"""Marks on top of the board: recent events (ways of pieces, tiles that sank, harm), and a preview
of orders.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from ...drawing import Box, Element, Point, group, pair, path, use
from ..creatures import check_steer
from ..model import (
    COLOUR_LETTERS,
    Command,
    Defended,
    Event,
    Harmed,
    Launch,
    Place,
    Played,
    Sank,
    Steer,
    Steered,
    Stepped,
    Turn,
    Verb,
    View,
    Whirled,
)
from ..placing import placing_colour
from .geometry import CENTRES, ISLE_CENTRES
from .pieces import art

FADED = ".75"


def traces(recent: Sequence[Event]) -> Iterator[Element]:
    """Marks of these events, oldest first."""
    for event in recent:
        match event:
            case Stepped(step=step, start=start):
                end = ISLE_CENTRES[step.to] if step.verb is Verb.ASHORE else CENTRES[step.to]
                yield from _way([CENTRES[start], end], "#fff3b0")
            case Steered(start=start, way=way) if start is not None:
                yield from way_of((start, *way))
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


def way_of(hexes: Sequence[int]) -> Iterator[Element]:
    """The way of a creature."""
    yield from _way([CENTRES[hex_] for hex_ in hexes], "#ffb3a7")


def _corner(hex_: int, drawing: str) -> Element:
    x, y = CENTRES[hex_]
    return Element((art(drawing),), x + 9, y - 10, "scale(.8)")


def _way(points: list[Point], colour: str) -> Iterator[Element]:
    """A dotted way with an arrowhead, drawn from its first point.

    Cut at every point, so that ways have parts in common.
    """
    steps = [(start, end) for start, end in pairwise(points) if start != end]
    if not steps or points[0] == points[-1]:
        return
    parts = [(start, _step(end[0] - start[0], end[1] - start[1], colour)) for start, end in steps]
    for layer in range(2):
        for (x, y), (*fragments, box) in parts:
            yield Element((fragments[layer],), x, y, box=box)
    (x0, y0), (x1, y1) = steps[-1]
    yield Element((_arrowhead(x1 - x0, y1 - y0, colour),), x1, y1)


@cache
def _step(dx: float, dy: float, colour: str) -> tuple[str, str, Box]:
    """The edge and the dots of a straight part of a way, and their box."""
    line = f"M0 0L{pair(dx, dy)}"
    length = math.hypot(dx, dy)
    dashes = f".1 {length / max(1, round(length / 4.5)) - 0.1:.2f}"  # divide it evenly
    edge = path(
        line,
        class_="way-edge",
        stroke="#0c3348",
        stroke_width=4.4,
        opacity=".35",
        stroke_linecap="round",
    )
    return edge, path(line, stroke_dasharray=dashes, **_pen(colour)), _around([(0, 0), (dx, dy)])


@cache
def _arrowhead(dx: float, dy: float, colour: str) -> str:
    """The head of an arrow in this direction, a little before the origin."""
    length = max(1.0, math.hypot(dx, dy))
    dx, dy = dx / length, dy / length
    x, y = -6 * dx, -6 * dy
    head = (
        f"M{pair(x - 6 * dx + 4 * dy, y - 6 * dy - 4 * dx)}L{pair(x, y)} "
        f"{pair(x - 6 * dx - 4 * dy, y - 6 * dy + 4 * dx)}"
    )
    return path(head, stroke_linejoin="round", **_pen(colour))


def _pen(colour: str) -> dict[str, str]:
    return {"class_": "way", "stroke": colour, "stroke_width": "2.2", "stroke_linecap": "round"}


def _around(points: list[Point]) -> Box:
    (left, right), (top, bottom) = ((min(side), max(side)) for side in zip(*points, strict=True))
    return left - 8, top - 8, right - left + 16, bottom - top + 16


def preview_marks(view: View, command: Command) -> Iterator[Element]:
    """The tile that would sink, the way of a creature, a piece that would be placed. The steps of a
    turn are marked while they are chosen."""
    board = view.board
    match command:
        case Turn(sink=sink) if sink is not None:
            yield Element((art("sank"),), *CENTRES[sink], css="ghost")
        case Steer(start=start) if start is not None and board.rolled is not None:
            way = tuple(check_steer(board, command))
            x, y = CENTRES[way[-1]]
            yield from way_of((start, *way))
            yield Element((group(use(board.rolled), opacity=FADED),), x, y, css="ghost")
        case Place(hex=hex_):
            piece = use(f"s{COLOUR_LETTERS[placing_colour(board)]}")
            x, y = CENTRES[hex_]
            yield Element((group(piece, opacity=FADED),), x, y + 6, css="ghost")
        case Launch(hex=hex_):
            piece = use("sail") + use("hull")
            yield Element((group(piece, opacity=FADED),), *CENTRES[hex_], css="ghost")
        case _:
            return
