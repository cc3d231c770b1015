"""Random positions, sentences and records, in greater numbers than in tests: `make fuzz-rules`.

The work is divided into blocks, and each finished block is a line of var/fuzz_rules.jsonl: a run
that was stopped continues, and one whose time is over prints what it has. A block counts until the
rules or the code that compares change. The exit status is 1 if anything is wrong.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from games.rules import GAMES
from tests.bench.report import Table, progress
from tests.rules import choice_trees, sentence_reading
from tests.support import resumable, sentences, two_checks

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "var" / "fuzz_rules.jsonl"
CODE = (
    "games/rules",
    "tests/programs/fuzz_rules.py",
    "tests/second_checker",
    "tests/support/sentences.py",
    "tests/rules/choice_trees.py",
    "tests/rules/sentence_reading.py",
    "tests/support/record_damage.py",
    "tests/support/record_fuzz.py",
    "tests/support/tampering.py",
    "tests/support/two_checks.py",
)
SENTENCES = 1000  # of a block
RECORDS = 100  # changed ones of a block
PLAYED = 20  # games of a block

# Compares one block, and returns how much it compared.
Compare = Callable[[str, int], int]


class Part(NamedTuple):
    """what: what is compared. blocks: how many blocks of it."""

    what: str
    subject: str
    blocks: int
    compare: Compare

    @property
    def name(self) -> str:
        return f"{self.what}, {self.subject}"


def choices(game: str, block: int) -> int:
    """The tree of each position of a game, or of a part of them, followed at random."""
    luck, step = Random(f"{game} {block}"), {"atlantis": 1, "escape": 5}.get(game, 1)
    positions = list(choice_trees.game_positions(game, block))[block % step :: step]
    return sum(choice_trees.compare(game, view, luck) for view in positions)


def read_sentences(subject: str, block: int) -> int:
    game, language = subject.split()
    found = sentence_reading.read(game, language, SENTENCES, block)
    assert not found.wrong, found.wrong
    return SENTENCES


def played(game: str, block: int) -> int:
    for number in range(block * PLAYED, (block + 1) * PLAYED):
        lines = two_checks.new_game(game, number)
        assert two_checks.verdict(lines) == two_checks.FINISHED, number
    return PLAYED


def changed(game: str, block: int) -> int:
    for number in range(block * RECORDS, (block + 1) * RECORDS):
        lines = two_checks.changed_record(game, number)
        assert two_checks.verdict(lines) == two_checks.our_verdict(lines), number
    return RECORDS


def parts() -> Iterator[Part]:
    for game in sorted(GAMES):
        yield Part("forms of choice trees", game, 100, choices)
        for language in sentences.LANGUAGES:
            yield Part("sentences", f"{game} {language}", 21, read_sentences)
        yield Part("games accepted by the second check", game, 25, played)
        yield Part("changed records, both checks", game, 20, changed)


class Block(NamedTuple):
    """The result of a block. fault: the fault that it found, or ""."""

    compared: int
    seconds: float
    fault: str


def known(code: str) -> dict[tuple[str, int], Block]:
    """The finished blocks without faults."""
    found = {}
    for one in resumable.read_rows(RESULTS):
        if one["code"] == code and not one["fault"]:
            found[one["part"], one["block"]] = Block(one["compared"], one["seconds"], "")
    return found


def run(part: Part, number: int) -> Block:
    """Compare one block. Whatever is raised is a fault."""
    begin = time.process_time()
    try:
        compared, fault = part.compare(part.subject, number), ""
    except Exception as error:  # noqa: BLE001 (a crash of the rules is a fault like any other)
        compared, fault = 0, f"{type(error).__name__}: {error}"
    return Block(compared, round(time.process_time() - begin, 2), fault)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.programs.fuzz_rules", description=__doc__
    )
    parser.add_argument("--minutes", type=float, default=60, help="after which it stops")
    end = time.monotonic() + 60 * parser.parse_args().minutes
    code = resumable.fingerprint(ROOT, CODE)
    done = known(code)
    # One block of each part after another, so that a short run has something of each.
    missing = [
        (number, part)
        for part in parts()
        for number in range(part.blocks)
        if (part.name, number) not in done
    ]
    for number, part in sorted(missing, key=lambda one: one[0] / one[1].blocks):
        if time.monotonic() >= end:
            break
        progress(f"{part.name}: block {number + 1} of {part.blocks}")
        block = done[part.name, number] = run(part, number)
        row = {"code": code, "part": part.name, "block": number, **block._asdict()}
        resumable.add_row(RESULTS, row)
    return report(done)


def report(done: dict[tuple[str, int], Block]) -> int:
    """Print the table and the faults; the exit status."""
    table = Table("Random positions, sentences and records", ("", "blocks", "compared", "seconds"))
    for part in parts():
        blocks = [block for (name, _number), block in done.items() if name == part.name]
        compared, seconds = sum(b.compared for b in blocks), sum(b.seconds for b in blocks)
        table.add(part.name, f"{len(blocks)} of {part.blocks}", f"{compared:,}", f"{seconds:.0f}")
    table.add("all", "", "", f"{sum(block.seconds for block in done.values()):.0f}")
    print(table)
    faults = [f"{name}, block {number}: {b.fault}" for (name, number), b in done.items() if b.fault]
    print("\n".join(faults) or "\nNo differences.")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
