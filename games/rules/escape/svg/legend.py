"""Below the sea: each seat with its colours, how many are safe, its face-down tiles."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from ...engine import Seat, Text, _
from ..board import out, own, saved
from ..model import COLOUR_LETTERS, Stage, View
from .geometry import HEIGHT, SHORE, WIDTH, num, pair

_LETTER = 6.4  # width of a letter of a seat's name, on average
_APART = 23  # from one number to the next
# Signs around (0, 0), about 7 wide: somebody, a hut, a tile.
_OUT = "M0-4.4a1.9 1.9 0 1 1 0 3.8 1.9 1.9 0 1 1 0-3.8zM-2.8 3C-2.4.6-1.6-.6 0-.6S2.4.6 2.8 3z"
_SAFE = "M0-4.4L4.2-.6H3V3H1V.6H-1V3H-3V-.6H-4.2z"
_TILE = "M0-4.2L3.4-2.2V1.8L0 3.8-3.4 1.8V-2.2zM0-2.8L-2.2-1.5V1.1L0 2.4 2.2 1.1V-1.5z"


def legend(view: View, translate: Callable[[Text], str], prefix: str) -> str:
    """The strip at the foot of the board, seats in turn order."""
    order = view.board.order
    width = (WIDTH - 16) / max(1, len(order))
    return (
        f'<path class="legend" d="M0 {SHORE}h{WIDTH}v{HEIGHT - SHORE}H0z" fill="#174a63" opacity=".9"/>'
        + "".join(
            _seat(view, seat, 8 + width * number, width, translate, prefix)
            for number, seat in enumerate(order)
        )
    )


def _seat(
    view: View, seat: int, x: float, width: float, translate: Callable[[Text], str], prefix: str
) -> str:
    board = view.board
    letters = [COLOUR_LETTERS[colour] for colour in range(seat, board.colours, board.seats)]
    pawns = "".join(
        f'<use href="#{prefix}s{letter}" transform="translate({pair(x + 9 + 11 * number, 418)})"/>'
        for number, letter in enumerate(letters)
    )
    left = x + 9 + 11 * len(letters)
    name = _short(translate(_("%(seat)s", seat=Seat(seat))), int((width - 20) / _LETTER))
    asked = " ●" if seat in view.to_act else ""
    return (
        f'{pawns}<g text-anchor="start" fill="#f2fbfb"><text x="{num(left)}" y="405" font-size="8.6">'
        f"{escape(name)}{asked}</text>{_numbers(view, seat, left)}</g>"
    )


def _numbers(view: View, seat: int, left: float) -> str:
    """How many are safe, how many are out there, and the face-down tiles: signs instead of words,
    which would be too long in many a language."""
    board = view.board
    there = sum(out(board.where[who]) for who in own(board, seat))
    counted = [(_OUT, there), (_SAFE, len(saved(board, seat))), (_TILE, board.held[seat])]
    if board.stage is Stage.SETUP:
        del counted[1:]
    return "".join(
        f'<path d="{sign}" transform="translate({pair(left + 3.6 + _APART * place, 414.4)})" '
        f'fill-rule="evenodd"/><text x="{num(left + 9 + _APART * place)}" y="417" font-size="7">{number}</text>'
        for place, (sign, number) in enumerate(counted)
    )


def _short(name: str, most: int) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
