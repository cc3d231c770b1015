"""Icons for forms, hands and pages: items, cards, tiles, figures, coins.

They contain no ids and no references, so that a page can show any number of them.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from ...drawing import Box
from ...svg_kit import icon
from ..model import FIGURES, Item, Tile
from .examples import EXAMPLES, example
from .pieces import SEAT_COLOURS, art, bridge, card, coin, figure, place, tile


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
