"""Heartbeats: when the recurring tasks ran, and which processes are alive, for /readyz.

A process of a host writes its own row every half a minute from a thread of its own. One that hangs
is silent; one that ends in order says so, and is not missed while another one works.
"""

import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import DatabaseError, connection

from games.models import Heartbeat, database_clock

logger = logging.getLogger(__name__)

SECONDS = 30.0  # between two heartbeats of a process
END_SECONDS = 3.0  # that a process waits for its last one
FORGOTTEN = timedelta(days=1)  # of silence, after which a process is no longer missed


@contextmanager
def heartbeat(name: str) -> Iterator[None]:
    """Record when a recurring task begins and when it ends."""
    _record(name, started_at=database_clock.now())
    yield
    _record(name, at=database_clock.now())


def process_name(process: str) -> str:
    """The name of the row of this process: "worker@host"."""
    return f"{process}@{socket.gethostname()}"


def heartbeat_record(process: str, *, refused: int = 0) -> None:
    """Record that this process of this host is alive. refused: see `Heartbeat`.

    A database that is away costs the heartbeat only.
    """
    with _logging_errors():
        name, now = process_name(process), database_clock.now()
        alive = Heartbeat.objects.filter(name=name, started_at__isnull=False)
        if not alive.update(at=now, refused=refused):
            _record(name, at=now, started_at=now, refused=refused)


def heartbeat_end(process: str) -> None:
    """Record that this process of this host ends in order."""
    with _logging_errors():
        Heartbeat.objects.filter(name=process_name(process)).update(started_at=None)


@contextmanager
def _logging_errors() -> Iterator[None]:
    try:
        yield
    except DatabaseError as error:
        logger.warning("The heartbeat could not be recorded: %s", error)
        connection.close()


def heartbeats_purge() -> int:
    """Delete the rows of processes that have been silent for a day; return their number."""
    before = database_clock.now() - FORGOTTEN
    return Heartbeat.objects.filter(name__contains="@", at__lt=before).delete()[0]


def _record(name: str, **values: datetime | int) -> None:
    if not Heartbeat.objects.filter(name=name).update(**values):
        first = {"at": database_clock.now(), **values}
        Heartbeat.objects.bulk_create([Heartbeat(name=name, **first)], ignore_conflicts=True)


class HeartbeatThread(threading.Thread):
    """Records the heartbeats of these processes until it ends."""

    def __init__(self, *processes: str) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self._processes = processes
        self._ended = threading.Event()

    def run(self) -> None:
        while True:
            for process in self._processes:
                heartbeat_record(process)
            connection.close()
            if self._ended.wait(SECONDS):
                break
        for process in self._processes:
            heartbeat_end(process)
        connection.close()

    def end(self) -> None:
        """Record the end; give up after END_SECONDS."""
        self._ended.set()
        self.join(END_SECONDS)
