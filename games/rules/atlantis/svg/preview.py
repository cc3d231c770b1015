"""What a move would do, drawn on top of the board: its way, the tile it takes, the gap it
leaves."""

from collections.abc import Iterator

from ...drawing import Element
from ...svg_kit import group, use
from ..model import Gap, Moved, Played
from ..move_context import MoveContext
from ..path import changed, gap_at
from . import geometry, pieces
from .board import footsteps, frame
from .geometry import PLACES, trail, trail_box

LIFT = (5.0, -9.0)  # of the tile that would be taken


def preview_marks(context: MoveContext, event: Played) -> Iterator[Element]:
    """The marks of a move; nothing for other commands."""
    if not isinstance(event, Moved):
        return
    yield from footsteps(event.seat, event.start, event.via[-1])
    if event.taken is not None and event.taken_from is not None:
        x, y = PLACES[event.taken_from]
        yield frame(event.seat, event.taken_from)
        stone = f"<g {pieces.VALUES}>{''.join(pieces.tile_parts(event.taken, 1))}</g>"
        dx, dy = LIFT
        yield Element((group(stone, "scale(1.08)"),), x + dx, y + dy, css="lifted")
    left = context.gaps_left(event)
    for gap in changed(left, context.gaps):
        if not gap.bridged:
            x, y = geometry.middle(gap.first, gap.last)
            yield Element((pieces.coin(gap.price),), x, y, css="opened")
    for site in (event.bridge_before, event.bridge_after):
        bridged = None if site is None else gap_at((*context.gaps, *left), site)
        if bridged is not None:
            yield _bridge(bridged)
    x, y = geometry.figure_place(event.seat, event.figure, len(context.view.players), event.via[-1])
    figure = use(f"p{event.seat}") + pieces.figure_letter(event.seat, event.figure)
    yield Element((group(figure, opacity=".8"),), x, y, css="ghost")


def _bridge(gap: Gap) -> Element:
    first, last = gap.first - 1, gap.last + 1
    return Element(
        (group(pieces.bridge(trail(first, last)), opacity=".85"),),
        box=trail_box(first, last),
        css="ghost",
    )
