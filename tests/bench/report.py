"""Tables in Markdown, and functions that measure time."""

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median


@dataclass(frozen=True)
class Aim:
    """A figure that the project wants to reach, and whether this run did."""

    what: str
    aim: str
    found: str
    is_met: bool


@dataclass
class Table:
    """A Markdown table: title, head and rows; and the aims that its figures are about."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)
    aims: list[Aim] = field(default_factory=list)

    def add(self, *cells: str) -> None:
        self.rows.append(cells)

    def aim(
        self,
        what: str,
        found: float,
        *,
        most: float | None = None,
        least: float | None = None,
        write: Callable[[float], str] | None = None,
    ) -> None:
        """Note that `found` is to be at most, or at least, this. write: how to write both, by
        default as seconds."""
        write = write or duration
        if most is not None:
            self.aims.append(Aim(what, f"at most {write(most)}", write(found), found <= most))
        if least is not None:
            self.aims.append(Aim(what, f"at least {write(least)}", write(found), found >= least))

    def __str__(self) -> str:
        lines = [self.head, tuple("---" for _cell in self.head), *self.rows]
        return "\n".join(
            [f"**{self.title}**", "", *("| " + " | ".join(line) + " |" for line in lines)]
        )


def percentile(ordered: Sequence[float], share: float = 0.95) -> float:
    """Return that percentile of these values, which are in order."""
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def timed(action: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the seconds that `action` takes. clock: time.thread_time for processor time, in which
    other work on the machine counts less."""
    start = clock()
    action()
    return clock() - start


def median_of(
    times: int, action: Callable[[], object], clock: Callable[[], float] = time.perf_counter
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


def duration(seconds: float) -> str:
    """Seconds in the unit that suits them."""
    if seconds >= 1:
        return f"{seconds:.0f} s"
    return ms(seconds) if seconds >= 1e-3 else us(seconds)


def aims_of(tables: Iterable[Table]) -> Table:
    """The aims of these tables, with what this run found."""
    table = Table("Aims", ("what", "aim", "in this run", "met"))
    for one in tables:
        for aim in one.aims:
            table.add(aim.what, aim.aim, aim.found, "yes" if aim.is_met else "no")
    return table
