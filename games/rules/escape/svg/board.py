"""The board of Escape from Atlantis! as a Drawing: a pure function of the View. Decides nothing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape

from ... import drawing
from ...drawing import Drawing, Element, Point, group, pair, path, text, use
from ...text import Seat, Text, Translate, _, literal
from ..board import at, crew, herd, out, own, saved, swimmers
from ..hexes import HEXES, ISLES, LAND, LAND_INDEX, NAMES
from ..model import ABOARD, COLOUR_LETTERS, EACH, SAVED, SEA, Creature, Event, View
from ..names import (
    CREATURES,
    creature_id,
    explorer_id,
    explorer_name,
    explorer_names,
    hex_id,
    isle_id,
    ship_id,
)
from ..position_text import explorer_label, hexagon_label, summary
from . import pieces, scenery
from .geometry import CENTRES, HEIGHT, SHORE, WIDTH, isle_place, isle_point, row_of
from .pieces import art
from .recent import traces

SMALLER = 0.86  # how much pieces shrink with each further one in a row beyond two
MOST = 3  # people in a row
FOOT = 10.0  # of people on a tile, below the centre of the hex

# The colours of pictures: those that carry a meaning, then the nearest to all others, found by
# `python -m tests.programs.board_palettes escape` and the first part.
PALETTE = (
    "#000000", "#ffffff", "#fffdf5", "#0072b2", "#d55e00", "#f0e442", "#2c2418", "#2a7699",
    "#fff3b0", "#ffb3a7", "#d5c2ff", "#3d3222", "#6f7f45", "#a9bb7a", "#235068", "#272e21",
    "#2b799c", "#2d3e46", "#2e647e", "#33522c", "#438ca6", "#4b3a1e", "#4e6b38", "#514d3e",
    "#547276", "#57a0b7", "#6a634d", "#6caec0", "#70894e", "#719195", "#7b4d21", "#827c6a",
    "#84c0cd", "#92a8a9", "#939b6a", "#9e774d", "#accfd7", "#aea986", "#bc5506", "#c5c0a3",
    "#d4e2e1", "#dec747", "#e2d6b4", "#f1f3ec",
)  # fmt: skip

_LETTER = 6.4  # average width of a letter of a seat's name
_APART = 23  # from one number to the next
_WORDS = 'text-anchor="start" fill="#f2fbfb"'
# All names in the font that has all letters and the dot: names in two fonts would look unequal.
_NAME = f'{_WORDS} font-family="Atlantis Board Names,Cabin,Trebuchet MS,sans-serif"'


def draw(
    view: View,
    links: Mapping[str, str] | None = None,
    recent: Sequence[Event] = (),
    *,
    translate: Translate = str,
) -> Drawing:
    """The board of this view.

    links: element id → href; the ids are in `names`. recent: events to mark as having just
    happened. translate: puts labels and the title into the reader's language.
    """
    links = links or {}
    board = _Board(view, drawing.Linker(links, translate))
    map_, occupied = view.board.map, board.occupied()
    return Drawing(
        css="board-escape",
        viewbox=(0, 0, WIDTH, HEIGHT),
        title=translate(_("Escape from Atlantis! board")),
        description=summary(view, translate),
        definitions=pieces.definitions(),
        scenery=(*scenery.sea(), *(board.isle(isle) for isle in range(len(ISLES)))),
        elements=(
            *scenery.water(map_),
            *(
                board.water(hex_)
                for hex_ in range(len(HEXES))
                if hex_id(hex_) in links and map_[hex_] == SEA
            ),
            *(one for isle in range(len(ISLES)) for one in board.rescued(isle)),
            *(board.tile(hex_) for hex_ in LAND if map_[hex_] != SEA),
            *board.site(),
            *traces(recent),
            *(piece for hex_ in sorted(occupied) for piece in board.pieces(hex_)),
            *scenery.names(map_, occupied),
            *legend(view, translate),
        ),
        palette=PALETTE,
        lettering=scenery.lettering(),
        area=(0, 0, WIDTH, HEIGHT),
        spare=pieces.spare(board.view.board.colours),
    )


class _Board:
    """The elements that depend on the view; most of them can be links."""

    def __init__(self, view: View, linker: drawing.Linker) -> None:
        self.view, self.linker, self.element = view, linker, linker.element

    # -- places --------------------------------------------------------------------------

    def water(self, hex_: int) -> Element:
        """A sea hex that is a link: nothing to see but its halo."""
        x, y = CENTRES[hex_]
        label = hexagon_label(self.view, hex_)
        return self.element(
            hex_id(hex_), "hex water", label, (), pieces.art("halo-water"), x=x, y=y
        )

    def tile(self, hex_: int) -> Element:
        """A terrain tile; at the end of a game also what was under it."""
        (x, y), kind = CENTRES[hex_], self.view.board.map[hex_]
        fragments = [use(f"{kind}{hex_ * 7 % pieces.CUTS}")]
        back = self.view.backs[LAND_INDEX[hex_]] if self.view.backs else None
        if back is not None:
            fragments.append(
                '<g class="back" transform="translate(0 7)"><circle r="8.6" fill="#f7efdc" '
                f'stroke="#54431f" stroke-width=".8"/>{group(pieces.back(back), "scale(.4)")}</g>'
            )
        terrain = pieces.TERRAIN_NAMES[kind]
        return self.element(
            hex_id(hex_),
            f"hex {terrain}",
            hexagon_label(self.view, hex_),
            tuple(fragments),
            pieces.art(f"halo-{terrain}"),
            under=1,
            x=x,
            y=y,
        )

    def isle(self, isle: int) -> Element:
        halo = group(pieces.art("halo-isle"), isle_place(isle))
        label = _("The isle %(isle)s", isle=ISLES[isle])
        return self.element(isle_id(isle), "isle", label, (scenery.isle(isle),), halo)

    def rescued(self, isle: int) -> Iterator[Element]:
        """One explorer for each colour that is safe on this isle, with their number."""
        safe = at(self.view.board, SAVED + isle)
        for number, colour in enumerate(sorted({who // EACH for who in safe})):
            count = sum(who // EACH == colour for who in safe)
            x, y = isle_point(isle, 31 + 12.5 * number, 24)
            fragments = [use(f"s{COLOUR_LETTERS[colour]}")]
            if count > 1:
                fragments.append(pieces.number_tag(count, 5.4, -4))
            yield Element(tuple(fragments), x, y, "scale(.82)")

    def site(self) -> Iterator[Element]:
        """A ring around the hex that a question is about."""
        if self.view.board.site is not None:
            yield Element((pieces.art("site"),), *CENTRES[self.view.board.site])

    def occupied(self) -> set[int]:
        """The hexes on which something stands, floats or swims."""
        board = self.view.board
        return {
            *(place % ABOARD for place in board.where if 0 <= place < SAVED),
            *board.ships,
            *(hex_ for creature in Creature for hex_ in herd(board, creature)),
        }

    # -- pieces --------------------------------------------------------------------------

    def pieces(self, hex_: int) -> Iterator[Element]:
        """Everything that stands, floats or swims on a hex, back to front."""
        board = self.view.board
        x, y = CENTRES[hex_]
        if board.map[hex_] != SEA:
            foot = y + FOOT - pieces.LIFT[board.map[hex_]]
            yield from self.crowd(at(board, hex_), x, foot, 21, 1, "s")
            return
        creatures = [
            creature for creature in Creature for _one in range(herd(board, creature).count(hex_))
        ]
        people = swimmers(board, hex_)
        ship = hex_ in board.ships
        rows = bool(creatures) + ship + bool(people)
        if not rows:
            return
        heights = {1: (2.0,), 2: (-6.0, 8.6), 3: (-9.0, 2.6, 12.0)}[rows]
        scale = {1: 1.0, 2: 0.8, 3: 0.66}[rows]
        row = iter(heights)
        if creatures:
            yield from self.creatures(creatures, hex_, x, y + next(row), scale * 0.86)
        if ship:
            yield from self.ship(hex_, x, y + next(row), scale * 0.88)
        if people:
            yield from self.crowd(people, x, y + next(row) + 3, 23, scale, "w")

    def creatures(
        self, creatures: list[Creature], hex_: int, x: float, y: float, scale: float
    ) -> Iterator[Element]:
        if len(creatures) > 1:
            scale *= 0.72
        marked: set[Creature] = set()
        for creature, dx in zip(creatures, row_of(len(creatures), 17, 15), strict=True):
            if creature in marked:  # one id is enough for two whales on a hex
                yield Element((use(creature),), x + dx, y, _scaled(scale), css=creature.value)
                continue
            marked.add(creature)
            yield self.element(
                creature_id(creature, hex_),
                creature.value,
                _("%(creature)s at %(hex)s", creature=CREATURES[creature], hex=NAMES[hex_]),
                (use(creature),),
                pieces.art("halo-creature"),
                under=0,
                x=x + dx,
                y=y,
                transform=_scaled(scale),
            )

    def ship(self, hex_: int, x: float, y: float, scale: float) -> Iterator[Element]:
        """A ship with up to three people in it; they are links of their own."""
        aboard = crew(self.view.board, hex_)
        seats = [
            (who, x + dx * scale)
            for who, dx in zip(aboard, row_of(len(aboard), 19.6, 9.8), strict=True)
        ]
        size = _scaled(scale)
        if aboard:
            yield Element((use("sail"),), x, y, size)
            label = _(
                "ship at %(hex)s carrying %(explorers)s",
                hex=NAMES[hex_],
                explorers=explorer_names(aboard),
            )
        else:
            label = _("empty ship at %(hex)s", hex=NAMES[hex_])
        for who, left in seats:
            yield self.explorer(who, left, y + 1.6 * scale, scale * 0.86, "s")
        yield self.element(
            ship_id(hex_),
            "ship",
            label,
            (use("hull"),) if aboard else (use("sail"), use("hull")),
            pieces.art("halo-ship"),
            under=0,
            x=x,
            y=y,
            transform=size,
        )
        for who, left in seats:
            yield self.tags(who, left, y, size, 5.4, 5.4, (0, -16.6))

    def crowd(
        self, people: tuple[int, ...], x: float, y: float, width: float, scale: float, kind: str
    ) -> Iterator[Element]:
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
            yield self.explorer(who, left, foot, scale, kind)
        below, badge = (6.6, (5.6, -8.6)) if kind == "s" else (8.6, (5.6, -4.4))
        for who, left, foot in places:  # on top of everybody, so that no neighbour hides a number
            yield self.tags(who, left, foot, _scaled(scale), below, 6.2, badge)

    def explorer(self, who: int, x: float, y: float, scale: float, kind: str) -> Element:
        """An explorer, without its name and value."""
        letter = COLOUR_LETTERS[who // EACH]
        return self.element(
            explorer_id(who),
            f"explorer explorer-{letter}",
            explorer_label(self.view, who),
            (use(f"{kind}{letter}"),),
            pieces.art("halo-explorer"),
            under=0,
            x=x,
            y=y,
            transform=_scaled(scale),
        )

    def tags(
        self, who: int, x: float, y: float, size: str, below: float, letters: float, badge: Point
    ) -> Element:
        """An explorer's name, and its value if the reader knows it."""
        fragments = [pieces.name_tag(explorer_name(who), below, letters)]
        value = self.view.values[who]
        if value is not None:
            fragments.append(pieces.number_tag(value, *badge))
        return Element(tuple(fragments), x, y, size, pieces.TAGS)


def _scaled(scale: float) -> str:
    """The transform, in steps that make pieces of several boards the same pictures."""
    scale = round(scale * 20) / 20
    return "" if scale == 1 else f"scale({scale:.2f})".replace("(0.", "(.")


def legend(view: View, translate: Callable[[Text], str]) -> Iterator[Element]:
    """The strip at the foot of the board, seats in turn order."""
    order = view.board.order
    strip = path(f"M0 0h{WIDTH}v{HEIGHT - SHORE}H0z", "#174a63", class_="legend", opacity=".9")
    yield Element((strip,), y=SHORE, box=(0, 0, WIDTH, HEIGHT - SHORE))
    width = (WIDTH - 16) / max(1, len(order))
    for number, seat in enumerate(order):
        yield from _seat(view, seat, 8 + width * number, width, translate)


def _seat(
    view: View, seat: int, x: float, width: float, translate: Callable[[Text], str]
) -> Iterator[Element]:
    board = view.board
    letters = [COLOUR_LETTERS[colour] for colour in range(seat, board.colours, board.seats)]
    for number, letter in enumerate(letters):
        yield Element((f'<use href="#s{letter}"/>',), x + 9 + 11 * number, 418)
    left = x + 9 + 11 * len(letters)
    name = _short(translate(literal("%(seat)s", seat=Seat(seat))), int((width - 20) / _LETTER))
    asked = " ●" if seat in view.to_act else ""
    words = text(escape(name) + asked, 0, 0, font_size=8.6)
    box = (-2, -12, width, 18)
    yield Element((words,), left, 405, box=box, group=_NAME)
    # Signs instead of words, which are too long in some languages.
    there = sum(out(board.where[who]) for who in own(board, seat))
    counted = {"out": there, "safe": len(saved(board, seat)), "tile": board.held[seat]}
    for place, (sign, number) in enumerate(counted.items()):
        if sign == "out" or not board.is_setup:
            fragments = (
                group(art(f"sign-{sign}"), f"translate({pair(3.6, -2.6)})"),
                text(number, 9, 0, font_size=7),
            )
            yield Element(fragments, left + _APART * place, 417, group=_WORDS)


def _short(name: str, most: int) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
