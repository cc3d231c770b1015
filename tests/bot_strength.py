"""How strong the bot is: whole games against opponents who play any legal move.

One seat is the bot's, changing from game to game, the others pick uniformly among the legal
commands. Everything follows from the seed, so every figure can be reproduced.
Knows no particular game, and no clock: a caller that measures time passes one in.
"""

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator

import msgspec

from games.rules import selfplay
from games.rules.chance import SeededChance, bot_chance
from games.rules.contract import AnyGame, Command, Outcome, State

Clock = Callable[[], float]  # seconds, from anywhere


class Match(msgspec.Struct, frozen=True):
    """One game: the bot's seat, how it ended, and how long each choice of the bot took."""

    bot: int
    outcome: Outcome
    choices: tuple[float, ...] = ()

    @property
    def won(self) -> float:
        """The bot's part of the win: 1, or less where it is shared, or 0."""
        winners = self.outcome.winners
        return (self.bot in winners) / len(winners)


class Standing(msgspec.Struct, frozen=True):
    """Many games with the same number of players. Scores are means, in points."""

    seats: int
    games: int
    wins: float
    bot_score: float
    random_score: float
    choices: tuple[float, ...] = ()

    @property
    def rate(self) -> float:
        """The bot's part of all wins, 0 … 1; an equal player would have 1 / seats."""
        return self.wins / self.games


def play(engine: AnyGame, seats: int, bot: int, seed: int, clock: Clock | None = None) -> Match:
    """One whole game with the bot in one seat and random players in the others."""
    secret = _secret(engine.key, seats, seed)
    others = selfplay.by_chance(engine, SeededChance(_secret("arena", seats, seed), 1))
    choices: list[float] = []

    def choose(state: State, seat: int, seq: int) -> Command:
        if seat != bot:
            return others(state, seat, seq)
        view = engine.rules.view(state, seat)
        began = clock() if clock else 0.0
        command = engine.bot.choose(view, bot_chance(secret, seat, seq))
        if clock:
            choices.append(clock() - began)
        return command

    state, _last = deque(selfplay.play(engine, {}, seats, secret, choose), maxlen=1)[0]
    outcome = engine.rules.outcome(state)
    assert outcome is not None, "nobody is asked any more, so the game is over"
    return Match(bot, outcome, tuple(choices))


def measure(
    engine: AnyGame, seats: int, games: int, seed: int = 1, clock: Clock | None = None
) -> Standing:
    """`games` games with seeds `seed`, `seed` + 1 …; the bot sits in each seat in turn."""
    matches = [play(engine, seats, number % seats, seed + number, clock) for number in range(games)]
    own = sum(match.outcome.scores[match.bot] for match in matches)
    everyone = sum(sum(match.outcome.scores) for match in matches)
    return Standing(
        seats=seats,
        games=games,
        wins=sum(match.won for match in matches),
        bot_score=own / games,
        random_score=(everyone - own) / (games * (seats - 1)),
        choices=tuple(choice for match in matches for choice in match.choices),
    )


def report(standings: Iterable[Standing]) -> Iterator[str]:
    """The lines of a Markdown table, each as soon as its games are played."""
    yield "| players | games | bot wins | even share | bot, mean score | random, mean score |"
    yield "|---:|---:|---:|---:|---:|---:|"
    for one in standings:
        yield (
            f"| {one.seats} | {one.games} | {one.rate:.1%} | {1 / one.seats:.1%} "
            f"| {one.bot_score:.1f} | {one.random_score:.1f} |"
        )


def _secret(name: str, seats: int, seed: int) -> bytes:
    return hashlib.sha256(f"{name}:{seats}:{seed}".encode()).digest()
