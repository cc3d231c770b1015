"""A test of the database and its session of PostgreSQL take turns, so they share a processor.

To wake one that sleeps costs both of them time, in a virtual machine most of all: without this,
modules of such tests take about a sixth more processor time.
"""

import os
from collections.abc import Generator
from contextlib import suppress

import pytest
from django.db import connection

from tests.plugins.kinds import DATABASE, kind_of
from tests.plugins.servers import worker_number

ALL = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else {0}
OWN = {sorted(ALL)[worker_number() % len(ALL)]}
_processors: dict[int, set[int]] = {}  # of processes that were moved, by their number


def move(pid: int, processors: set[int]) -> None:
    """Move the process, if this is Linux and it is allowed; otherwise tests only take longer."""
    if _processors.get(pid, ALL) != processors:
        _processors[pid] = processors
        with suppress(AttributeError, OSError):
            os.sched_setaffinity(pid, processors)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    together = kind_of(item) == DATABASE
    move(0, OWN if together else ALL)  # a browser, for example, may need all processors
    if together and connection.connection is not None:
        move(connection.connection.info.backend_pid, OWN)
    return (yield)
