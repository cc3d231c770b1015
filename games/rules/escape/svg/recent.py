"""What has just happened, drawn over the board: ways that were gone, tiles that sank, harm done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..model import (
    Defended,
    Event,
    Harmed,
    Played,
    Sank,
    Steered,
    Stepped,
    Verb,
    Whirled,
)
from .geometry import CENTRES, INNER, ISLE_CENTRES, Point, num, pair

_HARM = (
    '<path class="harm" d="M-5.4-5.4L5.4 5.4M5.4-5.4L-5.4 5.4" fill="none" stroke="#fff" stroke-width="5" '
    'stroke-linecap="round" opacity=".85"/><path d="M-5.4-5.4L5.4 5.4M5.4-5.4L-5.4 5.4" fill="none" '
    'stroke="#c2182b" stroke-width="2.6" stroke-linecap="round"/>'
)


def traces(recent: Sequence[Event]) -> str:
    """Marks of these events, oldest first."""
    return "".join(mark for event in recent for mark in _marks(event))


def _marks(event: Event) -> Iterator[str]:
    match event:
        case Stepped(step=step, start=start):
            end = ISLE_CENTRES[step.to] if step.verb is Verb.ASHORE else CENTRES[step.to]
            yield _way([CENTRES[start], end], "#fff3b0")
        case Steered(start=start, way=way) if start is not None:
            yield _way([CENTRES[start], *(CENTRES[hex_] for hex_ in way)], "#ffb3a7")
        case Played(way=way):
            yield _way([CENTRES[hex_] for hex_ in way], "#d5c2ff")
        case Sank(hex=hex_):
            yield (
                f'<path class="sank" d="{INNER}" transform="translate({pair(*CENTRES[hex_])})" fill="none" '
                'stroke="#fffdf0" stroke-width="1.8" stroke-dasharray="2.4 2.4"/>'
            )
        case Harmed(hex=hex_) | Whirled(hex=hex_):
            yield _corner(hex_, _HARM)
        case Defended(hex=hex_):
            yield _corner(
                hex_,
                '<path class="saved" d="M-7-7C-4-7-2-7.6 0-8.6 2-7.6 4-7 7-7 7.4.6 4.8 5.6 0 8.4-4.8 5.6-7.4.6-7-7z" '
                'fill="#f7ebb0" stroke="#6d5608" stroke-width="1.2"/>',
            )
        case _:
            return


def _corner(hex_: int, drawing: str) -> str:
    x, y = CENTRES[hex_]
    return f'<g transform="translate({pair(x + 9, y - 10)})scale(.8)">{drawing}</g>'


def _way(points: list[Point], colour: str) -> str:
    """A dotted way with a head."""
    if len(points) < 2 or points[0] == points[-1]:
        return ""
    line = "L".join(pair(x, y) for x, y in points)
    (x0, y0), (x1, y1) = points[-2], points[-1]
    length = max(1.0, ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5)
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    tip = (x1 - 6 * dx, y1 - 6 * dy)
    head = (
        f"M{pair(tip[0] - 6 * dx + 4 * dy, tip[1] - 6 * dy - 4 * dx)}L{pair(*tip)} "
        f"{pair(tip[0] - 6 * dx - 4 * dy, tip[1] - 6 * dy + 4 * dx)}"
    )
    return (
        f'<path class="way-edge" d="M{line}" fill="none" stroke="#0c3348" stroke-width="4.4" stroke-linecap="round" opacity=".35"/>'
        f'<path class="way" d="M{line}" fill="none" stroke="{colour}" stroke-width="2.2" stroke-linecap="round" '
        f'stroke-dasharray=".1 4.4"/><path class="way" d="{head}" fill="none" stroke="{colour}" '
        'stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/>'
    )


assert num(0.5) == ".5"
