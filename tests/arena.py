"""How strong the bots are, over thousands of games: `make arena`.

The games are played in blocks, and each block is a line of var/arena.jsonl: a run that was stopped
goes on where it was. Lines of other rules or bots than today's do not count. At the end, and with
`--report` at once, the table in docs/bots.md is written from what is known, with the number of games
that were played.
"""

import argparse
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
PAGE = ROOT / "docs" / "bots.md"
BEGIN, END = "<!-- arena: begin -->", "<!-- arena: end -->"
BLOCK = 10


class Matchup(NamedTuple):
    """A champion against players of another kind, for each number of players that is named."""

    key: str
    kind: str
    against: str
    seats: tuple[int, ...]
    games: int
    playouts: int = 0  # of a strong bot; 0 for what the game has by default


ALL = (2, 3, 4)
QUICK = {"escape": 300, "atlantis": 150}  # playouts that take about a tenth of a second
MATCHUPS = (
    Matchup("escape", "strong", "greedy", ALL, 400, QUICK["escape"]),
    Matchup("escape", "strong", "greedy", ALL, 40),
    Matchup("escape", "strong", "normal", (2,), 400, QUICK["escape"]),
    Matchup("escape", "easy", "normal", (2,), 400),
    Matchup("escape", "normal", "greedy", ALL, 400),
    Matchup("escape", "normal", "random", ALL, 200),
    Matchup("atlantis", "strong", "normal", (2,), 400, QUICK["atlantis"]),
    Matchup("atlantis", "strong", "normal", (2,), 40),
    Matchup("atlantis", "easy", "normal", (2,), 400),
    Matchup("atlantis", "normal", "greedy", ALL, 400),
    Matchup("atlantis", "normal", "random", ALL, 200),
)


class Block(NamedTuple):
    """Some games of a matchup."""

    key: str
    kind: str
    against: str
    seats: int
    seed: int  # of the first game
    games: int
    code: str  # fingerprint of rules and bots
    playouts: int


def fingerprint() -> str:
    """SHA-256 of the code of rules, bots and greedy players."""
    sources = [*(ROOT / "games" / "rules").rglob("*.py"), *(ROOT / "tests/yardstick").glob("*.py")]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in sorted(sources))).hexdigest()[
        :16
    ]


def blocks() -> Iterator[Block]:
    """All blocks; the first ones of every matchup come first, so that a short run knows all."""
    code = fingerprint()
    for seed in range(1, max(matchup.games for matchup in MATCHUPS), BLOCK):
        for key, kind, against, seats, games, playouts in MATCHUPS:
            for players in seats if seed <= games else ():
                length = min(BLOCK, games + 1 - seed)
                yield Block(key, kind, against, players, seed, length, code, playouts)


def measure(block: Block) -> tuple[Block, bot_strength.Standing]:
    """Play the games of a block."""
    return block, bot_strength.measure(
        *(GAMES[block.key], block.seats, block.games, block.seed),
        kind=block.kind,
        against=block.against,
        playouts=block.playouts,
    )


def known() -> dict[Block, bot_strength.Standing]:
    """What var/arena.jsonl has; a line that was cut off is left out."""
    found = {}
    for line in RESULTS.read_text().splitlines() if RESULTS.exists() else ():
        try:
            block, standing = json.loads(line)
            found[Block(*block)] = bot_strength.Standing(**standing)
        except (ValueError, TypeError):
            continue
    return found


def together(standings: list[bot_strength.Standing]) -> bot_strength.Standing:
    """One standing out of several blocks."""
    games = sum(one.games for one in standings)
    return bot_strength.Standing(
        seats=standings[0].seats,
        games=games,
        wins=sum(one.wins for one in standings),
        score=sum(one.score * one.games for one in standings) / games,
        others=sum(one.others * one.games for one in standings) / games,
    )


def table(key: str, results: dict[Block, bot_strength.Standing]) -> Iterator[str]:
    """The lines of the table of a game: all matchups of which games are known."""
    rows = []
    code = fingerprint()
    for matchup in MATCHUPS:
        for players in matchup.seats if matchup.key == key else ():
            same = (key, matchup.kind, matchup.against, players, code, matchup.playouts)
            played = [r for b, r in results.items() if (*b[:4], *b[6:]) == same]
            if played:
                budget = f", {matchup.playouts} playouts" if matchup.playouts else ""
                rows.append((matchup.kind + budget, matchup.against, together(played)))
    yield from bot_strength.report(rows)


def written(results: dict[Block, bot_strength.Standing]) -> str:
    """The tables of all games, as docs/bots.md has them."""
    keys = dict.fromkeys(matchup.key for matchup in MATCHUPS)
    return "\n\n".join(
        f"*{str(GAMES[key].title).rstrip('!')}*\n\n" + "\n".join(table(key, results))
        for key in keys
    )


def write_page(results: dict[Block, bot_strength.Standing]) -> None:
    """Put the tables into docs/bots.md."""
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n\n{written(results)}\n\n{END}{after}")


def main(arguments: list[str] | None = None) -> None:
    """Play what is missing, then write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=None, help="by default one per processor")
    parser.add_argument("--report", action="store_true", help="only write what is known")
    args = parser.parse_args(arguments)
    RESULTS.parent.mkdir(exist_ok=True)
    results, wanted = known(), list(blocks())
    missing = [block for block in wanted if block not in results]
    print(f"{len(wanted) - len(missing)} of {len(wanted)} blocks of {BLOCK} games are known.")
    if not args.report:
        with ProcessPoolExecutor(args.processes) as pool, RESULTS.open("a") as out:
            for block, standing in pool.map(measure, missing):
                results[block] = standing
                fields = {name: getattr(standing, name) for name in standing.__struct_fields__}
                out.write(json.dumps([block, fields]) + "\n")
                out.flush()
    write_page(results)
    print(written(results))


if __name__ == "__main__":
    main()
