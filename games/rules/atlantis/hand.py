"""What the players hold, for pages and emails."""

from ..presentation import HandItem
from ..text import Text, ngettext
from .box import ITEMS
from .model import View
from .names import ITEM_NAMES


def hand(view: View) -> tuple[HandItem, ...]:
    """The viewer's cards by item, in the order of the items; () for a spectator."""
    cards = () if view.viewer is None else view.players[view.viewer].hand or ()
    return tuple(
        HandItem(item.value, ITEM_NAMES[item], cards.count(item)) for item in ITEMS if item in cards
    )


def holdings(view: View) -> tuple[tuple[Text, ...], ...]:
    """Per seat: how many cards and tiles it holds."""
    return tuple(
        (
            ngettext("%(count)s card", "%(count)s cards", player.cards),
            ngettext("%(count)s tile", "%(count)s tiles", len(player.tiles)),
        )
        for player in view.players
    )
