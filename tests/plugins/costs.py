"""The last lines of a run: what each kind of tests took, and the twenty slowest tests.

`pytest --costs=costs.csv` also writes what each test took, the most expensive first.

The processor time of a test is that of its worker, and for the kinds that start processes, of all
that the worker started. What these leave out, the servers of the run, its start and the render
worker, is in the line of the total.
"""

import csv
import os
import resource
import time
from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.plugins.kinds import BROWSER, KINDS, PROCESSES, kind_of

KEY = "cost"
TICKS = os.sysconf("SC_CLK_TCK")
_began = time.monotonic()
_costs: dict[str, tuple[str, float, float]] = {}  # test → (kind, wall time, processor time)
_seen: dict[bool, float] = {}  # processor time at the end of a test, with descendants or without


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", type=Path, help="write what each test took to this CSV file")


def children_of(pid: int) -> Iterator[int]:
    """The living children of a process; none where it ends before it is read."""
    with suppress(OSError):
        for task in os.scandir(f"/proc/{pid}/task"):
            with suppress(OSError):
                yield from map(int, Path(f"{task.path}/children").read_bytes().split())


def of_descendants(pid: int) -> float:
    """Seconds of processor time of living descendants and of the children they waited for."""
    seconds = 0.0
    for child in children_of(pid):
        try:
            fields = Path(f"/proc/{child}/stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        seconds += sum(map(int, fields[11:15])) / TICKS + of_descendants(child)
    return seconds


def processor_time(*, descendants: bool = True) -> float:
    """Seconds of processor time of this process and everything it started.

    Without `descendants`, of this process alone: looking at all threads of a browser takes a
    millisecond, and one that ends during a test was started by another.
    """
    whose = [resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN][: 1 + descendants]
    used = [resource.getrusage(who) for who in whose]
    own = sum(one.ru_utime + one.ru_stime for one in used)
    return own + (of_descendants(os.getpid()) if descendants else 0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    descendants = kind_of(item) in (BROWSER, PROCESSES)
    # A look at the processes of a browser takes milliseconds: the end of a test is the start of the
    # next one.
    used = _seen.pop(descendants, None)
    _seen.clear()
    if used is None:
        used = processor_time(descendants=descendants)
    item.stash[_START] = time.monotonic(), used
    return (yield)


_START = pytest.StashKey[tuple[float, float]]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "teardown":
        began, used_before = item.stash[_START]
        kind = kind_of(item)
        descendants = kind in (BROWSER, PROCESSES)
        now = _seen[descendants] = processor_time(descendants=descendants)
        used = now - used_before
        cost = (kind, time.monotonic() - began, max(0.0, used))
        report.user_properties.append((KEY, cost))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    cost: Any = dict(report.user_properties).get(KEY)
    if cost and report.when == "teardown":
        _costs[report.nodeid] = cost


@pytest.hookimpl(tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    file: Path | None = terminalreporter.config.getoption("costs")
    if file:
        rows = sorted(((test, *cost) for test, cost in _costs.items()), key=lambda row: -row[3])
        with file.open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(["test", "kind", "seconds", "seconds of processor"])
            writer.writerows(rows)
    if len(_costs) < len(KINDS):
        return
    terminalreporter.section("twenty slowest tests")
    for test, (_kind, wall, used) in sorted(_costs.items(), key=lambda one: -one[1][1])[:20]:
        terminalreporter.line(f"{wall:6.1f} s, {used:6.1f} s of processor: {test}")
    totals: dict[str, list[float]] = defaultdict(lambda: [0, 0, 0])
    for kind, wall, used in _costs.values():
        totals[kind] = [a + b for a, b in zip(totals[kind], (1, wall, used), strict=True)]
    terminalreporter.section("kinds of tests")
    for kind in KINDS:
        number, wall, used = totals[kind]
        terminalreporter.line(
            f"{kind:10}{number:6.0f} tests {wall:8.1f} s {used:8.1f} s of processor"
        )
    wall = time.monotonic() - _began
    terminalreporter.line(
        f"{'all':10}{len(_costs):6} tests {wall:8.1f} s {processor_time():8.1f} s of processor, "
        "with the servers and the start of the run"
    )
