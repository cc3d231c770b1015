"""The greedy player of Atlantis."""

from games.rules.atlantis import moves, rules
from games.rules.atlantis.model import MAINLAND, Buy, Command, Move, Moved, Pass, State, View

SPACE = 0.25  # points that a space further is worth: a game has about 160 spaces for 40 points
ARRIVAL = 3.0  # a figure on the mainland draws a card more each turn


def choose(state: State, seat: int) -> Command:
    """The move that brings most at once; it never buys and builds no bridge."""
    view = rules.view(state, seat)
    best: Command | None = None
    most = float("-inf")
    for command in moves.legal_moves(view):
        worth = _worth(view, command)
        if worth > most:
            most, best = worth, command
    assert best is not None, "a seat that is asked has a legal command"
    return best


def _worth(view: View, command: Command) -> float:
    """Points gained less points spent, and the way made, in points."""
    match command:
        case Buy() | Pass():
            return -100.0 if isinstance(command, Buy) else 0.0
        case Move(bridge_before=None, bridge_after=None):
            done = moves.simulate(view, command)
            assert isinstance(done, Moved) and view.viewer is not None, "a move moves a figure"
            lands = done.via[-1]
            tile = done.taken.value if done.taken is not None else 0
            paid = sum(tile.value for tile in done.paid_tiles) + len(done.paid_cards)
            figures = list(view.players[view.viewer].figures)
            figures[done.figure] = lands
            way = SPACE * (lands - done.start) + ARRIVAL * (lands == MAINLAND)
            return float(tile - len(command.cards) - paid + moves.draws(done, figures)) + way
        case _:
            return -50.0
