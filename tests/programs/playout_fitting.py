"""The numbers of the imagined games of Atlantis: `python -m tests.programs.playout_fitting`.

Plays games of the simple players of `playout` with each other and prints the weights of `outlook`,
found by a regression of how the games ended on what both players had reached. `--tastes` changes
one taste of a player after another instead, and prints how many games it then wins against an
unchanged one.
"""

import argparse
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from math import sqrt

from games.rules import GAMES
from games.rules.__main__ import game_seed
from games.rules.atlantis.bot.dealing import Deal, KnownTable
from games.rules.atlantis.bot.outlook import LONG, Standing
from games.rules.atlantis.bot.playout import TASTES, Tastes, World
from games.rules.chance import SeededChance

PATHS = 50  # different top tiles; all that is covered or held differs from game to game
STEPS = (0.7, 1.4)  # factors by which a taste is changed
Row = tuple[list[float], float]  # differences between two players, and that at the end


@cache
def known(number: int) -> KnownTable:
    """A table at the beginning, as spectators see it; the first seat begins."""
    engine = GAMES["atlantis"]
    chance = SeededChance(game_seed("playout", number), 1)
    state = engine.fold(engine.setup({"order": "seated"}, 2, chance))
    return KnownTable(engine.rules.view(state, None))


def world(number: int, tastes: Sequence[Tastes] = ()) -> World:
    """A game of this number, about to begin."""
    table = known(number % PATHS)
    return World(table, Deal(table, number), tastes)


def difference(one: World, seat: int) -> list[float]:
    """By how much the standing of a seat is above that of the other, twice, the second time more in
    a longer game; and the same for the advantage of the one whose turn is next."""
    pairs = zip(one.standing(seat), one.standing(1 - seat), strict=True)
    plain = [*(mine - theirs for mine, theirs in pairs), 1.0]
    early = min(one.turns_left(), LONG) / LONG
    return [*plain, *(early * amount for amount in plain)]


def rows(games: int) -> Iterator[Row]:
    """After every third move: what it looked like then, and the difference at the end."""
    moves = count()
    for number in range(games):
        game, seat = world(number), 1
        seen: list[tuple[int, list[float]]] = []
        while not game.over:
            seat = 1 - seat
            game.turn(seat)
            if not game.over and next(moves) % 3 == 0:
                seen.append((seat, difference(game, seat)))
        end = game.score(0) - game.score(1)
        for seat, amounts in seen:
            yield amounts, float(end if seat == 0 else -end)


def regression(found: Sequence[Row]) -> list[float]:
    """The weights with the least squares of errors."""
    size = len(found[0][0])
    table = [[0.0] * (size + 1) for _ in range(size)]
    for amounts, end in found:
        full = [*amounts, end]
        for amount, line in zip(amounts, table, strict=True):
            if amount:
                for place, other in enumerate(full):
                    line[place] += amount * other
    for pivot in range(size):  # Gauss-Jordan; sums of squares are positive
        scale = table[pivot][pivot]
        table[pivot] = [value / scale for value in table[pivot]]
        for place, line in enumerate(table):
            if place != pivot:
                table[place] = [
                    a - line[pivot] * b for a, b in zip(line, table[pivot], strict=True)
                ]
    return [line[-1] for line in table]


def explained(found: Sequence[Row], weights: Sequence[float]) -> float:
    """The share of the variance at the end that the weights explain (R²)."""
    mean = sum(end for _amounts, end in found) / len(found)
    errors = sum(
        (end - sum(w * amount for w, amount in zip(weights, amounts, strict=True))) ** 2
        for amounts, end in found
    )
    return 1 - errors / sum((end - mean) ** 2 for _amounts, end in found)


def match(ours: Tastes, games: int) -> tuple[float, float, float]:
    """(share of wins, mean lead, its standard error) against players with the usual tastes: each
    game twice, once from either seat."""
    leads: list[int] = []
    for number in range(games):
        seat = number % 2
        game = world(number // 2, (ours, TASTES) if seat == 0 else (TASTES, ours))
        game.play(1, 1000)
        leads.append(game.score(seat) - game.score(1 - seat))
    mean = sum(leads) / games
    error = sqrt(sum((lead - mean) ** 2 for lead in leads)) / games
    return sum((lead > 0) + (lead == 0) / 2 for lead in leads) / games, mean, error


def main(arguments: list[str] | None = None) -> None:
    """Print the weights, or how each change of a taste does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--tastes", action="store_true", help="change the tastes of a player")
    args = parser.parse_args(arguments)
    if args.tastes:
        for name, value in TASTES._asdict().items():
            for step in STEPS:
                wins, lead, error = match(TASTES._replace(**{name: value * step}), args.games)
                print(f"{name} {value * step:.2f}: {wins:.1%}, lead {lead:+.2f} ± {error:.2f}")
        return
    found = list(rows(args.games))
    weights = regression(found)
    half = len(weights) // 2
    for name, part in (("LATE", weights[:half]), ("EARLY", weights[half:])):
        print(f"{name} = {Standing(*(round(weight, 2) for weight in part[:-1]))}")
    print(f"R² {explained(found, weights):.3f}, {len(found)} positions")


if __name__ == "__main__":
    main()
