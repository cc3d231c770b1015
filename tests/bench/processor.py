"""Processor time: of processes, and how fast the machine is."""

import os
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from atlantis_site.supervisor.children import Child

from .memory import name_of, tree

TICK = 1000 // os.sysconf("SC_CLK_TCK")  # milliseconds
ADDITIONS = 1_000_000


def used(children: Iterable[Child]) -> Counter[str]:
    """The milliseconds that these processes and all that they started have used so far, by what
    they are."""
    found = Counter[str]()
    for child in children:
        for pid in tree(child.reaper_pid):
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                found[name_of(pid)] += (int(fields[11]) + int(fields[12])) * TICK
            except OSError:  # it has ended
                continue
    return found


def additions() -> float:
    """Seconds of processor time that ten million additions take here, the best of five tries.

    Other work on a machine makes each processor slower, not only the waits longer: figures of two
    runs compare as far as this one does.
    """

    def once() -> float:
        start, total = time.thread_time(), 0
        for number in range(ADDITIONS):
            total += number
        return time.thread_time() - start

    return min(once() for _try in range(5)) * 10_000_000 / ADDITIONS
