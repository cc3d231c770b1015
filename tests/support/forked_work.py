"""The same work in several processes at the same moment."""

import multiprocessing
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def forked(work: Callable[[int], int], processes: int) -> Iterator[list[int]]:
    """Yield the results of `work` in each of these processes, which start at the same moment."""
    connection.close()
    context = multiprocessing.get_context("fork")
    start, results = context.Barrier(processes, timeout=60), context.Queue()

    def run(number: int) -> None:
        status = 1
        try:
            start.wait()
            results.put(work(number))
            connection.close()
            results.close()
            results.join_thread()
            status = 0
        finally:
            os._exit(status)

    children = [context.Process(target=run, args=(n,), daemon=True) for n in range(processes)]
    for child in children:
        child.start()
    try:
        yield [results.get(timeout=60) for _child in children]
    finally:
        for child in children:
            child.join(timeout=60)
    assert [child.exitcode for child in children] == [0] * processes
