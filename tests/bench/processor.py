"""Processor time: of processes, and how fast the machine is."""

import os
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from .memory import name_of, tree

TICK = 1000 // os.sysconf("SC_CLK_TCK")  # milliseconds
ADDITIONS = 1_000_000


def used(*pids: int) -> Counter[str]:
    """The milliseconds that these processes and all below them have used so far, by what they are.
    What a process that has ended used counts for the one that waited for it."""
    found = Counter[str]()
    for pid in (below for above in pids for below in tree(above)):
        with suppress(OSError):  # it has ended
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            found[name_of(pid)] += sum(map(int, fields[11:15])) * TICK
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
