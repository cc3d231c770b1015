"""Figures in tables that can stand in a README as they are printed."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass
class Table:
    """A Markdown table: a title, a head and rows of words."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, *cells: str) -> None:
        self.rows.append(cells)

    def __str__(self) -> str:
        lines = [self.head, tuple("---" for _cell in self.head), *self.rows]
        return "\n".join(
            [f"**{self.title}**", "", *("| " + " | ".join(line) + " |" for line in lines)]
        )


def median(values: Sequence[float]) -> float:
    """The middle one."""
    return statistics.median(values)


def timed(action: Callable[[], object]) -> float:
    """Seconds of wall time."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def median_of(times: int, action: Callable[[], object]) -> float:
    """The median of so many runs, in seconds, after one that does not count."""
    action()
    return median([timed(action) for _run in range(times)])


def progress(words: str) -> None:
    """What is being done, for the person who waits; not part of the tables."""
    print(f"  … {words}", file=sys.stderr, flush=True)


def ms(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms"


def us(seconds: float) -> str:
    return f"{seconds * 1e6:.1f} µs"
