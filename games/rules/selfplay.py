"""Whole games without people, for records and measurements.

Everything follows from the seed. Chance is that of the service: each move draws from the stream
named by the number of its first event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from .chance import SeededChance
from .contract import AnyGame, Command, Event, State

Player = Callable[[State, int], Command]


def play(
    game: AnyGame, options: Mapping[str, str], seats: int, seed: bytes, player: Player
) -> Iterator[tuple[State, tuple[Event, ...]]]:
    """(state, events) after the setup and after each move, until nobody is asked any more."""
    events = game.setup(options, seats, SeededChance(seed, 1))
    state, number = game.fold(events), len(events)
    yield state, events
    while acting := game.rules.to_act(state):
        command = player(state, acting[0])
        chance = SeededChance(seed, number + 1)
        events = game.rules.decide(state, acting[0], command, chance)
        state, number = game.fold(events, state), number + len(events)
        yield state, events


def by_bot(game: AnyGame) -> Player:
    """The bot, with its own view."""
    return lambda state, seat: game.bot.choose(game.rules.view(state, seat))


def by_chance(game: AnyGame, dice: SeededChance) -> Player:
    """Any of the legal commands, each equally likely."""

    def choose(state: State, seat: int) -> Command:
        commands = tuple(game.rules.legal_commands(state, seat))
        return commands[dice.roll(len(commands))]

    return choose
