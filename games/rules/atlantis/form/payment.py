"""The last question: what to pay with, of the own tiles and cards. The cheapest are ticked."""

from collections.abc import Iterator, Sequence

from ...form_builder import FormBuilder
from ...move_form import Choice
from ...text import _, ngettext
from ..box import ITEMS
from ..coins import cards_of, counts_of
from ..model import Cards, Tile, View
from ..move_context import MoveContext, Route, cheapest
from ..names import ITEM_NAMES, tile_name

Payment = tuple[tuple[int, ...], Cards]  # tile values, highest first, and cards, sorted


def payment(builder: FormBuilder[View], context: MoveContext, route: Route, due: int) -> Payment:
    """Ask for the payment of this way, which the player can afford."""
    least = cheapest(context, route.cards, due)
    assert least is not None, "only ways that can be paid are offered"
    if not due:
        return least
    tiles = sorted((tile.value for tile in context.me.tiles), reverse=True)
    names = _numbered(tiles)
    ticked = builder.pay(
        "pay",
        ngettext(
            "How do you want to pay %(count)s point?",
            "How do you want to pay %(count)s points?",
            due,
        ),
        [*_tile_choices(context), *_card_choices(context, route)],
        due=due,
        stamp=f"{due}:{'.'.join(route.cards)}",
        initial=[*_numbered(least[0]), *_numbered(least[1])],
        invalid_message=_("You do not have all of these tiles and cards. Choose again."),
    )
    paid = [sum(name.partition(".")[0] == item for name in ticked) for item in ITEMS]
    return (
        tuple(value for name, value in zip(names, tiles, strict=True) if name in ticked),
        cards_of(paid),
    )


def _numbered(values: Sequence[object]) -> list[str]:
    """[5, 5, 2] → ["5.1", "5.2", "2.1"]."""
    return [f"{value}.{values[: at + 1].count(value)}" for at, value in enumerate(values)]


def _tile_choices(context: MoveContext) -> list[Choice]:
    """Tiles, highest first; "5.2" is the second tile of value 5."""
    tiles = sorted(context.me.tiles, key=lambda tile: -tile.value)
    return [
        Choice(name, tile_name(tile), icon=tile_icon(tile), worth=tile.value)
        for name, tile in zip(_numbered([tile.value for tile in tiles]), tiles, strict=True)
    ]


def _card_choices(context: MoveContext, route: Route) -> Iterator[Choice]:
    """Cards by item; those that the move itself plays are shown but cannot pay."""
    for item, held, used in zip(ITEMS, context.hand, counts_of(route.cards), strict=True):
        for number in range(1, held + 1):
            is_played = number > held - used
            yield Choice(
                f"{item.value}.{number}",
                ITEM_NAMES[item],
                _("played") if is_played else None,
                icon=f"card-{item}",
                worth=0 if is_played else 1,
                fixed=is_played,
            )


def tile_icon(tile: Tile) -> str:
    """The name of a tile's picture."""
    return f"tile-{tile.item}-{tile.value}"
