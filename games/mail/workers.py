"""Wakeups: messages that ask a Celery worker for a task once the transaction is committed.

The broker may lose the messages. PostgreSQL holds the work, and beat finds it there.
"""

import logging
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

# A broker that did not answer is not asked again for this long.
PAUSE_SECONDS = 30.0
_pause_until = 0.0
_thread: ThreadPoolExecutor | None = None  # starts after any fork


def wake(task: str = "games.tasks.drain_outbox", *args: Any) -> None:
    """Ask a worker for `task` once this transaction is committed.

    Neither raises nor waits for a worker: what the broker does not take now, beat finds in the
    database.
    """
    open_batch = _collected.get()
    if open_batch is not None:
        open_batch.add(task, args)
    else:
        transaction.on_commit(lambda: _send(task, args), robust=True)


class Wakeups:
    """The tasks that many transactions ask for, each once."""

    def __init__(self) -> None:
        self._tasks = dict[tuple[str, tuple[Any, ...]], None]()
        self._sent_at = 0.0

    def add(self, task: str, args: tuple[Any, ...]) -> None:
        self._tasks[task, args] = None

    def send(self, pause: float = 1.0) -> None:
        """Ask for the tasks, unless that was done less than `pause` seconds ago. To be called after
        the transactions."""
        if time.monotonic() - self._sent_at < pause:
            return
        self._sent_at = time.monotonic()
        for task, args in self._tasks:
            transaction.on_commit(partial(_send, task, args), robust=True)
        self._tasks.clear()


_collected: ContextVar[Wakeups | None] = ContextVar("collected wakeups", default=None)


@contextmanager
def collected() -> Iterator[Wakeups]:
    """Let `wake` only collect within this context. What has not been sent at its end is sent
    then."""
    wakeups = Wakeups()
    token = _collected.set(wakeups)
    try:
        yield wakeups
    finally:
        _collected.reset(token)
        wakeups.send(0)


def wake_in_background() -> None:
    """Wake workers from a thread from now on: for the web, where a player waits.

    A normal exit still sends what is pending; nothing else is guaranteed.
    """
    global _thread
    _thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="wake")


def _send(task: str, args: tuple[Any, ...]) -> None:
    if _thread is None:
        _send_task(task, args)
    else:
        _thread.submit(_send_task, task, args)


def _send_task(task: str, args: tuple[Any, ...]) -> None:
    global _pause_until
    if time.monotonic() < _pause_until:
        return
    try:
        current_app.send_task(task, args=args, ignore_result=True, retry=False)
    except (OperationalError, OSError) as error:
        _pause_until = time.monotonic() + PAUSE_SECONDS
        logger.warning("The broker did not take %s (%s); beat will find the work.", task, error)
