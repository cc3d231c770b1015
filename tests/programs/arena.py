"""How strong the bots are, over thousands of games: `make arena`.

The games are played in blocks, and each block is a line of docs/arena.jsonl: a run that was stopped
goes on where it was, on any machine, since every game follows from its seed. A line counts while
the players still choose as they did then: each line names the choices of a sample game, which is
played again before anything else. `--check 5` plays five of the known blocks again and compares the
results. At the end, and with `--report` at once, the tables in docs/bots.md are written from what
is known.
"""

import argparse
import hashlib
import json
import os
import random
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from games.rules import GAMES
from tests.programs import bot_strength

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs" / "arena.jsonl"
PAGE = ROOT / "docs" / "bots.md"
BEGIN, END = "<!-- arena: begin -->", "<!-- arena: end -->"
SAMPLE_PLAYOUTS = 20  # of a strong bot in a sample game


class Matchup(NamedTuple):
    """A champion against players of another kind, for each number of players that is named."""

    key: str
    kind: str
    against: str
    seats: tuple[int, ...]
    games: int
    playouts: int = 0  # of a strong bot; 0 for what the game has by default

    @property
    def block(self) -> int:
        """How many games are played together: fewer where they take long."""
        return 10 if self.playouts or self.kind != "strong" else 2


ALL = (2, 3, 4)
QUICK = {"escape": 300, "atlantis": 300}  # playouts that take about a tenth of a second
MATCHUPS = (
    Matchup("escape", "strong", "greedy", ALL, 400, QUICK["escape"]),
    Matchup("escape", "easy", "normal", (2,), 400),
    Matchup("escape", "normal", "greedy", ALL, 400),
    Matchup("atlantis", "strong", "normal", (2,), 400, QUICK["atlantis"]),
    Matchup("atlantis", "easy", "normal", (2,), 400),
    Matchup("atlantis", "normal", "greedy", ALL, 400),
    Matchup("escape", "strong", "normal", (2,), 100, QUICK["escape"]),  # not a target
    Matchup("escape", "strong", "greedy", ALL, 40),
    Matchup("atlantis", "strong", "normal", (2,), 40),
    Matchup("atlantis", "normal", "random", ALL, 200),
    Matchup("escape", "normal", "random", ALL, 200),
)


class Block(NamedTuple):
    """Some games of a matchup."""

    key: str
    kind: str
    against: str
    seats: int
    playouts: int
    seed: int  # of the first game
    games: int
    sample: str  # fingerprint of the choices in a sample game

    @property
    def takes_long(self) -> bool:
        """Whether a strong bot has its default budget."""
        return self.kind == "strong" and not self.playouts


@cache
def sample(key: str, kind: str, against: str) -> str:
    """Fingerprint of the choices in a sample game for four: another one means other players."""
    choices = bot_strength.choices(
        *(GAMES[key], 4, 1), kind=kind, against=against, playouts=SAMPLE_PLAYOUTS
    )
    return hashlib.sha256("\n".join(map(repr, choices)).encode()).hexdigest()[:12]


def blocks() -> Iterator[Block]:
    """All blocks; the first ones of every matchup come first, so that a short run knows all."""
    for seed in range(1, max(matchup.games for matchup in MATCHUPS), 10):
        for matchup in MATCHUPS:
            for players in matchup.seats:
                yield from _blocks(matchup, players, seed)


def _blocks(matchup: Matchup, players: int, seed: int) -> Iterator[Block]:
    """The blocks of ten games."""
    key, kind, against = matchup[:3]
    end = min(seed + 10, matchup.games + 1)
    for first in range(seed, end, matchup.block):
        length = min(matchup.block, end - first)
        fingerprint = sample(key, kind, against)
        yield Block(key, kind, against, players, matchup.playouts, first, length, fingerprint)


def measure(block: Block) -> tuple[Block, bot_strength.Standing]:
    """Play the games of a block."""
    return block, bot_strength.measure(
        *(GAMES[block.key], block.seats, block.games, block.seed),
        kind=block.kind,
        against=block.against,
        playouts=block.playouts,
    )


def known() -> dict[Block, bot_strength.Standing]:
    """What docs/arena.jsonl has; a line that was cut off is left out."""
    found = {}
    for line in RESULTS.read_text().splitlines() if RESULTS.exists() else ():
        try:
            block, wins, score, others = json.loads(line)
            one = Block(*block)
        except (ValueError, TypeError):
            continue
        found[one] = bot_strength.Standing(one.seats, one.games, wins, score, others)
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
    for matchup in MATCHUPS:
        for players in matchup.seats if matchup.key == key else ():
            same = (*matchup[:3], players, matchup.playouts)
            now = sample(*matchup[:3])
            played = [r for b, r in results.items() if b[:5] == same and b.sample == now]
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


def play(
    missing: Iterable[Block], processes: int, minutes: float
) -> Iterator[tuple[Block, bot_strength.Standing]]:
    """Play blocks until the time is over; a block that has begun is finished."""
    end = time.monotonic() + 60 * minutes
    rest = iter(missing)
    with ProcessPoolExecutor(processes) as pool:
        running = {pool.submit(measure, block) for block in islice(rest, processes)}
        while running:
            finished = next(as_completed(running))
            running.remove(finished)
            yield finished.result()
            if time.monotonic() < end:
                running |= {pool.submit(measure, block) for block in islice(rest, 1)}


def differences(blocks_again: Iterable[Block], processes: int) -> Iterator[Block]:
    """The blocks that give another result than docs/arena.jsonl says."""
    results = known()
    with ProcessPoolExecutor(processes) as pool:
        for block, standing in pool.map(measure, blocks_again):
            if line(block, standing) != line(block, results[block]):
                yield block


def line(block: Block, standing: bot_strength.Standing) -> str:
    """A line of docs/arena.jsonl: the block, then the champion's wins and the mean scores."""
    return json.dumps([block, standing.wins, standing.score, standing.others])


def main(arguments: list[str] | None = None) -> int:
    """Play what is missing, then write the tables; 1 where a check found a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--minutes", type=float, default=55, help="after which no block begins")
    parser.add_argument("--report", action="store_true", help="only write what is known")
    parser.add_argument("--check", type=int, metavar="N", help="play N known blocks again")
    parser.add_argument("--game", choices=list(QUICK), help="only play blocks of this game")
    parser.add_argument(
        "--reduced", action="store_true", help="leave out strong bots with their default budget"
    )
    args = parser.parse_args(arguments)
    results = known()
    wanted = [
        block
        for block in blocks()
        if args.game in {None, block.key} and not (args.reduced and block.takes_long)
    ]
    missing = [block for block in wanted if block not in results]
    if args.check:
        again = [block for block in wanted if block in results]
        differ = list(
            differences(random.sample(again, min(args.check, len(again))), args.processes)
        )
        for block in differ:
            print("Not as recorded:", *block, file=sys.stderr)
        return 1 if differ else 0
    print(f"{len(wanted) - len(missing)} of {len(wanted)} blocks are known.")
    if not args.report:
        with RESULTS.open("a") as out:
            for block, standing in play(missing, args.processes, args.minutes):
                results[block] = standing
                out.write(line(block, standing) + "\n")
                out.flush()
    write_page(results)
    print(written(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
