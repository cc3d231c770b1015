"""Measures the strength of players in whole games against others of another kind.

Kinds of players: the bots, a greedy player (`tests.greedy_players`), and one that plays any legal
command. One seat is the champion's, changing from game to game. Everything follows from the seed,
so every figure can be reproduced.
"""

import hashlib
from collections import deque

import msgspec

from games.rules import selfplay
from games.rules.bots import Level
from games.rules.chance import SeededChance
from games.rules.contract import AnyGame, Command, Outcome, State
from tests import greedy_players


class Match(msgspec.Struct, frozen=True):
    """One game: the champion's seat, and how it ended."""

    champion: int
    outcome: Outcome

    @property
    def won(self) -> float:
        """The champion's part of the win: 1, or less where it is shared, or 0."""
        winners = self.outcome.winners
        return (self.champion in winners) / len(winners)


class Standing(msgspec.Struct, frozen=True):
    """Many games with the same number of players. Scores are means, in points."""

    games: int
    wins: float
    score: float
    others: float

    @property
    def rate(self) -> float:
        """The champion's part of all wins, 0 … 1; an equal player would have 1 / seats."""
        return self.wins / self.games


def player(engine: AnyGame, kind: str, secret: bytes, seats: int, seed: int) -> selfplay.Player:
    """A player of this kind: "random", "greedy" or a level of the bot."""
    match kind:
        case "random":
            return selfplay.by_chance(engine, SeededChance(_secret("arena", seats, seed), 1))
        case "greedy":
            return lambda state, seat, _seq: greedy_players.choose(engine.key, state, seat)
        case _:
            return selfplay.by_bot(engine, secret, Level(kind))


def play(
    engine: AnyGame,
    seats: int,
    champion: int,
    seed: int,
    *,
    kind: str = "normal",
    against: str = "random",
) -> Match:
    """One whole game with the champion in one seat and players of another kind in the others."""
    secret = _secret(engine.key, seats, seed)
    ours = player(engine, kind, secret, seats, seed)
    theirs = player(engine, against, secret, seats, seed)

    def choose(state: State, seat: int, seq: int) -> Command:
        return (ours if seat == champion else theirs)(state, seat, seq)

    state, _last = deque(selfplay.play(engine, {}, seats, secret, choose), maxlen=1)[0]
    outcome = engine.rules.outcome(state)
    assert outcome is not None, "nobody is asked any more, so the game is over"
    return Match(champion, outcome)


def measure(
    engine: AnyGame,
    seats: int,
    games: int,
    seed: int = 1,
    *,
    kind: str = "normal",
    against: str = "random",
) -> Standing:
    """`games` games with seeds `seed`, `seed` + 1 …; the champion sits in each seat in turn."""
    matches = [
        play(engine, seats, number % seats, seed + number, kind=kind, against=against)
        for number in range(games)
    ]
    own = sum(match.outcome.scores[match.champion] for match in matches)
    everyone = sum(sum(match.outcome.scores) for match in matches)
    return Standing(
        games=games,
        wins=sum(match.won for match in matches),
        score=own / games,
        others=(everyone - own) / (games * (seats - 1)),
    )


def _secret(name: str, seats: int, seed: int) -> bytes:
    return hashlib.sha256(f"{name}:{seats}:{seed}".encode()).digest()
