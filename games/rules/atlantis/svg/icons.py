"""Icons for forms, hands and pages (items, cards, tiles, figures, coins), and the pictures of the
rules page, which show parts of the path in a row.

They contain no ids and no references, so that a page can show any number of them. Every example of
the rules page is a little position of our own; tests check its prices and tiles against the rules
engine. No words inside, so that one picture serves every language.
"""

import re
from collections.abc import Callable
from functools import lru_cache

import msgspec

from ...drawing import Box, icon, num, pair
from ..model import FIGURES, Gap, Item, Tile
from .pieces import (
    SEA,
    SEAT_CASINGS,
    SEAT_COLOURS,
    SHALLOWS,
    art,
    bridge,
    card,
    coin,
    crossing,
    figure,
    place,
    tile,
)

STEP = 45.0  # from one space of an example to the next


class Example(msgspec.Struct, frozen=True):
    """A row of spaces, numbered from 1, perhaps with the ends of the path beside it.

    path: (top tile, height) or None for water. figures: (seat, figure, space). jumps: the
    landings of one move, from its start, and who moves. taken: space a tile is taken from.
    cards: played, from the left. mainland: it lies to the right of the last space.
    """

    path: tuple[tuple[Tile, int] | None, ...]
    gaps: tuple[Gap, ...] = ()
    figures: tuple[tuple[int, int, int], ...] = ()
    mover: int = 0
    jumps: tuple[int, ...] = ()
    taken: int | None = None
    cards: tuple[Item, ...] = ()
    mainland: bool = False


def _t(item: Item, value: int, height: int = 1) -> tuple[Tile, int]:
    return Tile(item, value), height


F, O, H, A, R, C, S = Item  # noqa: E741 (the letters on the tiles)

EXAMPLES: dict[str, Example] = {
    "tiles": Example(path=(_t(F, 3), _t(O, 5), _t(H, 1), _t(A, 6), _t(R, 2), _t(C, 7), _t(S, 4))),
    "stack": Example(path=(_t(R, 6), _t(A, 2, 2), _t(S, 5))),
    "move": Example(
        path=(_t(H, 4, 2), _t(O, 2, 2), _t(C, 5, 2), _t(O, 6), _t(F, 3), _t(R, 1), _t(F, 7)),
        figures=((0, 0, 5),),
        jumps=(1, 5),
        cards=(F,),
    ),
    "chain": Example(
        path=(_t(S, 2), _t(A, 4), _t(H, 6), _t(O, 1), _t(A, 3), _t(R, 5), _t(C, 2)),
        figures=((3, 1, 3), (0, 2, 6)),
        jumps=(1, 3, 6),
        cards=(H, R),
    ),
    "gap": Example(
        path=(_t(F, 3), _t(C, 5), None, None, None, _t(O, 2), _t(H, 7)),
        gaps=(Gap(3, 5, 2, False),),
    ),
    "gaps": Example(
        path=(_t(O, 4, 2), None, _t(A, 6), None, None, _t(S, 3), _t(F, 1)),
        gaps=(Gap(2, 2, 4, False), Gap(4, 5, 3, False)),
        figures=((1, 0, 7),),
        mover=1,
        jumps=(1, 7),
        taken=6,
        cards=(F,),
    ),
    "bridge": Example(
        path=(_t(O, 4), _t(C, 6), None, None, None, _t(R, 5), _t(S, 1)),
        gaps=(Gap(3, 5, 0, True),),
    ),
    "take": Example(
        path=(_t(R, 1), _t(C, 5, 2), None, _t(A, 7), _t(O, 2), _t(H, 3), _t(S, 6)),
        gaps=(Gap(3, 3, 5, False),),
        figures=((3, 0, 4), (1, 2, 5), (0, 1, 6)),
        jumps=(1, 6),
        taken=2,
        cards=(H,),
    ),
    # What "gaps" looks like once red has taken statue 3: two gaps have become one.
    "after": Example(
        path=(_t(O, 4, 2), None, _t(A, 6), None, None, None, _t(F, 1)),
        gaps=(Gap(2, 2, 4, False), Gap(4, 6, 1, False)),
        figures=((1, 0, 7),),
    ),
    "end": Example(
        path=(_t(H, 2), None, _t(S, 5), _t(C, 3), None, None, _t(O, 4)),
        gaps=(Gap(2, 2, 2, False), Gap(5, 6, 3, False)),
        figures=((1, 0, 1), (1, 1, 4), (1, 2, 8)),
        mainland=True,
    ),
}


def example(name: str) -> tuple[Box, str]:
    """(viewBox, fragment) of an example."""
    this = EXAMPLES[name]
    width = (len(this.path) + this.mainland * 1.6) * STEP + 16
    top = -84.0 if this.cards else (-52.0 if this.jumps else -36.0)
    height = 38 - top
    y = num(top)
    water = f'<path class="sea" d="M0 {y}h{num(width)}v{num(height)}H0z" fill="{SEA}"/>'
    shallows = "".join(
        f'<path class="{css}" fill="none" d="M0 0H{num(width)}" stroke="{colour}" stroke-width="{size}"/>'
        for css, colour, size in SHALLOWS
    )
    parts = [water, shallows]
    if this.mainland:
        parts.append(place(_x(len(this.path)) + 0.9 * STEP, 0, art("example-coast")))
    parts += [_gap(gap) for gap in this.gaps if gap.bridged]
    parts += [
        place(_x(n), 0, art("sunken")) for n in range(1, len(this.path) + 1) if _drowned(this, n)
    ]
    parts += [_gap(gap) for gap in this.gaps if not gap.bridged]
    if this.taken is not None:
        parts.append(_frame(_x(this.taken), this.mover))
    for number, stack in enumerate(this.path, start=1):
        if stack is not None:
            parts.append(place(_x(number), 0, tile(*stack), f"rotate({number * 5 % 7 - 3})"))
    if this.jumps:
        parts.append(_jumps(this))
        parts.append(_ghost(this))
    parts += [
        place(_x(space) + 10.5, 15.5, figure(seat, number)) for seat, number, space in this.figures
    ]
    parts += [
        place(26 + 30 * i, top + 24, f'<g transform="scale(.8)">{card(item)}</g>')
        for i, item in enumerate(this.cards)
    ]
    return (0, top, width, height), "".join(parts)


def _ghost(this: Example) -> str:
    """The figure where it stood before the move."""
    number = next(n for seat, n, _space in this.figures if seat == this.mover)
    drawn = f'<g opacity=".45">{figure(this.mover, number)}</g>'
    return place(_x(this.jumps[0]) + 10.5, 15.5, drawn)


def _x(space: float) -> float:
    return 8 + STEP * (space - 0.5)


def _drowned(this: Example, space: int) -> bool:
    bridged = any(gap.bridged and gap.first <= space <= gap.last for gap in this.gaps)
    return this.path[space - 1] is None and not bridged


def _gap(gap: Gap) -> str:
    line = f"M{num(_x(gap.first - 1))} 0H{num(_x(gap.last + 1))}"
    if gap.bridged:
        return bridge(line)
    return crossing(line) + place(_x((gap.first + gap.last) / 2), 0, coin(gap.price))


def _frame(x: float, seat: int) -> str:
    box = f'x="{num(x - 21.5)}" y="-25" width="44" height="49" rx="6" fill="none"'
    return (
        f'<rect {box} stroke="{SEAT_CASINGS[seat]}" stroke-width="4"/>'
        f'<rect {box} stroke="{SEAT_COLOURS[seat]}" stroke-width="2.2" stroke-dasharray="6 3.4"/>'
    )


def _jumps(this: Example) -> str:
    """Arcs over the tiles from landing to landing, an arrowhead on each."""
    arcs, heads = [], []
    for start, end in zip(this.jumps, this.jumps[1:], strict=False):
        x0, x1 = _x(start) + 4, _x(end) - 2
        rise = min(20.0, 10 + (x1 - x0) * 0.06)
        arcs.append(f"M{pair(x0, -22)}Q{pair((x0 + x1) / 2, -24 - 1.6 * rise)} {pair(x1, -25)}")
        heads.append(f"M{pair(x1 + 4.5, -20)}l-9-2 5.4-7.4z")
    colour, casing = SEAT_COLOURS[this.mover], SEAT_CASINGS[this.mover]
    line = f'd="{"".join(arcs)}" fill="none" stroke-linecap="round"'
    return (
        f'<path {line} stroke="{casing}" stroke-width="5.4"/>'
        f'<path {line} stroke="{colour}" stroke-width="2.8" stroke-dasharray="6 4.4"/>'
        f'<path d="{"".join(heads)}" fill="{colour}" stroke="{casing}" stroke-width="1.2" '
        'stroke-linejoin="round"/>'
    )


# name pattern → (viewBox, what to draw, given the groups of the pattern)
_ITEM = "(" + "|".join(Item) + ")"
_CARD: Box = (-19, -26, 38, 52)
_ICONS: dict[str, Callable[..., tuple[Box, str]]] = {
    _ITEM: lambda item: ((-14, -14.5, 28, 29), art(item)),
    f"card-{_ITEM}": lambda item: (_CARD, card(Item(item))),
    "card-back": lambda: (_CARD, art("card-back")),
    "deck": lambda: (
        (-19, -26, 41, 55),
        "".join(place(x, x, art("card-back")) for x in (3, 1.5, 0)),
    ),
    f"tile-{_ITEM}-([1-7])": lambda item, value: (
        (-20, -20, 40, 42),
        tile(Tile(Item(item), int(value)), 1),
    ),
    f"stack-{_ITEM}-([1-7])": lambda item, value: (
        (-20, -24.5, 43, 49),
        tile(Tile(Item(item), int(value)), 2),
    ),
    f"figure-([0-{len(SEAT_COLOURS) - 1}])-([{FIGURES}])": lambda seat, letter: (
        (-11, -29, 23, 34),
        figure(int(seat), FIGURES.index(letter)),
    ),
    "price-([0-9]{1,3})": lambda coins: ((-12, -11.5, 24, 25), coin(coins)),
    "bridge": lambda: ((-25, -16, 50, 36), bridge("M-22 8Q0-12 22 8")),
    "atlantis": lambda: ((8, 4, 90, 64), art("atlantis")),
    "mainland": lambda: ((2, 442, 92, 66), art("mainland")),
    f"example-({'|'.join(EXAMPLES)})": example,
}


@lru_cache(maxsize=512)
def icon_svg(name: str) -> str:
    """The icon of this name. ValueError where there is none.

    Names: an item ("flag"), card-<item>, card-back, deck, tile-<item>-<value>,
    stack-<item>-<value>, figure-<seat>-<A, B or C>, price-<coins>, bridge, atlantis, mainland,
    example-<name> for the pictures of the rules page.
    """
    kind = "example" if name.startswith("example-") else "icon"
    for pattern, draw in _ICONS.items():
        if match := re.fullmatch(pattern, name):
            return icon(f"{kind} {kind}-atlantis {name}", *draw(*match.groups()))
    raise ValueError(f"there is no picture named {name!r}")
