"""The effects of the orders of a turn, up to the sinking: nothing hidden.

Works on a view, so that the form, the notation and the bot can try what the rules would say.
"""

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from ..errors import IllegalMove
from ..text import Text, _
from ..tuples import lacking
from .action_tiles import check_play, play_events
from .board import anybody_out, lowest_terrain, swimmers
from .evolve import played, stepped
from .model import SEA, Back, Board, Harmed, Played, Stepped, Turn, View
from .sinking import check_sink
from .steps import check_step, step_events

Known = Played | Stepped | Harmed


class Simulation(msgspec.Struct, frozen=True):
    """The board after the orders, the tile to sink taken away, and what happened on the way.

    spilled: explorers on the sinking tile, who will swim there. ended: nobody was left before all
    orders were carried out.
    """

    board: Board
    tiles: tuple[Back, ...]
    events: tuple[Known, ...] = ()
    spilled: tuple[int, ...] = ()
    ended: bool = False


def simulate(view: View, orders: Turn) -> Simulation:
    """Try the orders; IllegalMove with the reason where they may not be given."""
    seat, board = _asked(view), view.board
    _check_orders(orders)
    tiles, events = view.kept[seat] or (), list[Known]()
    if orders.play is not None:
        check_play(board, seat, orders.play, tiles)
        events += play_events(board, seat, orders.play)
        board = _after_all(board, events)
        tiles = lacking(tiles, orders.play.tile)
    for number, step in enumerate(orders.steps, start=1):
        if not anybody_out(board):
            break
        try:
            check_step(board, seat, step)
        except IllegalMove as problem:
            raise IllegalMove(_numbered(problem.text, number, len(orders.steps))) from None
        done = step_events(board, seat, step)
        events += done
        board = _after_all(board, done)
    if not anybody_out(board):
        return Simulation(board, tiles, tuple(events), ended=True)
    if orders.roll and lowest_terrain(board) is not None:
        raise IllegalMove(_("You must sink a tile every turn while there are tiles left."))
    if orders.sink is None:
        return Simulation(board, tiles, tuple(events))
    check_sink(board, orders.sink)
    board = replace(board, map=board.map[: orders.sink] + SEA + board.map[orders.sink + 1 :])
    return Simulation(board, tiles, tuple(events), spilled=swimmers(board, orders.sink))


def _asked(view: View) -> int:
    """The seat that looks; IllegalMove where it is not asked."""
    if view.viewer is None or view.viewer not in view.to_act:
        raise IllegalMove(_("It’s not your turn."))
    return view.viewer


def _check_orders(orders: Turn) -> None:
    """IllegalMove where the orders say nothing, or contradict themselves."""
    if orders == Turn():
        raise IllegalMove(_("Say what to do: a step, or a tile to sink."))
    if orders.roll and orders.sink is not None:
        raise IllegalMove(
            _("Sink a tile, or roll the die if no tiles are left. You cannot do both.")
        )


def simulated_view(view: View, simulation: Simulation) -> View:
    """The view redrawn as the orders leave it."""
    kept = tuple(
        simulation.tiles if seat == view.viewer else tiles for seat, tiles in enumerate(view.kept)
    )
    return replace(view, board=simulation.board, kept=kept)


def _after_all(board: Board, events: Iterable[Known]) -> Board:
    """The board after what happens before the sinking."""
    for event in events:
        if isinstance(event, Stepped):
            board = stepped(board, event.step, event.start)
        else:
            board = played(board, event)
    return board


def _numbered(problem: Text, number: int, count: int) -> Text:
    if count == 1:
        return problem
    return _("Step %(number)s: %(problem)s", number=number, problem=problem)
