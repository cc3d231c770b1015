"""Run all parts or those named: `python -m tests.bench [rules] [moves] [web] [outbox] …`."""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from . import positions, rules
from .report import Table
from .service import service

PARTS = ("rules", "moves", "web", "outbox", "inbound", "replies")


def main() -> int:
    """Parse, run, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    parser.add_argument("--games", type=int, default=12, help="whole games for the rules")
    parser.add_argument("--moves", type=int, default=200, help="pairs of requests per size")
    parser.add_argument("--seconds", type=float, default=10, help="for each row of the web pages")
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[1_000, 100_000], help="games in the database"
    )
    parser.add_argument("--mails", type=int, default=1_000, help="emails to send")
    parser.add_argument("--mutants", type=int, default=2_000, help="mutated replies to read")
    parser.add_argument("--replies", type=int, default=200, help="replies to answer")
    parser.add_argument("--readers", type=int, default=4, help="workers that answer them")
    parser.add_argument("--rate", type=float, default=4.0, help="replies a second")
    parser.add_argument("--seed", type=int, default=1, help="of the mutations")
    parser.add_argument("--first", type=int, default=0, help="number of the first mutated reply")
    parser.add_argument(
        "--jobs",
        type=int,
        default=0,
        help="processes that read replies (default: one per processor)",
    )
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))} (there are {', '.join(PARTS)})")
    parts = options.parts or PARTS
    if "rules" in parts:
        show(rules.bench(options.games))
        show(positions.bench())
    if {"moves", "web", "outbox", "inbound", "replies"} & set(parts):
        folder = Path(tempfile.mkdtemp(prefix="atlantis-bench-"))
        try:
            with service(folder) as house:
                # These import Django, which needs the variables that service() sets.
                from . import inbound, moves, outbox, replies, web

                if "moves" in parts:
                    show(moves.bench(house, options.sizes, options.moves))
                if "web" in parts:
                    show(web.bench(house, options.seconds))
                if "outbox" in parts:
                    show(outbox.bench(house, options.mails))
                if "inbound" in parts:
                    show(inbound.bench(options.mutants, options.seed, options.jobs, options.first))
                if "replies" in parts:
                    show(replies.bench(house, options.replies, options.readers, options.rate))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return 0


def show(table: Table) -> None:
    """Print a table at once, because the next part takes a while."""
    print(table, end="\n\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
