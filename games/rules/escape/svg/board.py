"""The board of Escape from Atlantis! as one <svg>: a pure function of the View, always the same text.

Never decides anything. No style elements or attributes and no scripts, so that it passes a strict
content security policy inline in a page and stands alone in a mail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape

from ...engine import Text, _
from ..board import at, crew, herd, swimmers
from ..hexes import HEXES, ISLES, LAND, LAND_INDEX, NAMES
from ..marks import creature_mark, explorer_mark, hex_mark, isle_mark, ship_mark
from ..model import COLOUR_LETTERS, EACH, SAVED, SEA, Creature, Event, View
from ..words import CREATURES, explorer_name, explorer_names
from . import art, labels, scenery, terrain
from .closeup import closeups, part_at, place_of, window
from .geometry import (
    CENTRES,
    INNER,
    OUTLINE,
    Point,
    isle_place,
    isle_point,
    num,
    pair,
    row_of,
)
from .legend import legend
from .recent import traces
from .tags import name_tag, number_tag

Translate = Callable[[Text], str]
FONT = 'font-family="Atlantis Board,Cabin,Trebuchet MS,sans-serif" font-weight="700"'
SMALLER = 0.86  # how much pieces shrink with each more in a row beyond two
MOST = 3  # people in a row
FOOT = 10.0  # where the feet of those are who stand on a tile, below its middle


def board_svg(
    view: View,
    links: Mapping[str, str] | None = None,
    recent: Sequence[Event] = (),
    *,
    translate: Translate = str,
    prefix: str = "",
    near: str = "",
    zoom: int = 0,
) -> str:
    """The board of this view.

    links: element id (without prefix) → href; those elements become links with a halo. The ids
    are in `marks`. recent: events to mark as having just happened. translate: how the title and
    the labels are put into the reader's language. prefix: goes before every id. near, zoom: only
    the part round this element, see `closeup`; what lies outside is no link then.
    """
    return _Drawing(view, links or {}, recent, translate, prefix, near, zoom).svg()


class _Drawing:
    """One drawing in the making; every method gives a fragment."""

    def __init__(
        self,
        view: View,
        links: Mapping[str, str],
        recent: Sequence[Event],
        translate: Translate,
        prefix: str,
        near: str,
        zoom: int,
    ) -> None:
        self.view, self.recent = view, recent
        self.translate, self.prefix = translate, prefix
        self.window, self.is_part = window(view, near, zoom), zoom > 0
        self.links = {name: href for name, href in links.items() if self.shows(name)}

    def shows(self, name: str) -> bool:
        """Whether an element can be seen in the window."""
        place = place_of(self.view, name)
        return not self.is_part or (place is not None and self.window.shows(place))

    def svg(self) -> str:
        p, map_ = self.prefix, self.view.board.map
        title = escape(self.translate(_("The board of Escape from Atlantis!")))
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="board board-escape" '
            f'viewBox="{self.window.box}" {FONT} text-anchor="middle" '
        )
        text = escape(labels.summary(self.view, self.translate))
        if self.links:
            head += f'role="group" aria-label="{title}" aria-describedby="{p}picture-text">'
        else:
            head += (
                f'role="img" aria-labelledby="{p}picture-title {p}picture-text">'
                f'<title id="{p}picture-title">{title}</title>'
            )
        head += f'<desc id="{p}picture-text">{text}</desc>'
        return "".join(
            (
                head,
                f"<defs>{art.symbols(p)}{terrain.definitions(p)}{scenery.definitions(p)}</defs>",
                self.hidden(scenery.sea(map_, p)),
                *(self.isle(isle) for isle in range(len(ISLES))),
                self.hidden(scenery.rim()),
                *(self.water(hex_) for hex_ in range(len(HEXES)) if map_[hex_] == SEA),
                *(self.tile(hex_) for hex_ in LAND if map_[hex_] != SEA),
                self.hidden(scenery.names(map_)),
                self.hidden(self.site()),
                self.hidden(traces(self.recent)),
                *(piece for hex_ in range(len(HEXES)) for piece in self.pieces(hex_)),
                "" if self.is_part else self.hidden(legend(self.view, self.translate, p)),
                *(self.part(name, href) for name, href in self.links.items()),
                "</svg>",
            )
        )

    # -- elements, linked or not ---------------------------------------------------------

    def hidden(self, content: str) -> str:
        """Content that says nothing to a reader of links, and takes no click from them."""
        if self.links and content:
            return f'<g aria-hidden="true" pointer-events="none">{content}</g>'
        return content

    def element(self, name: str, css: str, content: str, label: Text, halo: str, place: str) -> str:
        """A part with an id; a link with its label and halo where there is a link for it.

        The halo takes the place of the "~" in the content, else it lies under it.
        """
        head = f'id="{self.prefix}{name}" class="{css}'
        href = self.links.get(name)
        under, tilde, over = content.rpartition("~")
        if href is None:
            quiet = ' aria-hidden="true" pointer-events="none"' if self.links else ""
            return f'<g {head}"{place}{quiet}>{under}{over}</g>'
        drawing = under + halo + over if tilde else halo + over
        return (
            f'<a {head} target" href="{escape(href)}" aria-label="{escape(self.translate(label))}"{place}>'
            f"{drawing}</a>"
        )

    def halo(self, shape: str, filled: float = 0.3) -> str:
        """What makes a link visible; `shape` is a tag without its end."""
        return (
            f'{shape} class="halo" fill="#ffd23f" fill-opacity="{num(filled)}" stroke="#ffd23f" '
            'stroke-width="2.4"/>'
        )

    def part(self, name: str, href: str) -> str:
        """A field over a part of the whole board that leads closer to it.

        It takes the clicks of all that lies below, so it is there only where the stylesheet of a
        narrow page says so.
        """
        field = part_at(name)
        label = next((way.label for way in closeups(self.view) if way.mark == name), None)
        if field is None or label is None:
            return ""
        return (
            f'<a id="{self.prefix}{name}" class="part" href="{escape(href)}" '
            f'aria-label="{escape(self.translate(label))}" display="none">'
            f'<rect x="{num(field.left)}" y="{num(field.top)}" width="{num(field.width)}" '
            f'height="{num(field.height)}" rx="6" fill="#fff" fill-opacity="0"/></a>'
        )

    # -- places --------------------------------------------------------------------------

    def water(self, hex_: int) -> str:
        """A sea hex: nothing to see but its halo, which is drawn where it is a link."""
        name = hex_mark(hex_)
        if name not in self.links:
            return ""
        return self.element(
            name,
            "hex water",
            "",
            labels.hexagon(self.view, hex_),
            self.halo(f'<path d="{INNER}"', 0.16),
            _at(hex_),
        )

    def tile(self, hex_: int) -> str:
        """A terrain tile."""
        kind = self.view.board.map[hex_]
        lift = terrain.LIFT[kind]
        content = f'<use href="#{self.prefix}{kind}{hex_ * 7 % terrain.CUTS}"/>~{self.back(hex_)}'
        # Hardly filled, so that what grows there stays to be seen.
        halo = self.halo(f'<path d="{INNER}" transform="translate(0{num(-lift)})"', 0.1)
        return self.element(
            hex_mark(hex_),
            f"hex {terrain.NAMES[kind]}",
            content,
            labels.hexagon(self.view, hex_),
            halo,
            _at(hex_),
        )

    def back(self, hex_: int) -> str:
        """What was under a tile that never sank, shown when the game is over."""
        back = self.view.backs[LAND_INDEX[hex_]] if self.view.backs else None
        if back is None:
            return ""
        return (
            '<g class="back" transform="translate(0 7)"><circle r="8.6" fill="#f7efdc" stroke="#54431f" '
            f'stroke-width=".8"/><g transform="scale(.4)">{art.BACK_DRAWINGS[back]}</g></g>'
        )

    def isle(self, isle: int) -> str:
        """An isle with those who are safe there."""
        return self.element(
            isle_mark(isle),
            "isle",
            f"{scenery.isle(isle)}~{self.rescued(isle)}",
            _("The isle %(isle)s", isle=ISLES[isle]),
            self.halo(f'<path d="{scenery.ISLE}" transform="{isle_place(isle)}"'),
            "",
        )

    def rescued(self, isle: int) -> str:
        """One explorer for each colour that is safe here, with their number."""
        safe = at(self.view.board, SAVED + isle)
        colours = sorted({who // EACH for who in safe})
        parts = []
        for number, colour in enumerate(colours):
            count = sum(who // EACH == colour for who in safe)
            place = isle_point(isle, 31 + 12.5 * number, 24)
            parts.append(
                f'<g transform="translate({pair(*place)})scale(.82)"><use href="#{self.prefix}s{COLOUR_LETTERS[colour]}"/>'
                + (number_tag(count, 5.4, -4) if count > 1 else "")
                + "</g>"
            )
        return "".join(parts)

    def site(self) -> str:
        """A ring round the hex that a question is about."""
        site = self.view.board.site
        if site is None:
            return ""
        return (
            f'<path class="site glow" d="{OUTLINE}"{_at(site)} fill="#fff" fill-opacity=".2" stroke="#fff" '
            'stroke-width="3" stroke-dasharray="5 3"/>'
        )

    # -- pieces --------------------------------------------------------------------------

    def pieces(self, hex_: int) -> Iterator[str]:
        """Everything that stands, floats or swims on a hex, from the back to the front."""
        board = self.view.board
        if board.map[hex_] != SEA:
            yield from self.people_on_land(hex_)
            return
        creatures = [
            creature for creature in Creature for _one in range(herd(board, creature).count(hex_))
        ]
        people = swimmers(board, hex_)
        ship = hex_ in board.ships
        rows = bool(creatures) + ship + bool(people)
        if not rows:
            return
        x, y = CENTRES[hex_]
        heights = {1: (2.0,), 2: (-6.0, 8.6), 3: (-9.0, 2.6, 12.0)}[rows]
        scale = {1: 1.0, 2: 0.8, 3: 0.66}[rows]
        row = iter(heights)
        if creatures:
            yield from self.creatures(creatures, hex_, x, y + next(row), scale * 0.86)
        if ship:
            yield self.ship(hex_, x, y + next(row), scale * 0.88)
        if people:
            yield from self.swimmers(people, x, y + next(row), scale)

    def creatures(
        self, creatures: list[Creature], hex_: int, x: float, y: float, scale: float
    ) -> Iterator[str]:
        if len(creatures) > 1:
            scale *= 0.72
        places = row_of(len(creatures), 17, 15)
        marked: set[Creature] = set()
        for creature, dx in zip(creatures, places, strict=True):
            place = _place(x + dx, y, scale)
            drawing = f'<use href="#{self.prefix}c-{creature}"/>'
            if creature in marked:  # one id is enough for two whales on a hex
                yield f'<g class="{creature}"{place}>{drawing}</g>'
                continue
            marked.add(creature)
            yield self.element(
                creature_mark(creature, hex_),
                creature.value,
                drawing,
                _("%(creature)s on %(hex)s", creature=CREATURES[creature], hex=NAMES[hex_]),
                self.halo('<ellipse cy="-1" rx="18" ry="14"'),
                place,
            )

    def ship(self, hex_: int, x: float, y: float, scale: float) -> str:
        """A ship with up to three people in it; they are links of their own."""
        aboard = crew(self.view.board, hex_)
        p = self.prefix
        places = row_of(len(aboard), 19.6, 9.8)
        people = "".join(
            self.explorer(who, f' transform="translate({pair(dx, 1.6)})scale(.86)"', "s")
            for who, dx in zip(aboard, places, strict=True)
        )
        tags = "".join(
            self.tags(who, dx, 5.4, 5.4, (dx, -16.6))
            for who, dx in zip(aboard, places, strict=True)
        )
        label = (
            _(
                "ship on %(hex)s with %(explorers)s",
                hex=NAMES[hex_],
                explorers=explorer_names(aboard),
            )
            if aboard
            else _("empty ship on %(hex)s", hex=NAMES[hex_])
        )
        hull = self.element(
            ship_mark(hex_),
            "ship",
            ("" if aboard else f'<use href="#{p}sail"/>') + f'<use href="#{p}hull"/>',
            label,
            self.halo('<ellipse cy="2" rx="17" ry="9"'),
            "",
        )
        mast = f'<use href="#{p}sail"/>' if len(aboard) in (1, 2, 3) else ""
        return f"<g{_place(x, y, scale)}>{self.hidden(mast)}{people}{hull}{self.hidden(tags)}</g>"

    def swimmers(self, people: tuple[int, ...], x: float, y: float, scale: float) -> Iterator[str]:
        yield from self.crowd(people, x, y + 3, 23, scale, "w")

    def people_on_land(self, hex_: int) -> Iterator[str]:
        people = at(self.view.board, hex_)
        x, y = CENTRES[hex_]
        lift = terrain.LIFT[self.view.board.map[hex_]]
        yield from self.crowd(people, x, y + FOOT - lift, 21, 1, "s")

    def crowd(
        self, people: tuple[int, ...], x: float, y: float, width: float, scale: float, kind: str
    ) -> Iterator[str]:
        """People side by side, in rows of three at most: a finger must find each of them."""
        count = max(1, -(-len(people) // MOST))
        each = -(-len(people) // count)
        rows = [people[start : start + each] for start in range(0, len(people), each or 1)]
        scale *= SMALLER ** max(0, each - 1) * (1, 0.9, 0.75)[min(count, 3) - 1]
        behind = 15 if count < 3 else 31 / (count - 1)
        places = [
            (
                who,
                x + dx,
                y + (3 * scale if count > 1 else 0) - behind * scale * (count - 1 - number),
            )
            for number, row in enumerate(rows)
            for who, dx in zip(row, row_of(len(row), width, 13), strict=True)
        ]
        for who, left, foot in places:
            yield self.explorer(who, _place(left, foot, scale), kind)
        below, badge = (6.6, (5.6, -8.6)) if kind == "s" else (8.6, (5.6, -4.4))
        for who, left, foot in places:  # above all, so that no neighbour hides a number
            tags = self.tags(who, 0, below, 6.2, badge)
            yield self.hidden(f"<g{_place(left, foot, scale)}>{tags}</g>")

    def explorer(self, who: int, place: str, kind: str) -> str:
        """An explorer, without its name and value."""
        letter = COLOUR_LETTERS[who // EACH]
        return self.element(
            explorer_mark(who),
            f"explorer explorer-{letter}",
            f'<use href="#{self.prefix}{kind}{letter}"/>',
            labels.explorer(self.view, who),
            self.halo('<ellipse cy="-7" rx="10.4" ry="14.4"'),
            place,
        )

    def tags(self, who: int, x: float, y: float, size: float, badge: Point) -> str:
        """An explorer's name, and its value where the reader knows it."""
        value = self.view.values[who]
        text = name_tag(explorer_name(who), x, y, size)
        return text if value is None else text + number_tag(value, *badge)


def _at(hex_: int) -> str:
    return f' transform="translate({pair(*CENTRES[hex_])})"'


def _place(x: float, y: float, scale: float) -> str:
    size = "" if abs(scale - 1) < 0.01 else f"scale({scale:.2f})".replace("0.", ".")
    return f' transform="translate({pair(x, y)}){size}"'
