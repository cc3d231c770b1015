"""Greedy players that look one action ahead: what the bots must beat.

A greedy player weighs each legal command by what everybody can see that it changes at once, takes
the best, and the first of equals. It knows its own view only, plans nothing and remembers nothing.
"""

from collections.abc import Callable

from games.rules.contract import Command, State

from . import atlantis, escape

CHOICES: dict[str, Callable[[State, int], Command]] = {
    "atlantis": atlantis.choose,
    "escape": escape.choose,
}


def choose(key: str, state: State, seat: int) -> Command:
    """The command of a greedy player on this seat of the game `key`."""
    return CHOICES[key](state, seat)
