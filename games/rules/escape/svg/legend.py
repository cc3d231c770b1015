"""Below the sea: each seat with its colours, how many are safe, its face-down tiles."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from ...engine import Seat, Text, _, ngettext
from ..board import out, own, saved
from ..model import COLOUR_LETTERS, Stage, View
from .geometry import HEIGHT, SHORE, WIDTH, num, pair

_LETTER = 6.4  # width of a letter of a seat's name, on average


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
        f'{escape(name)}{asked}</text><text x="{num(left)}" y="416.6" font-size="6.6" opacity=".88">'
        f"{escape(translate(_numbers(view, seat)))}</text></g>"
    )


def _numbers(view: View, seat: int) -> Text:
    board = view.board
    there = sum(out(board.where[who]) for who in own(board, seat))
    if board.stage is Stage.SETUP:
        return ngettext("%(count)s placed", "%(count)s placed", there)
    return _(
        "safe %(saved)s · out %(out)s · tiles %(tiles)s",
        saved=len(saved(board, seat)),
        out=there,
        tiles=board.held[seat],
    )


def _short(name: str, most: int) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
