"""Names that sentences are made of: items, tiles, spaces, and lists of them."""

from collections.abc import Iterable, Sequence

from ..text import Text, _, and_list, literal, ngettext
from .box import ITEMS
from .model import ATLANTIS, FIGURES, MAINLAND, Item, Tile

ITEM_NAMES = {
    Item.FLAG: _("flag"),
    Item.OLIVE: _("olive"),
    Item.HELMET: _("helmet"),
    Item.AMPHORA: _("amphora"),
    Item.RING: _("ring"),
    Item.CROWN: _("crown"),
    Item.STATUE: _("statue"),
}


def letter(figure: int) -> str:
    """A, B or C."""
    return FIGURES[figure]


def tile_name(tile: Tile) -> Text:
    """ "olive 4"."""
    return literal("%(item)s %(value)s", item=ITEM_NAMES[tile.item], value=tile.value)


def place(space: int) -> Text:
    """Where a figure stands or lands."""
    if space == ATLANTIS:
        return _("Atlantis")
    if space == MAINLAND:
        return _("the mainland")
    return _("space %(space)s", space=space)


def cards_named(cards: Iterable[Item]) -> Text:
    """Cards in the order they were played: "flag, flag and ring"."""
    return and_list([ITEM_NAMES[item] for item in cards])


def hand_named(cards: Sequence[Item]) -> Text:
    """Cards of a hand, equal ones counted: "olive and 2 × ring"."""
    counted = [(item, cards.count(item)) for item in ITEMS if item in cards]
    if not counted:
        return _("no cards")
    return and_list(
        [
            ITEM_NAMES[item]
            if n == 1
            else literal("%(number)s × %(item)s", number=n, item=ITEM_NAMES[item])
            for item, n in counted
        ]
    )


def coins_named(tiles: Sequence[int], cards: Sequence[Item]) -> Text:
    """A payment: "7, 2 and 3 cards"; there is at least one coin."""
    parts = [literal(str(value)) for value in tiles]
    if cards:
        parts.append(ngettext("%(count)s card", "%(count)s cards", len(cards)))
    return and_list(parts)
