"""The greedy player of Atlantis."""

from games.rules.atlantis import moves, rules
from games.rules.atlantis.model import MAINLAND, Buy, Command, Move, Pass, State, View

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
            assert done.lands is not None and done.start is not None, "a move moves a figure"
            tile = done.taken.value if done.taken is not None else 0
            way = SPACE * (done.lands - done.start) + ARRIVAL * (done.lands == MAINLAND)
            return float(tile - len(command.cards) - done.paid + done.draws) + way
        case _:
            return -50.0
