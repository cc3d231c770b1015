"""Simulate years of correspondence play: `python -m tests.simulate --table-years 10000`, `make
simulate`.

The pure module first, then PostgreSQL. Finished parts are lines of var/simulate.jsonl: a run that
was stopped continues, and one whose time is over prints what it has. They count until `games/clock`
or the simulator changes; the table says how many of them were made with today's service. The exit
status is 1 if a promise was broken.
"""

import argparse
import hashlib
import json
import logging
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.bench.report import Table, progress

from . import pure
from .people import DAY
from .pure import Findings

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "var" / "simulate.jsonl"
# A change of this code makes the results of a part void; the service is named in each result.
CODE = {
    "pure": ("games/clock", "tests/simulate/people.py", "tests/simulate/pure.py"),
    "service": ("games/clock", "tests/simulate"),
}
SERVICE = ("games",)
BLOCK = 100  # table-years of one line
TABLES = 5  # of one line of the PostgreSQL part
MONTH = 73 * DAY  # of them, a fifth of a year: a table-year is a line


class Result(NamedTuple):
    """The result of a part of the simulation, with seconds of processor time (without
    PostgreSQL's) and the service."""

    found: Findings
    seconds: float
    service: str


Results = dict[tuple[str, int], Result]  # by "pure" or "service", and number


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
            begin = time.process_time()
            found = pure.run(range(number, last))
            _keep("pure", number, done, found, time.process_time() - begin)
    missing = [n for n in range(wanted.service_years) if ("service", n) not in done]
    if missing and time.monotonic() < end:
        _service(missing, end, done)
    return _report(done)


def _service(missing: list[int], end: float, done: Results) -> None:
    from tests.bench.service import service

    with tempfile.TemporaryDirectory() as folder, service(Path(folder)):
        from django.db import transaction

        from . import service as in_service

        logging.disable(logging.ERROR)  # outages and refusals, all of them simulated
        for number in missing:
            if time.monotonic() >= end:
                return
            progress(f"table-year {number} through PostgreSQL")
            begin = time.process_time()
            for found in _rolled_back(transaction.atomic):
                found.add(in_service.run(tables=TABLES, length=MONTH, seed=number))
            _keep("service", number, done, found, time.process_time() - begin)


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


@cache
def _version(sources: tuple[str, ...]) -> str:
    """Names the code in these files and folders."""
    digest = hashlib.sha256()
    for source in sources:
        path = ROOT / source
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _done() -> Results:
    found: Results = {}
    for line in RESULTS.read_text().splitlines() if RESULTS.exists() else ():
        known = json.loads(line)
        if known["version"] == _version(CODE[known["part"]]):
            kept = Findings(Counter(known["counts"]), known["faults"])
            key = known["part"], known["number"]
            found[key] = Result(kept, known["seconds"], known["service"])
    return found


def _keep(part: str, number: int, done: Results, found: Findings, seconds: float) -> None:
    done[part, number] = Result(found, seconds, _version(SERVICE))
    line = {
        "version": _version(CODE[part]),
        "service": _version(SERVICE),
        "part": part,
        "number": number,
        "seconds": round(seconds, 2),
        "counts": found.counts,
        "faults": found.faults,
    }
    with RESULTS.open("a") as file:
        file.write(json.dumps(line) + "\n")


def _report(done: Results) -> int:
    faults: list[str] = []
    for part, title in (("pure", "The pure module"), ("service", "Through PostgreSQL")):
        whole = Findings()
        results = [result for (kind, _number), result in sorted(done.items()) if kind == part]
        for result in results:
            whole.add(result.found)
        if not results:
            continue
        table = Table(title, ("what", "number"))
        table.add("seconds of processor time", f"{sum(one.seconds for one in results):,.0f}")
        if part == "service":
            table.add("table-years", str(len(results)))
            today = sum(one.service == _version(SERVICE) for one in results)
            table.add("table-years with today's service", str(today))
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
