"""Names that sentences are made of: items, tiles, spaces, gaps, payments, and lists of them."""

from collections.abc import Iterable, Sequence

from ..text import Text, _, and_list, joined, literal, ngettext
from .box import ITEMS
from .model import ATLANTIS, FIGURES, MAINLAND, Cards, Gap, Item, Tile

ITEM_NAMES = {
    Item.FLAG: _("flag"),
    Item.OLIVE: _("olive"),
    Item.HELMET: _("helmet"),
    Item.AMPHORA: _("amphora"),
    Item.RING: _("ring"),
    Item.CROWN: _("crown"),
    Item.STATUE: _("statue"),
}

# In sentences, always as an object: German has “einen Helm”.
AN_ITEM = {
    Item.FLAG: _("a flag"),
    Item.OLIVE: _("an olive"),
    Item.HELMET: _("a helmet"),
    Item.AMPHORA: _("an amphora"),
    Item.RING: _("a ring"),
    Item.CROWN: _("a crown"),
    Item.STATUE: _("a statue"),
}


def letter(figure: int) -> str:
    """A, B or C."""
    return FIGURES[figure]


def cards_of(figure: int, cards: Cards) -> Text:
    """A figure and what it plays, as one types it: "B olive ring"."""
    return joined([literal(letter(figure))] + [ITEM_NAMES[card] for card in cards], " ")


def tile_name(tile: Tile) -> Text:
    """ "olive 4"."""
    return literal("%(item)s %(value)s", item=ITEM_NAMES[tile.item], value=tile.value)


def place(space: int) -> Text:
    """Name the place of a figure."""
    if space == ATLANTIS:
        return _("Atlantis")
    if space == MAINLAND:
        return _("the mainland")
    return _("space %(space)s", space=space)


def place_name(space: int) -> Text:
    """Return the place of a figure, in words that follow its letter."""
    if space == ATLANTIS:
        return _("on Atlantis")
    if space == MAINLAND:
        return _("on the mainland")
    return _("on space %(number)s", number=space)


def cards_named(cards: Iterable[Item]) -> Text:
    """Cards in the order they were played: "flag, flag and ring"."""
    return and_list([ITEM_NAMES[item] for item in cards])


def cards_in_sentence(cards: Iterable[Item]) -> Text:
    """The same with articles: "a flag, a flag and a ring"."""
    return and_list([AN_ITEM[item] for item in cards])


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


def payment_named(values: Sequence[int], cards: Cards) -> Text:
    """ "tiles 7 and 2 and 3 cards (2 flag and 1 ring)"; there is at least one coin."""
    parts = []
    if values:
        numbers = and_list([literal(str(value)) for value in values])
        parts.append(ngettext("tile %(values)s", "tiles %(values)s", len(values), values=numbers))
    if cards:
        parts.append(
            ngettext(
                "%(count)s card (%(cards)s)",
                "%(count)s cards (%(cards)s)",
                len(cards),
                cards=hand_named(cards) if len(cards) > 1 else ITEM_NAMES[cards[0]],
            )
        )
    return and_list(parts)


def total(values: Sequence[int]) -> str:
    """ "5 + 4 + 1 = 10"; a single number stands alone."""
    if len(values) == 1:
        return str(values[0])
    return f"{' + '.join(map(str, values))} = {sum(values)}"


def gap_name(gap: Gap) -> str:
    """The name of a gap by its spaces."""
    return spaces_name(gap.first, gap.last)


def spaces_name(first: int, last: int) -> str:
    """ "12–14", or "12" for a single space: the same in every language."""
    return str(first) if first == last else f"{first}–{last}"
