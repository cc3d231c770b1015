"""Run all parts or those named: `python -m tests.bench [rules] [pages] …`."""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from . import memory, pictures, record, rules
from .report import Table, aims_of
from .service import service

PARTS = ("rules", "pictures", "memory", "pages", "events", "waiting", "inbound", "browser")
SHORT = {"games": 4, "views": 60, "seconds": 4, "waiting": 100_000, "mutants": 300, "taps": 5}


def main() -> int:
    """Parse, run, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    parser.add_argument("--games", type=int, default=12, help="whole games for the rules")
    parser.add_argument("--views", type=int, default=200, help="of each page")
    parser.add_argument(
        "--seconds", type=float, default=10, help="of writing, for each row of NOTIFY"
    )
    parser.add_argument("--pages", type=int, default=5_000, help="open pages")
    parser.add_argument("--taps", type=int, default=15, help="pairs of taps on a table page")
    parser.add_argument("--waiting", type=int, default=1_000_000, help="games in the database")
    parser.add_argument("--mutants", type=int, default=2_000, help="mutated replies to read")
    parser.add_argument("--seed", type=int, default=1, help="of the mutations")
    parser.add_argument("--first", type=int, default=0, help="number of the first mutated reply")
    parser.add_argument("--short", action="store_true", help="all parts in about five minutes")
    parser.add_argument("--write", type=Path, metavar="FILE", help="a file for the results as well")
    if "--short" in sys.argv:
        parser.set_defaults(**SHORT)
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))} (there are {', '.join(PARTS)})")
    facts = record.facts()
    tables = []
    for table in results(options):
        print(table, end="\n\n", flush=True)  # at once, because the next part takes a while
        tables.append(table)
    aims = aims_of(tables)
    if aims.rows:
        print(aims, end="\n\n", flush=True)
    if options.write:
        options.write.write_text(record.document(facts, [*map(str, tables), str(aims)]))
    return 0


def results(options: argparse.Namespace) -> Iterator[Table]:
    """The tables of the parts that were asked for."""
    parts = options.parts or PARTS
    if "rules" in parts:
        yield rules.bench(options.games)
    if "pictures" in parts:
        yield pictures.bench()
    if "memory" in parts:
        yield memory.bench()
    if not set(PARTS[3:]) & set(parts):
        return
    folder = Path(tempfile.mkdtemp(prefix="atlantis-bench-"))
    try:
        with service(folder) as stack:
            # These import Django, which needs the variables that service() sets.
            from . import events, inbound, pages, waiting

            if "pages" in parts:
                yield pages.bench(stack, options.views)
            if "browser" in parts:
                from . import browser  # needs Playwright

                yield browser.bench(stack, options.taps)
            if "events" in parts:
                yield from events.bench(stack, options.pages, options.seconds)
            if "waiting" in parts:
                yield from waiting.bench(stack, options.waiting)
            if "inbound" in parts:
                yield inbound.bench(options.mutants, options.seed, options.first)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
