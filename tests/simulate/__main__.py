"""Simulate years of correspondence play: `python -m tests.simulate --table-years 10000`, `make simulate`.

The pure module first, then PostgreSQL. Finished parts are lines of var/simulate.jsonl: a run that was
stopped continues, and one whose time is over prints what it has. The exit status is 1 if a promise was
broken.
"""

import argparse
import hashlib
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.bench.report import Table, progress

from . import pure
from .people import DAY
from .pure import Findings

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "var" / "simulate.jsonl"
SOURCES = ("games/clock", "games/services", "games/log", "tests/simulate")
BLOCK = 100  # table-years of one line
TABLES = 5  # of one line of the PostgreSQL part
MONTH = 73 * DAY  # of them, a fifth of a year: a table-year is a line


def main() -> int:
    """Run what is missing until the time is over, then print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulate", description=__doc__)
    parser.add_argument("--table-years", type=int, default=10_000, help="of the pure module")
    parser.add_argument("--service-years", type=int, default=100, help="through PostgreSQL")
    parser.add_argument("--minutes", type=float, default=60, help="after which it stops")
    wanted = parser.parse_args()
    end = time.monotonic() + 60 * wanted.minutes
    RESULTS.parent.mkdir(exist_ok=True)
    done = _done()
    for number in range(0, wanted.table_years, BLOCK):
        if time.monotonic() < end and ("pure", number) not in done:
            progress(f"table-years {number} to {number + BLOCK} of the pure module")
            last = min(number + BLOCK, wanted.table_years)
            _keep("pure", number, done, pure.run(range(number, last)))
    missing = [n for n in range(wanted.service_years) if ("service", n) not in done]
    if missing and time.monotonic() < end:
        _service(missing, end, done)
    return _report(done)


def _service(missing: list[int], end: float, done: dict[tuple[str, int], Findings]) -> None:
    from tests.bench.service import service

    with tempfile.TemporaryDirectory() as folder, service(Path(folder)):
        from django.db import transaction

        from . import service as in_service

        for number in missing:
            if time.monotonic() >= end:
                return
            progress(f"table-year {number} through PostgreSQL")
            for found in _rolled_back(transaction.atomic):
                found.add(in_service.run(tables=TABLES, length=MONTH, seed=number))
                _keep("service", number, done, found)


class _UndoError(Exception):
    pass


def _rolled_back(atomic: object) -> Iterator[Findings]:
    """One round, in a transaction of which nothing stays."""
    try:
        with atomic():  # type: ignore[operator]  # Django's
            yield Findings()
            raise _UndoError
    except _UndoError:
        pass


def _version() -> str:
    """Names the code that was simulated: results of other code do not count."""
    digest = hashlib.sha256()
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _done() -> dict[tuple[str, int], Findings]:
    found: dict[tuple[str, int], Findings] = {}
    version = _version()
    for line in RESULTS.read_text().splitlines() if RESULTS.exists() else ():
        known = json.loads(line)
        if known["version"] == version:
            kept = Findings(Counter(known["counts"]), known["faults"])
            found[known["part"], known["number"]] = kept
    return found


def _keep(part: str, number: int, done: dict[tuple[str, int], Findings], found: Findings) -> None:
    done[part, number] = found
    line = {"version": _version(), "part": part, "number": number}
    with RESULTS.open("a") as file:
        file.write(json.dumps({**line, "counts": found.counts, "faults": found.faults}) + "\n")


def _report(done: dict[tuple[str, int], Findings]) -> int:
    faults: list[str] = []
    for part, title in (("pure", "The pure module"), ("service", "Through PostgreSQL")):
        whole = Findings()
        for (kind, _number), found in sorted(done.items()):
            if kind == part:
                whole.add(found)
        if not whole.counts:
            continue
        table = Table(title, ("what", "number"))
        table.add("promises broken", str(len(whole.faults)))
        for name in (
            "deadlines moved to earlier",
            "changes without a reason",
            "duplicate reminders",
        ):
            table.add(name, str(whole.counts[name]))
        for name, number in sorted(whole.counts.items(), key=lambda pair: -pair[1]):
            table.add(name, f"{number:,}")
        print(f"{table}\n")
        faults += whole.faults
    for fault in faults[:20]:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
