"""Measures the strength of players in whole games against others of another kind.

Kinds of players: the bots, a greedy player (`tests.greedy_players`), and one that plays any legal
command. One seat is the champion's, changing from game to game. Everything follows from the seed,
so every figure can be reproduced. Knows no clock: a caller that measures time passes one in.
"""

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from math import sqrt

import msgspec

from games.rules import selfplay
from games.rules.bots import Budget, Level
from games.rules.chance import SeededChance
from games.rules.contract import AnyGame, Command, Outcome, State
from tests import greedy_players

Clock = Callable[[], float]  # seconds, from anywhere
SIGMAS = 1.96  # of a 95 % interval


class Match(msgspec.Struct, frozen=True):
    """One game: the champion's seat, how it ended, and how long each of its choices took."""

    champion: int
    outcome: Outcome
    choices: tuple[float, ...] = ()

    @property
    def won(self) -> float:
        """The champion's part of the win: 1, or less where it is shared, or 0."""
        winners = self.outcome.winners
        return (self.champion in winners) / len(winners)


class Standing(msgspec.Struct, frozen=True):
    """Many games with the same number of players. Scores are means, in points."""

    seats: int
    games: int
    wins: float
    score: float
    others: float
    choices: tuple[float, ...] = ()

    @property
    def rate(self) -> float:
        """The champion's part of all wins, 0 … 1; an equal player would have 1 / seats."""
        return self.wins / self.games

    @property
    def least(self) -> float:
        """The lower end of the 95 % interval of the rate (Wilson)."""
        n, p, z = self.games, self.rate, SIGMAS
        middle = p + z * z / (2 * n)
        return max(
            0.0, (middle - z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))) / (1 + z * z / n)
        )


def player(
    engine: AnyGame, kind: str, secret: bytes, seats: int, seed: int, playouts: int = 0
) -> selfplay.Player:
    """A player of this kind: "random", "greedy" or a level of the bot. playouts: of a strong bot, 0
    for those that the game has by default."""
    match kind:
        case "random":
            return selfplay.by_chance(engine, SeededChance(_secret("arena", seats, seed), 1))
        case "greedy":
            return lambda state, seat, _seq: greedy_players.choose(engine.key, state, seat)
        case _:
            budget = Budget(playouts) if playouts else None
            return selfplay.by_bot(engine, secret, Level(kind), budget)


def play(
    engine: AnyGame,
    seats: int,
    champion: int,
    seed: int,
    clock: Clock | None = None,
    *,
    kind: str = "normal",
    against: str = "random",
    playouts: int = 0,
) -> Match:
    """One whole game with the champion in one seat and players of another kind in the others."""
    secret = _secret(engine.key, seats, seed)
    ours = player(engine, kind, secret, seats, seed, playouts)
    theirs = player(engine, against, secret, seats, seed)
    choices: list[float] = []

    def choose(state: State, seat: int, seq: int) -> Command:
        if seat != champion:
            return theirs(state, seat, seq)
        began = clock() if clock else 0.0
        command = ours(state, seat, seq)
        if clock:
            choices.append(clock() - began)
        return command

    state, _last = deque(selfplay.play(engine, {}, seats, secret, choose), maxlen=1)[0]
    outcome = engine.rules.outcome(state)
    assert outcome is not None, "nobody is asked any more, so the game is over"
    return Match(champion, outcome, tuple(choices))


def choices(
    engine: AnyGame, seats: int, seed: int, *, kind: str, against: str, playouts: int = 0
) -> list[Command]:
    """Every command of one game in which the two kinds of players sit in turn."""
    secret = _secret(engine.key, seats, seed)
    players = [player(engine, one, secret, seats, seed, playouts) for one in (kind, against)]
    made: list[Command] = []

    def choose(state: State, seat: int, seq: int) -> Command:
        made.append(players[seat % 2](state, seat, seq))
        return made[-1]

    deque(selfplay.play(engine, {}, seats, secret, choose), maxlen=0)
    return made


def measure(
    engine: AnyGame,
    seats: int,
    games: int,
    seed: int = 1,
    clock: Clock | None = None,
    *,
    kind: str = "normal",
    against: str = "random",
    playouts: int = 0,
) -> Standing:
    """`games` games with seeds `seed`, `seed` + 1 …; the champion sits in each seat in turn."""
    matches = [
        play(
            engine,
            seats,
            number % seats,
            seed + number,
            clock,
            kind=kind,
            against=against,
            playouts=playouts,
        )
        for number in range(games)
    ]
    own = sum(match.outcome.scores[match.champion] for match in matches)
    everyone = sum(sum(match.outcome.scores) for match in matches)
    return Standing(
        seats=seats,
        games=games,
        wins=sum(match.won for match in matches),
        score=own / games,
        others=(everyone - own) / (games * (seats - 1)),
        choices=tuple(choice for match in matches for choice in match.choices),
    )


HEAD = (
    "| player | against | players | games | wins | at least | even share | score | others |",
    "|---|---|---:|---:|---:|---:|---:|---:|---:|",
)


def row(name: str, against: str, one: Standing) -> str:
    """A line of a Markdown table; "at least" is the lower end of the 95 % interval."""
    return (
        f"| {name} | {against} | {one.seats} | {one.games} | {_percent(one.rate)} | {_percent(one.least)} "
        f"| {_percent(1 / one.seats)} | {one.score:.1f} | {one.others:.1f} |"
    )


def report(standings: Iterable[tuple[str, str, Standing]]) -> Iterator[str]:
    """The lines of a Markdown table."""
    yield from HEAD
    yield from (row(*each) for each in standings)


def _secret(name: str, seats: int, seed: int) -> bytes:
    return hashlib.sha256(f"{name}:{seats}:{seed}".encode()).digest()


def _percent(rate: float) -> str:
    return f"{100 * rate:.1f} %"
