"""Whole games as they come, for tests that ask something of many positions."""

from collections.abc import Iterator, Mapping

import msgspec

from games.rules.chance import SeededChance, bot_chance
from games.rules.escape import ESCAPE
from games.rules.escape.model import Command, Event, State


class Moment(msgspec.Struct, frozen=True):
    """A state in which somebody is asked, and what the first of them does then."""

    state: State
    seat: int
    command: Command
    events: tuple[Event, ...]
    after: State


def wandering(seats: int, seed: int, options: Mapping[str, str] | None = None) -> Iterator[Moment]:
    """A game in which any legal command is given."""
    yield from _game(seats, seed, options or {}, bots=False)


def sensible(seats: int, seed: int, options: Mapping[str, str] | None = None) -> Iterator[Moment]:
    """A game in which bots play."""
    yield from _game(seats, seed, options or {}, bots=True)


def _game(seats: int, seed: int, options: Mapping[str, str], *, bots: bool) -> Iterator[Moment]:
    secret = seed.to_bytes(32, "big")
    dice = SeededChance(secret, 0)
    events = ESCAPE.setup(options, seats, SeededChance(secret, 1))
    state: State = ESCAPE.fold(events)
    seq = len(events)
    while acting := ESCAPE.rules.to_act(state):
        seat = acting[0]
        if bots:
            luck = bot_chance(secret, seat, seq + 1)
            command = ESCAPE.bot.choose(ESCAPE.rules.view(state, seat), luck)
        else:
            legal = list(ESCAPE.rules.legal_commands(state, seat))
            command = legal[dice.roll(len(legal))]
        events = ESCAPE.rules.decide(state, seat, command, SeededChance(secret, seq + 1))
        after = ESCAPE.fold(events, state)
        yield Moment(state, seat, command, events, after)
        state, seq = after, seq + len(events)
