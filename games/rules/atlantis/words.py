"""The words of Atlantis that sentences are made of: items, tiles, lists.

Only small parts of speech; whole sentences stand where they are said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..engine import Text, _, ngettext
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
    return _("%(item)s %(value)s", item=ITEM_NAMES[tile.item], value=tile.value)


def place(space: int) -> Text:
    """Where a figure stands or lands."""
    if space == ATLANTIS:
        return _("Atlantis")
    if space == MAINLAND:
        return _("the mainland")
    return _("space %(space)s", space=space)


def listed(parts: Sequence[Text]) -> Text:
    """ "flag, olive and ring"; there is at least one part."""
    if len(parts) == 1:
        return parts[0]
    head = parts[0]
    for part in parts[1:-1]:
        head = _("%(list)s, %(next)s", list=head, next=part)
    return _("%(list)s and %(last)s", list=head, last=parts[-1])


def cards_named(cards: Iterable[Item]) -> Text:
    """Cards in the order they were played: "flag, flag and ring"."""
    return listed([ITEM_NAMES[item] for item in cards])


def hand_named(cards: Sequence[Item]) -> Text:
    """Cards of a hand, equal ones counted: "olive and 2 × ring"."""
    counted = [(item, cards.count(item)) for item in ITEMS if item in cards]
    if not counted:
        return _("no cards")
    return listed(
        [
            ITEM_NAMES[item]
            if n == 1
            else _("%(number)s × %(item)s", number=n, item=ITEM_NAMES[item])
            for item, n in counted
        ]
    )


def coins_named(tiles: Sequence[int], cards: Sequence[Item]) -> Text:
    """A payment: "7, 2 and 3 cards"; there is at least one coin."""
    parts = [_("%(value)s", value=value) for value in tiles]
    if cards:
        parts.append(ngettext("%(count)s card", "%(count)s cards", len(cards)))
    return listed(parts)
