"""What the players hold, for pages and emails."""

from collections.abc import Iterator

from ..presentation import HandItem
from ..text import Text, _, ngettext
from .board import lost, out, own, saved
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


def holdings(view: View) -> tuple[tuple[Text, ...], ...]:
    """Per seat: who is safe, out there, lost, and how many face-down tiles it holds."""
    return tuple(tuple(_holding(view, seat)) for seat in range(view.board.seats))


def _holding(view: View, seat: int) -> Iterator[Text]:
    board = view.board
    out_there = sum(out(board.where[who]) for who in own(board, seat))
    safe, gone, held = len(saved(board, seat)), len(lost(board, seat)), board.held[seat]
    yield _("%(count)s on the board", count=out_there)
    if safe:
        yield _("%(count)s safe", count=safe)
    if gone:
        yield _("%(count)s lost", count=gone)
    if held:
        yield ngettext("%(count)s face-down tile", "%(count)s face-down tiles", held)
