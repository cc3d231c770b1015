"""Small pictures that stand alone: items, cards, tiles, figures, coins, for forms, hands and pages.

No ids and no references inside, so that any number of them can stand on one page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from ..model import FIGURES, Item, Tile
from . import scenery
from .art import DRAWINGS
from .examples import EXAMPLES, example
from .pieces import SEAT_COLOURS, bridge, card, card_back, coin, figure, place, tile
from .style import FONT

Box = tuple[float, float, float, float]  # left, top, width, height of a viewBox


@lru_cache(maxsize=512)
def icon_svg(name: str) -> str:
    """A picture by its name; its width and height are those of its viewBox, CSS may say otherwise.

    Names: an item ("flag"), card-<item>, card-back, deck, tile-<item>-<value>,
    stack-<item>-<value>, figure-<seat>-<A, B or C>, price-<coins>, bridge, atlantis, mainland,
    example-<name> for the pictures of the rules page. ValueError for any other.
    """
    for pattern, draw in _ICONS:
        match = re.fullmatch(pattern, name)
        if match:
            return _svg(name, *draw(*match.groups()))
    raise ValueError(f"there is no picture named {name!r}")


def _svg(name: str, box: Box, content: str) -> str:
    kind = "example" if name.startswith("example-") else "icon"
    left, top, width, height = (f"{side:g}" for side in box)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind} {kind}-atlantis {name}" '
        f'viewBox="{left} {top} {width} {height}" width="{width}" height="{height}" '
        f'{FONT} text-anchor="middle" aria-hidden="true" focusable="false">{content}</svg>'
    )


def _item(item: str) -> tuple[Box, str]:
    return (-14, -14.5, 28, 29), DRAWINGS[Item(item)]


def _card(item: str) -> tuple[Box, str]:
    return (-19, -26, 38, 52), card(Item(item))


def _card_back() -> tuple[Box, str]:
    return (-19, -26, 38, 52), card_back()


def _deck() -> tuple[Box, str]:
    layers = "".join(place(x, x, card_back()) for x in (3, 1.5, 0))
    return (-19, -26, 41, 55), layers


def _tile(item: str, value: str) -> tuple[Box, str]:
    return (-20, -20, 40, 42), tile(Tile(Item(item), int(value)), 1)


def _stack(item: str, value: str) -> tuple[Box, str]:
    return (-20, -24.5, 43, 49), tile(Tile(Item(item), int(value)), 2)


def _figure(seat: str, letter: str) -> tuple[Box, str]:
    return (-11, -29, 23, 34), figure(int(seat), FIGURES.index(letter))


def _price(coins: str) -> tuple[Box, str]:
    return (-12, -11.5, 24, 25), coin(coins)


def _bridge() -> tuple[Box, str]:
    return (-25, -16, 50, 36), bridge("M-22 8Q0-12 22 8")


def _atlantis() -> tuple[Box, str]:
    return (8, 4, 90, 64), scenery.atlantis()


def _mainland() -> tuple[Box, str]:
    return (2, 442, 92, 66), scenery.mainland()


_ITEM = "(" + "|".join(Item) + ")"
_ICONS: tuple[tuple[str, Callable[..., tuple[Box, str]]], ...] = (
    (_ITEM, _item),
    (f"card-{_ITEM}", _card),
    ("card-back", _card_back),
    ("deck", _deck),
    (f"tile-{_ITEM}-([1-7])", _tile),
    (f"stack-{_ITEM}-([1-7])", _stack),
    (f"figure-([0-{len(SEAT_COLOURS) - 1}])-([{FIGURES}])", _figure),
    ("price-([0-9]{1,3})", _price),
    ("bridge", _bridge),
    ("atlantis", _atlantis),
    ("mainland", _mainland),
    ("example-(" + "|".join(EXAMPLES) + ")", example),
)
