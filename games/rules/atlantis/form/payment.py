"""The last question: what to pay with. The cheapest beforehand, or coin by coin."""

from collections.abc import Sequence

from ...form_builder import FormBuilder
from ...move_form import Choice
from ...text import _, ngettext
from ..box import ITEMS
from ..coins import Counts, counts_of
from ..model import Cards, Item, Tile, View
from ..move_context import MoveContext, Route, cheapest
from ..names import ITEM_NAMES, payment_named, tile_name

Payment = tuple[tuple[int, ...], Cards]  # tile values, highest first, and cards, sorted


def payment(builder: FormBuilder[View], context: MoveContext, route: Route, due: int) -> Payment:
    """Ask for the payment of this way, which the player can afford."""
    least = cheapest(context, route.cards, due)
    assert least is not None, "only ways that can be paid are offered"
    if not due:
        return least
    over = sum(least[0]) + len(least[1]) - due
    chosen = builder.one(
        "pay",
        ngettext(
            "How do you want to pay %(count)s point?",
            "How do you want to pay %(count)s points?",
            due,
        ),
        [
            Choice(
                "least",
                payment_named(*least),
                ngettext("overpays by %(count)s point", "overpays by %(count)s points", over)
                if over
                else None,
            ),
            Choice("own", _("Another combination")),
        ],
        default="least",
        invalid_message=_("Choose how to pay."),
    )
    if chosen == "least":
        return least
    # The cheapest payment is filled in until the player has seen the coins and sent them back.
    seen = any(name == "tiles" or name.startswith("card_") for name in builder.answers)
    played = counts_of(route.cards)
    left = tuple(held - used for held, used in zip(context.hand, played, strict=True))
    tiles = _tiles(builder, context, None if seen else least[0])
    return tiles, _cards(builder, left, None if seen else least[1])


def _tiles(
    builder: FormBuilder[View], context: MoveContext, initial: Sequence[int] | None
) -> tuple[int, ...]:
    """Tiles to tick, highest first; "5.2" is the second tile of value 5."""
    tiles = sorted(context.me.tiles, key=lambda tile: -tile.value)
    if not tiles:
        return ()
    names = _numbered([tile.value for tile in tiles])
    ticked = builder.many(
        "tiles",
        _("Tiles to pay with"),
        [
            Choice(name, tile_name(tile), icon=tile_icon(tile))
            for name, tile in zip(names, tiles, strict=True)
        ],
        initial=None if initial is None else _numbered(initial),
        invalid_message=_("You do not have all of these tiles. Choose again."),
    )
    return tuple(tile.value for name, tile in zip(names, tiles, strict=True) if name in ticked)


def _numbered(values: Sequence[int]) -> list[str]:
    """[5, 5, 2] → ["5.1", "5.2", "2.1"]."""
    return [f"{value}.{values[: at + 1].count(value)}" for at, value in enumerate(values)]


def _cards(builder: FormBuilder[View], left: Counts, initial: Cards | None) -> Cards:
    """A number of cards for each item still in hand."""
    paid: list[Item] = []
    for item, limit in zip(ITEMS, left, strict=True):
        number = builder.count(
            f"card_{item.value}",
            _("%(item)s cards to pay with", item=ITEM_NAMES[item]),
            limit,
            initial=None if initial is None else initial.count(item),
            invalid_message=_("You do not have that many cards left to pay with."),
            icon=f"card-{item}",
        )
        paid.extend([item] * number)
    return tuple(paid)


def tile_icon(tile: Tile) -> str:
    """The name of a tile's picture."""
    return f"tile-{tile.item}-{tile.value}"
