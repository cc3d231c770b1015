"""What a move would do, drawn on top of the board: its way, the tile it takes, the gap it
leaves."""

from collections.abc import Iterator

from ...drawing import Element
from ...svg_kit import group, use
from ..model import Command, Gap, Move, Preview, View
from ..path import gap_at
from . import geometry, pieces
from .board import footsteps, frame
from .geometry import PLACES, trail, trail_box

LIFT = (5.0, -9.0)  # of the tile that would be taken


def preview_marks(view: View, command: Command, plan: Preview) -> Iterator[Element]:
    """The marks of a move; nothing for other commands."""
    if not isinstance(command, Move) or view.viewer is None:
        return
    assert plan.start is not None and plan.lands is not None
    yield from footsteps(view.viewer, plan.start, plan.lands)
    if plan.taken is not None and plan.taken_from is not None:
        x, y = PLACES[plan.taken_from]
        yield frame(view.viewer, plan.taken_from)
        stone = f"<g {pieces.VALUES}>{''.join(pieces.tile_parts(plan.taken, 1))}</g>"
        dx, dy = LIFT
        yield Element((group(stone, "scale(1.08)"),), x + dx, y + dy, css="lifted")
    if plan.opened is not None and not plan.opened.bridged:
        x, y = geometry.middle(plan.opened.first, plan.opened.last)
        yield Element((pieces.coin(plan.opened.price),), x, y, css="opened")
    for site, gaps in ((plan.bridge_before, plan.gaps), (plan.bridge_after, view.gaps)):
        if site is not None:
            yield _bridge(gap_at(gaps, site) or plan.opened or Gap(site, site, 0, bridged=True))
    x, y = geometry.figure_place(view.viewer, command.figure, len(view.players), plan.lands)
    figure = use(f"p{view.viewer}") + pieces.figure_letter(view.viewer, command.figure)
    yield Element((group(figure, opacity=".8"),), x, y, css="ghost")


def _bridge(gap: Gap) -> Element:
    first, last = gap.first - 1, gap.last + 1
    return Element(
        (group(pieces.bridge(trail(first, last)), opacity=".85"),),
        box=trail_box(first, last),
        css="ghost",
    )
