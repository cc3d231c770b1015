"""Whole games as they come, for tests that ask something of many positions."""

from collections.abc import Iterator

from games.rules import GAMES
from games.rules.atlantis.model import State
from games.rules.chance import SeededChance, bot_chance

ATLANTIS = GAMES["atlantis"]


def wandering(seats: int, seed: int) -> Iterator[State]:
    """Every state in which somebody is to act, of a game in which any legal move is played."""
    yield from _game(seats, seed, bots=False)


def sensible(seats: int, seed: int) -> Iterator[State]:
    """The same of a game in which bots play."""
    yield from _game(seats, seed, bots=True)


def finished(seats: int, seed: int, *, bots: bool = True) -> State:
    """The last state of such a game."""
    *_before, last = _game(seats, seed, bots=bots, last=True)
    return last


def _game(seats: int, seed: int, *, bots: bool, last: bool = False) -> Iterator[State]:
    secret = seed.to_bytes(32, "big")
    dice = SeededChance(secret, 0)
    events = ATLANTIS.setup({}, seats, SeededChance(secret, 1))
    state: State = ATLANTIS.fold(events)
    seq = len(events)
    while acting := ATLANTIS.rules.to_act(state):
        yield state
        (seat,) = acting
        if bots:
            luck = bot_chance(secret, seat, seq + 1)
            command = ATLANTIS.bot.choose(ATLANTIS.rules.view(state, seat), luck)
        else:
            legal = list(ATLANTIS.rules.legal_commands(state, seat))
            command = legal[dice.roll(len(legal))]
        events = ATLANTIS.rules.decide(state, seat, command, SeededChance(secret, seq + 1))
        state = ATLANTIS.fold(events, state)
        seq += len(events)
    if last:
        yield state
