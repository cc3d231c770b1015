"""The scheduler of beat, which leaves a sign of life in PostgreSQL."""

from __future__ import annotations

import logging
import time
from typing import Any

from celery.beat import Scheduler

logger = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 10.0


class HeartbeatScheduler(Scheduler):
    """Celery's scheduler in memory: intervals are short, so it keeps no file.

    The heartbeat tells a beat that stands still from workers that do. Beat never waits for it: a
    database that is away costs the heartbeat only.
    """

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
