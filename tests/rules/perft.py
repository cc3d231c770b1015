"""Counts the ways to play on: `python -m tests.rules.perft atlantis --position "…" --depth 2`.

The deck stays as it lies and shuffles change nothing. For tests of the rules, and to compare two
versions of them.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence

from games.rules import GAMES
from games.rules.chance import IdentityChance, SeededChance
from games.rules.contract import AnyGame, State

from .atlantis import position_lines as atlantis_lines
from .escape import position_lines as escape_lines

PARSERS: Mapping[str, Callable[[str], State]] = {
    "atlantis": atlantis_lines.parse_position,
    "escape": escape_lines.parse_position,
}


def perft(engine: AnyGame, state: State, depth: int) -> int:
    """Count the sequences of `depth` commands; a game that is over has none further."""
    if depth == 0:
        return 1
    moves = (
        (seat, command)
        for seat in engine.rules.to_act(state)
        for command in engine.rules.legal_commands(state, seat)
    )
    if depth == 1:
        return sum(1 for _ in moves)
    return sum(
        perft(
            engine,
            engine.fold(engine.rules.decide(state, *move, IdentityChance()), state),
            depth - 1,
        )
        for move in moves
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the counts for each depth; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.rules.perft")
    parser.add_argument("game", choices=sorted(PARSERS))
    parser.add_argument("--position", help="see the position_lines of the game")
    parser.add_argument("--players", type=int, default=2, help="without a position: a new game")
    parser.add_argument("--depth", type=int, default=1)
    args = parser.parse_args(arguments)
    engine = GAMES[args.game]
    try:
        if args.position is not None:
            state = PARSERS[args.game](args.position)
        else:
            state = engine.fold(engine.setup({}, args.players, SeededChance(bytes(32), 1)))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    for depth in range(1, args.depth + 1):
        print(f"depth {depth}: {perft(engine, state, depth)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
