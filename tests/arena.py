"""How strong the bots are, over thousands of games: `make arena`.

The games are played in blocks on all processors, and each block is a line of var/arena.jsonl: a run
that was stopped goes on where it was. Lines of other rules or bots than today's do not count.
"""

import hashlib
import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from games.rules import GAMES
from tests import bot_strength

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "var" / "arena.jsonl"
GAMES_EACH = {"atlantis": 1000, "escape": 500}  # for each number of players
BLOCK = 20


class Block(NamedTuple):
    key: str
    seats: int
    seed: int  # of the first game
    rules: str  # fingerprint of the code


def fingerprint() -> str:
    """SHA-256 of the code of rules and bots."""
    sources = sorted((ROOT / "games" / "rules").rglob("*.py"))
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()[:16]


def blocks() -> Iterator[Block]:
    rules = fingerprint()
    for key, games in GAMES_EACH.items():
        for seats in GAMES[key].seats:
            for seed in range(1, games, BLOCK):
                yield Block(key, seats, seed, rules)


def measure(block: Block) -> tuple[Block, bot_strength.Standing]:
    return block, bot_strength.measure(GAMES[block.key], block.seats, BLOCK, block.seed)


def known() -> dict[Block, bot_strength.Standing]:
    """What var/arena.jsonl has; a line that was cut off is left out."""
    found = {}
    for line in RESULTS.read_text().splitlines() if RESULTS.exists() else ():
        try:
            block, standing = json.loads(line)
        except ValueError:
            continue
        found[Block(*block)] = bot_strength.Standing(**standing)
    return found


def together(standings: list[bot_strength.Standing]) -> bot_strength.Standing:
    """One standing out of blocks of equal length."""
    number = len(standings)
    return bot_strength.Standing(
        seats=standings[0].seats,
        games=sum(one.games for one in standings),
        wins=sum(one.wins for one in standings),
        bot_score=sum(one.bot_score for one in standings) / number,
        random_score=sum(one.random_score for one in standings) / number,
    )


def main() -> None:
    RESULTS.parent.mkdir(exist_ok=True)
    results, wanted = known(), list(blocks())
    missing = [block for block in wanted if block not in results]
    print(f"{len(wanted) - len(missing)} of {len(wanted)} blocks of {BLOCK} games are known.")
    with ProcessPoolExecutor() as pool, RESULTS.open("a") as out:
        for block, standing in pool.map(measure, missing):
            results[block] = standing
            fields = {name: getattr(standing, name) for name in standing.__struct_fields__}
            out.write(json.dumps([block, fields]) + "\n")
            out.flush()
    for key in GAMES_EACH:
        print(f"\n{key}\n")
        by_seats = (
            together([results[one] for one in wanted if (one.key, one.seats) == (key, seats)])
            for seats in GAMES[key].seats
        )
        print("\n".join(bot_strength.report(by_seats)))


if __name__ == "__main__":
    main()
