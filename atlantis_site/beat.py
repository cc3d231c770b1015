"""The scheduler of beat: it does not mind steps of the clock, and leaves a sign of life in PostgreSQL."""

from __future__ import annotations

import logging
import time
from datetime import UTC, datetime, timedelta
from typing import Any

from celery.beat import ScheduleEntry, Scheduler

logger = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 10.0


_began = (datetime.now(UTC), time.monotonic())


def steady_now() -> datetime:
    """The time at the start of this process and what has passed since then.

    If the machine's clock were set back by an hour, nothing would be due for an hour.
    """
    return _began[0] + timedelta(seconds=time.monotonic() - _began[1])


class SteadyEntry(ScheduleEntry):
    """A task and its interval, measured by steady_now."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        assert self.schedule is not None
        self.schedule.nowfun = steady_now  # type: ignore[attr-defined]  # the stubs lack it

    def default_now(self) -> datetime:
        return steady_now()


class HeartbeatScheduler(Scheduler):
    """Celery's scheduler in memory: intervals are short, so it keeps no file.

    The heartbeat tells a beat that stands still from workers that do. Beat never waits for it: a
    database that is away costs the heartbeat only.
    """

    Entry = SteadyEntry
    _beat_at = float("-inf")

    def tick(self, *args: Any, **kwargs: Any) -> float:
        if time.monotonic() - self._beat_at >= HEARTBEAT_SECONDS:
            self._beat_at = time.monotonic()
            _record()
        wait: float = super().tick(*args, **kwargs)
        return min(wait, HEARTBEAT_SECONDS)


def _record() -> None:
    # Django is set up only after this module was imported.
    from django.db import DatabaseError, connection

    from games import services
    from games.models import database_clock

    try:
        services.heartbeat_record(now=database_clock.now())
    except DatabaseError as error:
        logger.warning("The heartbeat could not be recorded: %s", error)
        connection.close()
