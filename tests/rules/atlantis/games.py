"""Whole games as they come, for tests that ask something of many positions."""

from collections.abc import Iterator

from games.rules import GAMES, selfplay
from games.rules.atlantis.model import State
from games.rules.chance import SeededChance

ATLANTIS = GAMES["atlantis"]


def wandering(seats: int, seed: int) -> Iterator[State]:
    """Every state in which somebody is to act, of a game in which any legal move is played."""
    return (state for state in _game(seats, seed, bots=False) if state.outcome is None)


def sensible(seats: int, seed: int) -> Iterator[State]:
    """The same of a game in which bots play."""
    return (state for state in _game(seats, seed, bots=True) if state.outcome is None)


def finished(seats: int, seed: int, *, bots: bool = True) -> State:
    """The last state of such a game."""
    *_before, last = _game(seats, seed, bots=bots)
    return last


def _game(seats: int, seed: int, *, bots: bool) -> Iterator[State]:
    secret = seed.to_bytes(32, "big")
    if bots:
        player = selfplay.by_bot(ATLANTIS, secret)
    else:
        player = selfplay.by_chance(ATLANTIS, SeededChance(secret, 0))
    for state, _events in selfplay.play(ATLANTIS, {}, seats, secret, player):
        yield state
