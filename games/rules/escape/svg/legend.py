"""Below the sea: each seat with its colours, how many are safe, its face-down tiles."""

from collections.abc import Callable, Iterator
from html import escape

from ...drawing import Element
from ...svg_kit import group, pair, path, text
from ...text import Seat, Text, literal
from ..board import out, own, saved
from ..model import COLOUR_LETTERS, Stage, View
from .geometry import HEIGHT, SHORE, WIDTH
from .pieces import art

_LETTER = 6.4  # average width of a letter of a seat's name
_APART = 23  # from one number to the next
_WORDS = 'text-anchor="start" fill="#f2fbfb"'
# All names in the font that has all letters and the dot: names in two fonts would look unequal.
_NAME = f'{_WORDS} font-family="Atlantis Board Names,Cabin,Trebuchet MS,sans-serif"'


def legend(view: View, translate: Callable[[Text], str]) -> Iterator[Element]:
    """The strip at the foot of the board, seats in turn order."""
    order = view.board.order
    strip = path(f"M0 0h{WIDTH}v{HEIGHT - SHORE}H0z", "#174a63", class_="legend", opacity=".9")
    yield Element((strip,), y=SHORE, box=(0, 0, WIDTH, HEIGHT - SHORE))
    width = (WIDTH - 16) / max(1, len(order))
    for number, seat in enumerate(order):
        yield from _seat(view, seat, 8 + width * number, width, translate)


def _seat(
    view: View, seat: int, x: float, width: float, translate: Callable[[Text], str]
) -> Iterator[Element]:
    board = view.board
    letters = [COLOUR_LETTERS[colour] for colour in range(seat, board.colours, board.seats)]
    for number, letter in enumerate(letters):
        yield Element((f'<use href="#s{letter}"/>',), x + 9 + 11 * number, 418)
    left = x + 9 + 11 * len(letters)
    name = _short(translate(literal("%(seat)s", seat=Seat(seat))), int((width - 20) / _LETTER))
    asked = " ●" if seat in view.to_act else ""
    words = text(escape(name) + asked, 0, 0, font_size=8.6)
    box = (-2, -12, width, 18)
    yield Element((words,), left, 405, box=box, group=_NAME)
    # Signs instead of words, which are too long in some languages.
    there = sum(out(board.where[who]) for who in own(board, seat))
    counted = {"out": there, "safe": len(saved(board, seat)), "tile": board.held[seat]}
    for place, (sign, number) in enumerate(counted.items()):
        if sign == "out" or board.stage is not Stage.SETUP:
            fragments = (
                group(art(f"sign-{sign}"), f"translate({pair(3.6, -2.6)})"),
                text(number, 9, 0, font_size=7),
            )
            yield Element(fragments, left + _APART * place, 417, group=_WORDS)


def _short(name: str, most: int) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
