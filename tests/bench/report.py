"""Tables in Markdown, and functions that measure time."""

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass
class Table:
    """A Markdown table: title, head and rows."""

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
    """Return the median."""
    return statistics.median(values)


def timed(action: Callable[[], object], clock: Callable[[], float] = time.thread_time) -> float:
    """Return the seconds that `action` takes, by default of this thread's processor time: other
    work on the machine counts less in it."""
    start = clock()
    action()
    return clock() - start


def median_of(
    times: int, action: Callable[[], object], clock: Callable[[], float] = time.thread_time
) -> float:
    """Return the median seconds of `times` runs, after one for warming up."""
    action()
    return median([timed(action, clock) for _run in range(times)])


def progress(words: str) -> None:
    """Print progress to stderr."""
    print(f"  … {words}", file=sys.stderr, flush=True)


def ms(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms"


def us(seconds: float) -> str:
    return f"{seconds * 1e6:.1f} µs"
