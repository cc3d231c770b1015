"""What later, sensible play of bots reveals about what they hid.

`python -m tests.programs.inference` plays games of Escape from Atlantis! among bots and reports the
mean value of their explorers by the order in which they came ashore, and how often the best guess
from that order is right. Without any knowledge of the play a guess is right three times out of ten,
and the mean value is 2.8.
"""

import argparse
from collections import Counter, defaultdict

from games.rules import GAMES, selfplay
from games.rules.__main__ import game_seed
from games.rules.escape.model import EACH, SAVED


def ashore(number: int, seats: int) -> list[tuple[int, int]]:
    """(place in the order in which the own explorers came ashore, value) of a whole game; 0 for
    explorers who never did."""
    engine = GAMES["escape"]
    seed = game_seed("ashore", number)
    order: dict[int, list[int]] = defaultdict(list)
    state = engine.rules.initial()
    for state, _events in selfplay.play(engine, {}, seats, seed, selfplay.by_bot(engine, seed)):
        for who, place in enumerate(state.board.where):
            mine = order[who // EACH]
            if place >= SAVED and who not in mine:
                mine.append(who)
    return [
        (order[who // EACH].index(who) + 1 if who in order[who // EACH] else 0, value)
        for who, value in enumerate(state.values)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=30)
    games = parser.parse_args().games
    values: dict[int, Counter[int]] = defaultdict(Counter)
    for number in range(games):
        for place, value in ashore(number, 2 + number % 3):
            values[min(place, 6)][value] += 1
    print("| came ashore | explorers | mean value | best guess is right |\n|---|---:|---:|---:|")
    for place, seen in sorted(values.items(), key=lambda one: one[0] or 99):
        name = f"as number {place}" if 0 < place < 6 else "as number 6 or later"
        mean = sum(value * count for value, count in seen.items()) / seen.total()
        best = seen.most_common(1)[0][1] / seen.total()
        print(f"| {name if place else 'never'} | {seen.total()} | {mean:.2f} | {best:.0%} |")


if __name__ == "__main__":
    main()
