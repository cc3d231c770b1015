"""Regular tasks over many games: in small parts, until nothing is due or time is up.

Workers share: each part is claimed with SKIP LOCKED. A task that finds a full part asks other
workers for help. When its time is up, it goes to the end of the queue, so that no kind of work
waits long behind another. Beat may ask for a task twice, and so may two beats: a claimed game is
skipped, and what was done is no longer due.
"""

import logging
import random
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Lock

from django.db import connection, transaction

from games.log import pipeline
from games.log.pipeline import Statement
from games.mail import workers

from .quotas import atomic

logger = logging.getLogger(__name__)

PART = 10  # rows that one transaction claims
HOLD_SECONDS = 0.2  # then the transaction ends: a player may wait for one of its games
SLICE_SECONDS = 10.0  # of one run, then other tasks have their turn
HELPERS = 8  # tasks for other workers; a worker already running this task returns at once
MAX_FAULTS = 100  # games with a fault that one run passes over

_busy: dict[str, Lock] = {}


class Sweep:
    """One run of a regular task.

    task, args: the Celery task that starts another run; without a name, none is started. helper:
    the number of a run that another run asked for, 0 for all others.
    """

    def __init__(
        self, task: str = "", *args: object, helper: int = 0, seconds: float = SLICE_SECONDS
    ) -> None:
        self._task, self._args, self._helper = task, args, helper
        self._has_asked = False
        self._is_unfinished = False
        self._ends_at = time.monotonic() + seconds
        self._faults: list[int] = []

    @property
    def is_over(self) -> bool:
        """Whether its time is up."""
        return time.monotonic() >= self._ends_at or len(self._faults) >= MAX_FAULTS

    def drain(self, due: Callable[[list[int]], Statement], work: Callable[[int], int]) -> int:
        """Call `work` with each key that `due` finds, until there are no more or time is up. Return
        the sum of its results.

        due: gets the keys to leave out, and returns a SELECT of at most PART other keys, locked
        with SKIP LOCKED. work: runs in a savepoint of the transaction that claimed the key. If it
        raises, the error is logged, the other keys go on, and a later run tries that key again.
        """
        done, seen = 0, set[int]()
        self._faults = []
        with workers.collected() as pending:
            while not self.is_over:
                with transaction.atomic():
                    rows = pipeline.execute([due(self._faults)])[0]
                    keys = list(dict.fromkeys(row[0] for row in rows))
                    done += self._part(keys, work, seen)
                pending.send()
                if not keys:
                    return done
                if len(rows) >= PART:
                    self._ask_for_help()
        # After too many faults, another run at once would meet the same ones; beat asks for one.
        self._is_unfinished = len(self._faults) < MAX_FAULTS
        return done

    def _part(self, keys: list[int], work: Callable[[int], int], seen: set[int]) -> int:
        done, hold_until = 0, time.monotonic() + HOLD_SECONDS
        for key in keys:
            if key in seen:  # it is still due after its work: leave it to a later run
                self._faults.append(key)
                continue
            seen.add(key)
            done += self._attempt(key, work, atomic)
            if time.monotonic() >= hold_until:
                break
        return done

    def drain_unclaimed(self, waiting: Callable[[], list[int]], work: Callable[[int], int]) -> int:
        """Work through keys without locks: for work that takes too long to hold one, and that does
        nothing if another worker was faster. Workers take the keys in random order, so they seldom
        meet."""
        done = 0
        self._faults = []
        with workers.collected() as pending:
            while keys := [key for key in waiting() if key not in self._faults]:
                if len(keys) >= PART:
                    self._ask_for_help()
                random.shuffle(keys)
                before = done
                for key in keys:
                    if self.is_over:
                        self._is_unfinished = len(self._faults) < MAX_FAULTS
                        return done
                    done += self._attempt(key, work, nullcontext)
                    pending.send()
                if done == before:  # others are at the rest
                    break
        return done

    def _attempt(
        self,
        key: int,
        work: Callable[[int], int],
        context: Callable[[], AbstractContextManager[None]],
    ) -> int:
        """Return the result of `work`, or 0 if it raises. Errors of a lost database are raised."""
        try:
            with context():
                return work(key)
        except Exception:
            if not connection.is_usable():
                raise
            logger.exception("%s failed for row %s.", self._task or "A sweep", key)
            self._faults.append(key)
            return 0

    def _ask_for_help(self) -> None:
        """Ask other workers for the same task, once."""
        if self._task and not self._helper and not self._has_asked:
            self._has_asked = True
            for number in range(1, HELPERS + 1):
                workers.wake(self._task, *self._args, number)

    def go_on(self) -> None:
        """Ask for another run, at the end of the queue, if time was up before all was done."""
        if self._task and self._is_unfinished:
            workers.wake(self._task, *self._args)


@contextmanager
def alone(name: str) -> Iterator[bool]:
    """Yield True if this thread got the lock for this work. Threads share one processor, so a
    second one would gain nothing."""
    lock = _busy.setdefault(name, Lock())
    taken = lock.acquire(blocking=False)
    try:
        yield taken
    finally:
        if taken:
            lock.release()
