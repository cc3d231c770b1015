"""Whole games as they come, for tests that ask something of many positions."""

import hashlib
import os
import pickle
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import msgspec

from games.rules import GAMES, selfplay
from games.rules.chance import SeededChance, bot_chance
from games.rules.contract import BotChance
from games.rules.escape.model import Command, Event, State

# (seats, options) of the games of bots that all tests share.
TABLES: tuple[tuple[int, dict[str, str]], ...] = (
    (2, {}),
    (3, {}),
    (4, {}),
    (2, {"colours": "two", "memory": "strict"}),
    (2, {"ending": "last", "equal": "yes"}),
    (3, {"ending": "submerged", "overpopulated": "yes"}),
    (4, {"memory": "strict", "ending": "last"}),
)


class Moment(msgspec.Struct, frozen=True):
    """A state in which somebody is asked, and what the first of them does then.

    seq: the number of the first event of that.
    """

    state: State
    seq: int
    seat: int
    command: Command
    events: tuple[Event, ...]
    after: State


def wandering(seats: int, seed: int, options: Mapping[str, str] | None = None) -> Iterator[Moment]:
    """A game in which any legal command is given."""
    yield from _game(seats, seed, options or {}, bots=False)


def sensible(
    seats: int, seed: int = 1, options: Mapping[str, str] | None = None
) -> tuple[Moment, ...]:
    """A game in which bots play. They think for a second, so one process of a run of tests plays a
    game for all of them; a test that does not need a game of its own takes the first."""
    return _played(seats, seed, tuple(sorted((options or {}).items())))


@cache
def _played(seats: int, seed: int, options: tuple[tuple[str, str], ...]) -> tuple[Moment, ...]:
    name = hashlib.sha256(repr((seats, seed, options)).encode()).hexdigest()
    file = Path(os.environ["TEST_FOLDER"]) / f"escape-{name}.pickle"
    if not file.exists():
        part = file.with_suffix(f".{os.getpid()}")
        part.write_bytes(pickle.dumps(tuple(_game(seats, seed, dict(options), bots=True))))
        part.rename(file)
    moments: tuple[Moment, ...] = pickle.loads(file.read_bytes())
    return moments


def chance_of(moment: Moment, seed: int = 1) -> BotChance:
    """The chance with which the bot chose the command of a moment."""
    return bot_chance(seed.to_bytes(32, "big"), moment.seat, moment.seq)


def _game(seats: int, seed: int, options: Mapping[str, str], *, bots: bool) -> Iterator[Moment]:
    secret = seed.to_bytes(32, "big")
    if bots:
        player = selfplay.by_bot(GAMES["escape"], secret)
    else:
        player = selfplay.by_chance(GAMES["escape"], SeededChance(secret, 0))
    asked: list[tuple[State, int, int, Command]] = []

    def choose(state: State, seat: int, seq: int) -> Command:
        asked.append((state, seq, seat, player(state, seat, seq)))
        return asked[-1][-1]

    for after, events in selfplay.play(GAMES["escape"], options, seats, secret, choose):
        if asked:
            yield Moment(*asked.pop(), events, after)
