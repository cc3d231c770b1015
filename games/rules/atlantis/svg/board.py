"""The board of Atlantis as a Drawing, and the marks of a previewed move on top of it."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from ... import drawing
from ...drawing import Drawing, Element, group, pair, path, text, use
from ...text import Seat, Text, Translate, _, literal, ngettext
from ..model import FIGURES, MAINLAND, Event, Gap, Moved, Played, View
from ..move_context import MoveContext
from ..names import ITEM_NAMES, place_name
from ..path import changed, gap_at
from ..position_text import figures
from . import geometry, pieces
from .geometry import HEIGHT, PLACES, TILE, WIDTH, trail, trail_box
from .pieces import art

# Digits are 10 pixels high on a phone that is 360 wide, where an email shows the board 306 wide;
# the style sheet makes them smaller on wide pages.
NUMBERS = (
    'class="numbers" font-size="21.5" fill="#f2fbfb" stroke="#2a7699" stroke-width="3" '
    'stroke-linejoin="round" paint-order="stroke"'
)

# The colours of pictures: those that carry a meaning, then the nearest to all others, found by
# `python -m tests.programs.board_palettes --colours 40 atlantis` and the first part.
PALETTE = (
    "#000000", "#ffffff", "#fffdf5", "#0072b2", "#d55e00", "#f0e442", "#2c2418", "#2a7699",
    "#ffd23f", "#b23a52", "#f3c9cb", "#cfe0b8", "#d9dde3", "#e8cba6", "#bfe0f2", "#f7ebb0",
    "#2b261d", "#2e6437", "#347b9d", "#353d5c", "#4e696c", "#589eb5", "#5a4324", "#5e5739",
    "#716d49", "#73878a", "#82bbcc", "#86845c", "#8b6526", "#9c9b70", "#a2aead", "#ad4a5d",
    "#b39044", "#baad81", "#c2d6dd", "#cfc3a5", "#e3c857", "#e8d8b3", "#eee7d7", "#f3f5f0",
)  # fmt: skip

LIFT = (5.0, -9.0)  # of the tile that a previewed move would take


def draw(
    view: View,
    links: Mapping[str, str] | None = None,
    recent: Sequence[Event] = (),
    *,
    translate: Translate = str,
) -> Drawing:
    """The board of this view.

    links: element id → href. The ids are `atlantis`, `space-1` … `space-53`, `gap-<first space>`,
    `mainland` and `figure-<seat>-<A, B or C>`. recent: events to mark as having just happened.
    translate: puts labels and the title into the reader's language.
    """
    board = _Board(view, drawing.Linker(links or {}, translate))
    moves = [event for event in recent if isinstance(event, Moved)]
    spaces = list(enumerate(view.path, start=1))
    return Drawing(
        css="board-atlantis",
        viewbox=(0, 0, WIDTH, HEIGHT),
        title=translate(_("Atlantis board")),
        description=_summary(view, translate),
        definitions=pieces.definitions(),
        scenery=(
            Element((pieces.sea(),)),
            board.land("atlantis", _("Atlantis")),
            board.land("mainland", _("The mainland")),
        ),
        elements=(
            *(board.water(number) for number, space in spaces if space.top is None),
            *(
                step
                for lane, move in enumerate(moves)
                for step in _footsteps(move.seat, move.start, move.via[-1], lane)
            ),
            *(_frame(move.seat, move.taken_from) for move in moves if move.taken_from is not None),
            *(
                _crossing(space)
                for gap in view.gaps
                if not gap.bridged
                for space in range(gap.first - 1, gap.last + 1)
            ),
            *(board.gap(gap) for gap in view.gaps),
            *(board.tile(number) for number, space in spaces if space.top is not None),
            *(_number(number) for number, _space in spaces),
            *(_ghost(move, len(view.players)) for move in moves),
            *board.figures(),
        ),
        palette=PALETTE,
        area=(0, 0, WIDTH, HEIGHT),
        spare=frozenset({"trail"}),
    )


@cache
def _gap_halo(first: int, last: int) -> str:
    if first == last:
        return pieces.place(*PLACES[first], art("halo-space"))
    way = trail(first, last)
    edge = path(
        way, class_="edge", stroke="#10222b", stroke_width=TILE + 3, stroke_linecap="square"
    )
    return edge + path(
        way,
        class_="halo",
        stroke="#ffd23f",
        stroke_opacity=".8",
        stroke_width=TILE,
        stroke_linecap="square",
    )


class _Board:
    """The elements that can be links."""

    def __init__(self, view: View, linker: drawing.Linker) -> None:
        self.view, self.element = view, linker.element

    def land(self, name: str, label: Text) -> Element:
        return self.element(name, "land", label, (art(name),), art(f"halo-{name}"))

    def water(self, number: int) -> Element:
        x, y = PLACES[number]
        label = _("Space %(number)s: water", number=number)
        return self.element(
            f"space-{number}", "space water", label, (use("w"),), art("halo-space"), x=x, y=y
        )

    def tile(self, number: int) -> Element:
        """A stack. It lies straight: pictures of tilted tiles are a fifth larger and less sharp."""
        space, (x, y) = self.view.path[number - 1], PLACES[number]
        assert space.top is not None
        pile = "stack" if space.height > 1 else "single"
        return self.element(
            f"space-{number}",
            f"space tile {pile} item-{space.top.item}",
            _(
                "Space %(number)s: %(item)s %(value)s",
                number=number,
                item=ITEM_NAMES[space.top.item],
                value=space.top.value,
            ),
            pieces.tile_parts(space.top, space.height),
            art("halo-space"),
            x=x,
            y=y,
            group=pieces.VALUES,
        )

    def gap(self, gap: Gap) -> Element:
        """A run of water: the price of the way across, or the bridge that makes it free."""
        x, y, halo = 0.0, 0.0, _gap_halo(gap.first, gap.last)
        if gap.bridged:
            label = _("Bridge from space %(first)s to %(last)s", first=gap.first, last=gap.last)
            css, content = "gap bridged", pieces.bridge(trail(gap.first - 1, gap.last + 1))
            box = trail_box(gap.first - 1, gap.last + 1)
        else:
            label = _(
                "Gap from space %(first)s to %(last)s, price %(price)s",
                first=gap.first,
                last=gap.last,
                price=gap.price,
            )
            css, content, box = "gap", pieces.coin(gap.price), drawing.NEAR
            x, y = geometry.middle(gap.first, gap.last)
            halo = group(halo, f"translate({pair(-x, -y)})")
        return self.element(
            f"gap-{gap.first}", css, label, (content,), halo, under=0, x=x, y=y, box=box
        )

    def figures(self) -> Iterator[Element]:
        """All figures, those in front last."""
        seats = len(self.view.players)
        standing = [
            (geometry.figure_place(player.seat, number, seats, space), player.seat, number, space)
            for player in self.view.players
            for number, space in enumerate(player.figures)
        ]
        standing.sort(key=lambda one: (one[0][1], one[1:]))
        for (x, y), seat, number, space in standing:
            yield self.figure(x, y, seat, number, space)

    def figure(self, x: float, y: float, seat: int, number: int, space: int) -> Element:
        acting = seat in self.view.to_act and space != MAINLAND
        parts = (use(f"p{seat}"), pieces.figure_letter(seat, number))
        return self.element(
            f"figure-{seat}-{FIGURES[number]}",
            f"figure seat-{seat}" + " acting" * acting,
            _(
                "%(seat)s, figure %(letter)s, %(place)s",
                seat=Seat(seat),
                letter=FIGURES[number],
                place=place_name(space),
            ),
            (pieces.glow(seat), *parts) if acting else parts,
            art("halo-figure"),
            x=x,
            y=y,
        )


@cache
def _number(number: int) -> Element:
    """The number of a space, on the water below it and above the ways of moves."""
    x, y = PLACES[number]
    return Element((text(number, 0, 0),), x, y + 34.6, group=NUMBERS)


@cache
def _crossing(space: int) -> Element:
    """The dotted way from this space to the next one, a part of a way across a gap."""
    way = pieces.crossing(trail(space, space + 1), geometry.dashes(space, 1, 6))
    return Element((way,), box=trail_box(space, space + 1, 6))


def _footsteps(seat: int, start: int, end: int, lane: int = 0) -> Iterator[Element]:
    """The way of a move: footsteps along the upper edge of the tiles.

    Cut at every space, so that ways have parts in common. lane: further ways lie above the first.
    """
    spaces = range(start, end)
    for name, colours, width in (
        ("casing", pieces.SEAT_CASINGS, 4.2),
        ("steps", pieces.SEAT_COLOURS, 3.1),
    ):
        group = (
            f'class="{name}" fill="none" stroke="{colours[seat]}" '
            f'stroke-width="{width}" stroke-linecap="round"'
        )
        for space in spaces:
            data, dashes = trail(space, space + 1), geometry.dashes(space, 0.1, 5.5)
            steps = f'<path d="{data}" stroke-dasharray="{dashes}"/>'
            box = trail_box(space, space + 1, 6)
            yield Element((steps,), y=-23.4 - 3 * lane, box=box, group=group)


def _frame(seat: int, space: int) -> Element:
    """A frame around the place where a recent move took its tile."""
    box = 'x="-21" y="-22.5" width="42" height="44" rx="6" fill="none"'
    frame = (
        f'<rect class="casing" {box} stroke="{pieces.SEAT_CASINGS[seat]}" stroke-width="3.6"/>'
        f'<rect class="frame" {box} stroke="{pieces.SEAT_COLOURS[seat]}" stroke-width="2" '
        'stroke-dasharray="6 3.4"/>'
    )
    return Element((frame,), *PLACES[space], css=f"taken seat-{seat}")


def _ghost(move: Moved, seats: int) -> Element:
    place = geometry.figure_place(move.seat, move.figure, seats, move.start)
    return Element((pieces.ghost(move.seat),), *place)


def preview_marks(context: MoveContext, event: Played) -> Iterator[Element]:
    """Yield the marks of a move: its way, the tile it takes, the gap it leaves. Other commands have
    none."""
    if not isinstance(event, Moved):
        return
    yield from _footsteps(event.seat, event.start, event.via[-1])
    if event.taken is not None and event.taken_from is not None:
        x, y = PLACES[event.taken_from]
        yield _frame(event.seat, event.taken_from)
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


def _summary(view: View, translate: Translate) -> str:
    """Describe where all figures stand, for people who do not see the picture."""
    parts = [
        literal("%(seat)s: %(figures)s.", seat=Seat(player.seat), figures=figures(player))
        for player in view.players
    ]
    open_gaps = [gap for gap in view.gaps if not gap.bridged]
    parts.append(
        ngettext(
            "%(count)s gap without a bridge, %(bridges)s bridged.",
            "%(count)s gaps without a bridge, %(bridges)s bridged.",
            len(open_gaps),
            bridges=len(view.gaps) - len(open_gaps),
        )
    )
    parts += [_("It is %(seat)s’s turn.", seat=Seat(seat)) for seat in view.to_act]
    return " ".join(translate(part) for part in parts)
