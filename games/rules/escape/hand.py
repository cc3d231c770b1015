"""The reader's own face-down tiles, equal ones counted, for pages and emails."""

from ..presentation_data import HandItem
from .model import Back, View
from .names import BACKS


def hand(view: View) -> tuple[HandItem, ...]:
    """The viewer's kept tiles in the order of the box; () for a spectator."""
    tiles = () if view.viewer is None else view.kept[view.viewer] or ()
    return tuple(
        HandItem(icon_of(back), BACKS[back], tiles.count(back)) for back in Back if back in tiles
    )


def icon_of(back: Back) -> str:
    """The name of a tile back's picture."""
    return f"back-{back.replace(' ', '-')}"
