"""The board of Atlantis as one <svg>: a pure function of the View, the same text every time.

Never decides anything: prices, gaps and whose turn it is stand in the View. No style elements or
attributes and no scripts, so that it passes a strict content security policy inline in a page and
stands alone in a mail.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

from ...engine import Seat, Text, _, ngettext
from ..model import ATLANTIS, FIGURES, MAINLAND, SPACES, Event, Gap, Moved, Tile, View
from ..words import ITEM_NAMES
from . import scenery
from .geometry import HEIGHT, PLACES, TILE, WIDTH, figure_place, middle, num, pair, trail
from .pieces import (
    SEAT_CASINGS,
    SEAT_COLOURS,
    bridge,
    coin,
    figure,
    place,
    symbols,
    tile,
)
from .style import FONT, WRITING

Translate = Callable[[Text], str]


def board_svg(
    view: View,
    links: Mapping[str, str] | None = None,
    recent: Sequence[Event] = (),
    *,
    translate: Translate = str,
    prefix: str = "",
) -> str:
    """The board of this view.

    links: element id (without prefix) → href; those elements become links with a halo. The ids
    are `atlantis`, `space-1` … `space-53`, `gap-<first space>`, `mainland` and
    `figure-<seat>-<A, B or C>`. recent: events to mark as having just happened. translate: how
    the title and the labels are put into the reader's language. prefix: goes before every id,
    for pages with several boards.
    """
    drawing = _Drawing(view, links or {}, recent, translate, prefix)
    return drawing.svg()


class _Drawing:
    """One drawing in the making; every method gives a fragment."""

    def __init__(
        self,
        view: View,
        links: Mapping[str, str],
        recent: Sequence[Event],
        translate: Translate,
        prefix: str,
    ) -> None:
        self.view, self.links, self.translate, self.prefix = view, links, translate, prefix
        self.moves = [event for event in recent if isinstance(event, Moved)]

    def svg(self) -> str:
        title, text = escape(self.translate(_("The board of Atlantis"))), escape(self.summary())
        p = self.prefix
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="board board-atlantis" '
            f'viewBox="0 0 {WIDTH} {HEIGHT}" {FONT} text-anchor="middle" '
        )
        if self.links:
            head += f'role="group" aria-label="{title}">'
        else:
            head += (
                f'role="img" aria-labelledby="{p}picture-title {p}picture-text">'
                f'<title id="{p}picture-title">{title}</title><desc id="{p}picture-text">{text}</desc>'
            )
        return "".join(
            (
                head,
                f"<defs>{symbols(p)}{scenery.definitions(p)}</defs>",
                self.hidden(scenery.sea(p)),
                self.element(
                    "atlantis", "land", scenery.atlantis(), _("Atlantis"), self.land_halo(ATLANTIS)
                ),
                self.element(
                    "mainland",
                    "land",
                    scenery.mainland(),
                    _("The mainland"),
                    self.land_halo(MAINLAND),
                ),
                *(self.space(n) for n in range(1, SPACES + 1) if self.top(n) is None),
                self.hidden(self.routes() + self.taken()),
                *(self.gap(gap) for gap in self.view.gaps),
                self.hidden(self.numbers()),
                f"<g {WRITING}>",
                *(self.space(n) for n in range(1, SPACES + 1) if self.top(n) is not None),
                "</g>",
                self.hidden(self.origins()),
                *self.figures(),
                "</svg>",
            )
        )

    # -- elements, linked or not ---------------------------------------------------------

    def hidden(self, content: str) -> str:
        """Content that says nothing to a reader of links."""
        return f'<g aria-hidden="true">{content}</g>' if self.links and content else content

    def element(
        self, name: str, css: str, content: str, label: Text, halo: str, *, below: bool = False
    ) -> str:
        """A part with an id; a link with its label and halo where there is a link for it.

        below: the halo lies under the content instead of round it.
        """
        head = f'id="{self.prefix}{name}" class="{css}'
        href = self.links.get(name)
        if href is None:
            quiet = ' aria-hidden="true"' if self.links else ""
            return f'<g {head}"{quiet}>{content}</g>'
        return (
            f'<a {head} target" href="{escape(href)}" aria-label="{escape(self.translate(label))}">'
            f"{halo + content if below else content + halo}</a>"
        )

    def halo(self, x: float, y: float, width: float = TILE, height: float = TILE) -> str:
        """What makes a link visible, and large enough to hit."""
        return (
            f'<rect class="halo" x="{num(x - width / 2)}" y="{num(y - height / 2)}" '
            f'width="{num(width)}" height="{num(height)}" rx="5" fill="#ffd23f" fill-opacity=".14" '
            'stroke="#ffd23f" stroke-width="3"/>'
        )

    def land_halo(self, space: int) -> str:
        return scenery.coast(
            space,
            'class="halo" fill="#ffd23f" fill-opacity=".14" stroke="#ffd23f" stroke-width="3.4" '
            'stroke-linejoin="round"',
        )

    # -- the path ------------------------------------------------------------------------

    def numbers(self) -> str:
        """The numbers of all spaces, written on the water below them."""
        digits = "".join(
            f'<text x="{num(PLACES[n][0])}" y="{num(PLACES[n][1] + 30.6)}">{n}</text>'
            for n in range(1, SPACES + 1)
        )
        return (
            '<g class="numbers" font-size="8" fill="#f2fbfb" stroke="#2a7699" stroke-width="1.8" '
            f'stroke-linejoin="round" paint-order="stroke">{digits}</g>'
        )

    def top(self, number: int) -> Tile | None:
        return self.view.path[number - 1].top

    def space(self, number: int) -> str:
        space, (x, y) = self.view.path[number - 1], PLACES[number]
        if space.top is None:
            css, content = "space water", place(x, y, f'<use href="#{self.prefix}w"/>')
            label = _("Space %(number)s: water", number=number)
        else:
            pile = "stack" if space.height > 1 else "single"
            css = f"space tile {pile} item-{space.top.item}"
            drawn = tile(space.top, space.height, prefix=self.prefix)
            content = place(x, y, drawn, turn=_tilt(number))
            label = _(
                "Space %(number)s: %(item)s %(value)s",
                number=number,
                item=ITEM_NAMES[space.top.item],
                value=space.top.value,
            )
        return self.element(f"space-{number}", css, content, label, self.halo(x, y - 1))

    def gap(self, gap: Gap) -> str:
        """A run of water: the way across with its price, or the bridge that makes it free."""
        x, y = middle(gap.first, gap.last)
        if gap.bridged:
            css, content = "gap bridged", bridge(trail(gap.first - 1, gap.last + 1))
            label = _("Bridge from space %(first)s to %(last)s", first=gap.first, last=gap.last)
        else:
            route = (
                f'<path class="crossing" d="{trail(gap.first - 1, gap.last + 1)}" fill="none" '
                'stroke="#f4fbfb" stroke-width="1.8" stroke-dasharray="1 5" '
                'stroke-linecap="round"/>'
            )
            css, content = "gap", route + place(x, y, coin(gap.price))
            label = _(
                "Gap from space %(first)s to %(last)s, price %(price)s",
                first=gap.first,
                last=gap.last,
                price=gap.price,
            )
        return self.element(f"gap-{gap.first}", css, content, label, self.gap_halo(gap), below=True)

    def gap_halo(self, gap: Gap) -> str:
        """A band along all spaces of the gap."""
        if gap.first == gap.last:
            return self.halo(*PLACES[gap.first])
        return (
            f'<path class="halo" d="{trail(gap.first, gap.last)}" fill="none" stroke="#ffd23f" '
            f'stroke-opacity=".4" stroke-width="{TILE}" stroke-linecap="square"/>'
        )

    # -- the figures ---------------------------------------------------------------------

    def figures(self) -> list[str]:
        """All figures, those in front last."""
        seats = len(self.view.players)
        standing = [
            (figure_place(player.seat, number, seats, space), player.seat, number, space)
            for player in self.view.players
            for number, space in enumerate(player.figures)
        ]
        return [
            self.figure(x, y, seat, number, space)
            for (x, y), seat, number, space in sorted(
                standing, key=lambda one: (one[0][1], one[1:])
            )
        ]

    def figure(self, x: float, y: float, seat: int, number: int, space: int) -> str:
        acting = seat in self.view.to_act and space != MAINLAND
        css = f"figure seat-{seat}" + (" acting" if acting else "")
        content = place(x, y, figure(seat, number, acting=acting, prefix=self.prefix))
        label = _(
            "%(seat)s, figure %(letter)s, %(place)s",
            seat=Seat(seat),
            letter=FIGURES[number],
            place=place_name(space),
        )
        halo = self.halo(x, y - 12, 34, 34)
        return self.element(f"figure-{seat}-{FIGURES[number]}", css, content, label, halo)

    # -- what just happened --------------------------------------------------------------

    def routes(self) -> str:
        """The ways of the recent moves: footsteps along the upper edge of the tiles."""
        return "".join(self.route(move, lane) for lane, move in enumerate(self.moves))

    def route(self, move: Moved, lane: int) -> str:
        steps = f'd="{trail(move.start, move.via[-1])}" stroke-dasharray=".1 5.4"'
        return (
            f'<g class="recent seat-{move.seat}" fill="none" stroke-linecap="round" '
            f'transform="translate(0 {num(-23.4 - 3 * lane)})">'
            f'<path class="casing" {steps} stroke="{SEAT_CASINGS[move.seat]}" stroke-width="4.2"/>'
            f'<path class="steps" {steps} stroke="{SEAT_COLOURS[move.seat]}" stroke-width="3.1"/></g>'
        )

    def taken(self) -> str:
        """Frames round the places where the recent moves took their tiles."""
        return "".join(
            self.frame(move.seat, *PLACES[move.taken_from])
            for move in self.moves
            if move.taken_from is not None
        )

    def frame(self, seat: int, x: float, y: float) -> str:
        box = f'x="{num(x - 21)}" y="{num(y - 22.5)}" width="42" height="44" rx="6" fill="none"'
        return (
            f'<g class="taken seat-{seat}"><rect class="casing" {box} stroke="{SEAT_CASINGS[seat]}" '
            f'stroke-width="3.6"/><rect class="frame" {box} stroke="{SEAT_COLOURS[seat]}" '
            'stroke-width="2" stroke-dasharray="6 3.4"/></g>'
        )

    def origins(self) -> str:
        """Ghosts of the figures where the recent moves began."""
        seats = len(self.view.players)
        ghosts = []
        for move in self.moves:
            at = pair(*figure_place(move.seat, move.figure, seats, move.start))
            ghosts.append(
                f'<use class="origin" href="#{self.prefix}g{move.seat}" '
                f'transform="translate({at})" fill="{SEAT_COLOURS[move.seat]}" '
                f'fill-opacity=".3" stroke="{SEAT_CASINGS[move.seat]}" stroke-width="1.3" '
                'stroke-dasharray="2.4 2"/>'
            )
        return "".join(ghosts)

    # -- words ---------------------------------------------------------------------------

    def summary(self) -> str:
        """Where everybody stands, for those who do not see the picture."""
        view = self.view
        parts = [
            _(
                "%(seat)s: A %(a)s, B %(b)s, C %(c)s.",
                seat=Seat(player.seat),
                a=place_name(player.figures[0]),
                b=place_name(player.figures[1]),
                c=place_name(player.figures[2]),
            )
            for player in view.players
        ]
        open_gaps = [gap for gap in view.gaps if not gap.bridged]
        parts.append(
            ngettext(
                "%(count)s gap to pay for, %(bridges)s bridged.",
                "%(count)s gaps to pay for, %(bridges)s bridged.",
                len(open_gaps),
                bridges=len(view.gaps) - len(open_gaps),
            )
        )
        parts += [_("It is the turn of %(seat)s.", seat=Seat(seat)) for seat in view.to_act]
        return " ".join(self.translate(part) for part in parts)


def _tilt(space: int) -> str:
    """How crookedly the tile of a space was laid down; the same in every drawing."""
    return f"rotate({num((space * 37 % 11 - 5) * 0.6)})"


def place_name(space: int) -> Text:
    """Where a figure stands, in words that follow its letter."""
    if space == ATLANTIS:
        return _("on Atlantis")
    if space == MAINLAND:
        return _("on the mainland")
    return _("on space %(number)s", number=space)
