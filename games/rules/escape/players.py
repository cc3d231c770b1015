"""Visible facts about each player: for the plain board, for screen readers and for emails."""

from collections.abc import Iterator

from ..presentation import PlayerFacts
from ..text import Text, _, and_list, ngettext
from .board import lost, out, own, saved
from .model import COLOUR_LETTERS, IN_HAND, View
from .names import BACKS, COLOURS, explorer_name


def players(view: View) -> tuple[PlayerFacts, ...]:
    """In the order of play: colours, explorers by where they are, tiles, known values."""
    board = view.board
    letters = [COLOUR_LETTERS[seat : board.colours : board.seats] for seat in range(board.seats)]
    return tuple(
        PlayerFacts(seat, "".join(letters[seat]), tuple(_facts(view, seat))) for seat in board.order
    )


def _facts(view: View, seat: int) -> Iterator[Text]:
    board, mine = view.board, own(view.board, seat)
    yield and_list([COLOURS[colour] for colour in range(seat, board.colours, board.seats)])
    there = [who for who in mine if out(board.where[who])]
    yield _("%(count)s on the board", count=len(there))
    yield _("%(count)s saved", count=len(saved(board, seat)))
    if gone := len(lost(board, seat)):
        yield _("%(count)s lost", count=gone)
    if hand := sum(board.where[who] == IN_HAND for who in mine):
        yield _("%(count)s in hand", count=hand)
    if tiles := view.kept[seat]:
        yield _("tiles %(tiles)s", tiles=and_list([BACKS[tile] for tile in tiles]))
    elif held := board.held[seat]:
        yield ngettext("%(count)s face-down tile", "%(count)s face-down tiles", held)
    # "=" keeps the list from being read as a move.
    if known := [f"{explorer_name(who)}={view.values[who]}" for who in there if view.values[who]]:
        yield _("values %(values)s", values=" ".join(known))
