"""Whole games without people, for records and measurements.

Everything follows from the seed. Chance is that of the service: each move draws from the stream
named by the number of its first event.
"""

from collections.abc import Callable, Iterator, Mapping

from .bots import Budget, Level
from .chance import SeededChance, bot_chance
from .contract import AnyGame, Command, Event, State

# The command of a seat in a state; the last argument is the number of the event it leads to.
Player = Callable[[State, int, int], Command]


def play(
    game: AnyGame, options: Mapping[str, str], seats: int, seed: bytes, player: Player
) -> Iterator[tuple[State, tuple[Event, ...]]]:
    """(state, events) after the setup and after each move, until nobody is asked any more."""
    events = game.setup(options, seats, SeededChance(seed, 1))
    state, number = game.fold(events), len(events)
    yield state, events
    while acting := game.rules.to_act(state):
        command = player(state, acting[0], number + 1)
        chance = SeededChance(seed, number + 1)
        events = game.rules.decide(state, acting[0], command, chance)
        state, number = game.fold(events, state), number + len(events)
        yield state, events


def by_bot(
    game: AnyGame, seed: bytes, level: Level = Level.NORMAL, budget: Budget | None = None
) -> Player:
    """The bot, with its own view and the chance that the service gives it with this seed."""

    def choose(state: State, seat: int, seq: int) -> Command:
        chance = bot_chance(seed, seat, seq)
        return game.bot_command(level, game.rules.view(state, seat), chance, budget)

    return choose


def by_chance(game: AnyGame, dice: SeededChance) -> Player:
    """Any of the legal commands, each equally likely."""

    def choose(state: State, seat: int, _seq: int) -> Command:
        commands = tuple(game.rules.legal_commands(state, seat))
        return commands[dice.roll(len(commands))]

    return choose
