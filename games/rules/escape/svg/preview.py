"""What orders would do, drawn on top of the board."""

from collections.abc import Iterator

from ...drawing import Element
from ...svg_kit import group, use
from ..board import to_place
from ..creatures import check_steer
from ..model import COLOUR_LETTERS, Command, Launch, Place, Steer, Turn, View
from .geometry import CENTRES
from .pieces import art
from .recent import way_of

FADED = ".75"


def preview_marks(view: View, command: Command) -> Iterator[Element]:
    """The tile that would sink, the way of a creature, a piece that would be placed. The steps of a
    turn are marked while they are chosen."""
    board = view.board
    match command:
        case Turn(sink=sink) if sink is not None:
            yield Element((art("sank"),), *CENTRES[sink], css="ghost")
        case Steer(start=start) if start is not None and board.rolled is not None:
            way = tuple(check_steer(board, command))
            x, y = CENTRES[way[-1]]
            yield from way_of((start, *way))
            yield Element((group(use(board.rolled), opacity=FADED),), x, y, css="ghost")
        case Place(hex=hex_):
            colour = to_place(board)
            assert colour is not None, "there are explorers to place"
            piece = use(f"s{COLOUR_LETTERS[colour]}")
            x, y = CENTRES[hex_]
            yield Element((group(piece, opacity=FADED),), x, y + 6, css="ghost")
        case Launch(hex=hex_):
            piece = use("sail") + use("hull")
            yield Element((group(piece, opacity=FADED),), *CENTRES[hex_], css="ghost")
        case _:
            return
