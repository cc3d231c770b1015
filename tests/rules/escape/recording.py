"""Plays the recorded games of tests/golden/escape again and writes them as records.

    python -m tests.rules.escape.recording

For a new version of the events only: what is recorded is never recorded again. Bots and
players who do anything legal sit together, leave plans and standing answers, and end their games in
every way there is; everything follows from the numbers in `GAMES`.
"""

import gzip
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from games.rules.chance import SeededChance, bot_chance
from games.rules.escape import ESCAPE
from games.rules.escape.hexes import LAND
from games.rules.escape.model import (
    Command,
    Creature,
    Event,
    Plan,
    Preset,
    Standing,
    State,
    Turn,
    TurnStage,
    Verb,
    Wish,
)
from games.rules.records import record_of
from games.rules.replay import check

FILE = Path(__file__).parents[2] / "golden" / "escape" / "games-schema-1.jsonl.gz"


GATHERINGS = (112, 126, 138)  # seeds of games in which a ship comes up among a crowd


class Game(NamedTuple):
    """A table. bots: how many of the first seats are bots; chatty: plans and standing answers;
    gathering: those who are no bots crowd together on tiles and sink them.
    """

    seats: int
    seed: int
    bots: int
    chatty: bool
    options: Mapping[str, str]
    gathering: bool = False


def _games() -> Iterator[Game]:
    endings = ("volcano", "last", "submerged")
    for number in range(36):
        seats = 2 + number % 3
        options = {"ending": endings[number // 3 % 3]}
        if seats == 2 and number % 2:
            options["colours"] = "two"
        if number % 4 == 1:
            options["overpopulated"] = "yes"
        if number % 5 == 2:
            options["equal"] = "yes"
        if number % 4 == 2:
            options["memory"] = "strict"
        if number % 6 == 3:
            options["order"] = "seated"
        if number % 9 == 4:
            options["answer"] = ("6", "12", "48")[number // 9 % 3]
        yield Game(seats, number, (seats, 0, 1)[number // 2 % 3], number % 3 != 1, options)
    for seed in GATHERINGS:
        yield Game(4, seed, 0, False, {"overpopulated": "yes"}, gathering=True)


GAMES: tuple[Game, ...] = tuple(_games())


def play(game: Game, secret: bytes) -> list[Event]:
    """The events of one game."""
    dice = SeededChance(secret, 0)
    options = ESCAPE.check_options(game.options, game.seats)
    events = list(ESCAPE.setup(options, game.seats, SeededChance(secret, 1)))
    state: State = ESCAPE.fold(events)

    def give(seat: int, command: Command) -> None:
        nonlocal state
        news = ESCAPE.rules.decide(state, seat, command, SeededChance(secret, len(events) + 1))
        events.extend(news)
        state = ESCAPE.fold(news, state)

    while acting := ESCAPE.rules.to_act(state):
        if game.chatty and dice.roll(9) == 0:
            give(*_private(state, dice.roll(game.seats), dice))
            continue
        seat = acting[dice.roll(len(acting))]
        if seat < game.bots:
            luck = bot_chance(secret, seat, len(events) + 1)
            give(seat, ESCAPE.bot.choose(ESCAPE.rules.view(state, seat), luck))
        else:
            legal = list(ESCAPE.rules.legal_commands(state, seat))
            if game.gathering and isinstance(state.board.stage, TurnStage):
                crowds = [_crowd(state, command) for command in legal]
                legal = [
                    one for one, size in zip(legal, crowds, strict=True) if size == max(crowds)
                ]
            give(seat, legal[dice.roll(len(legal))])
    return events


def _crowd(state: State, command: Command) -> int:
    """Count the explorers at the end of this step, or on the tile that this sinks."""
    assert isinstance(command, Turn), "it is somebody's turn"
    where = state.board.where
    if command.sink is not None:
        return where.count(command.sink)
    for step in command.steps:
        if step.verb is Verb.WALK and where.count(step.who) == 0:
            return where.count(step.to) + 1 - where.count(where[step.who])
    return -9


def _private(state: State, seat: int, dice: SeededChance) -> tuple[int, Command]:
    """A plan or a standing answer of this seat."""
    if state.board.is_setup and dice.roll(3):
        wishes = tuple(Wish(1 + dice.roll(6), LAND[dice.roll(40)]) for _wish in range(dice.roll(4)))
        presets = (None, *Preset)
        return seat, Plan(wishes, (), presets[dice.roll(len(presets))])
    creature = (Creature.SHARK, Creature.WHALE)[dice.roll(2)]
    return seat, Standing(creature, (None, 0, 1, 2)[dice.roll(4)])


def records() -> Iterator[bytes]:
    """The lines of all records."""
    for game in GAMES:
        secret = hashlib.sha256(f"escape golden {game.seed}".encode()).digest()
        options = ESCAPE.check_options(game.options, game.seats)
        yield from record_of(ESCAPE, options, game.seats, secret, play(game, secret))


if __name__ == "__main__":
    lines = list(records())
    with gzip.GzipFile(FILE, "wb", mtime=0) as out:
        out.writelines(lines)
    scores = [checked.outcome.scores for checked in check(lines) if checked.outcome]
    text = "".join(" ".join(map(str, points)) + "\n" for points in scores)
    FILE.with_name("scores.txt").write_text(text)
