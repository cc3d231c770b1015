"""The scheduler of beat: it does not mind steps of the clock, and leaves a sign of life in
PostgreSQL. It runs in a process of its own or, to save memory, as a thread of a worker."""

import logging
import os
import signal
import threading
import time
import urllib.request
from datetime import UTC, datetime, timedelta
from typing import Any

from celery import Celery
from celery.beat import ScheduleEntry, Scheduler, Service
from celery.bootsteps import StartStopStep

logger = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 10.0
PING_SECONDS = 60.0
PING_TIMEOUT = 10.0
PING_THREAD = "heartbeat-url"


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

    The heartbeat distinguishes a beat that hangs from workers that do. Beat never waits for it: a
    database that is away costs the heartbeat only.
    """

    Entry = SteadyEntry
    _beat_at = float("-inf")
    _pinged_at = float("-inf")

    def tick(self, *args: Any, **kwargs: Any) -> float:
        if time.monotonic() - self._beat_at >= HEARTBEAT_SECONDS:
            self._beat_at = time.monotonic()
            _record()
        if time.monotonic() - self._pinged_at >= PING_SECONDS:
            self._pinged_at = time.monotonic()
            _ping()
        wait: float = super().tick(*args, **kwargs)
        return min(wait, HEARTBEAT_SECONDS)


class BeatThread(threading.Thread):
    """Beat within a worker. If it fails, it ends the worker, which its supervisor restarts."""

    def __init__(self, app: Celery) -> None:
        super().__init__(name="beat", daemon=True)
        self.service = Service(app, scheduler_cls=app.conf.beat_scheduler)

    def run(self) -> None:
        try:
            self.service.start()
        except Exception:
            logger.exception("Beat failed, so this worker ends.")
            os.kill(os.getpid(), signal.SIGTERM)

    def stop(self) -> None:
        self.service.stop()


class BeatStep(StartStopStep):
    """Starts BeatThread in a worker with the option --beat-thread. Celery's own --beat forks a
    process, which nobody restarts."""

    conditional = True

    def __init__(self, worker: Any, beat_thread: bool = False, **options: Any) -> None:
        self.enabled = beat_thread
        super().__init__(worker, **options)

    def create(self, worker: Any) -> BeatThread:  # type: ignore[override]  # the stubs have None
        return BeatThread(worker.app)


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


def _ping() -> None:
    """Request HEARTBEAT_URL in a thread: beat waits for no other server."""
    from django.conf import settings

    running = any(thread.name == PING_THREAD for thread in threading.enumerate())
    if settings.HEARTBEAT_URL and not running:
        words = (settings.HEARTBEAT_URL,)
        threading.Thread(
            target=request_heartbeat_url, args=words, name=PING_THREAD, daemon=True
        ).start()


def request_heartbeat_url(url: str) -> None:
    """Request `url` if the service is ready; failures are logged, without the URL, which is a key.

    So whatever watches that URL raises an alarm when beat, the database or anything else fails.
    """
    from games.models import database_clock
    from games.web import health

    try:
        if not health.check(database_clock.now())["ready"]:
            logger.warning("The heartbeat URL was not requested: the service is not ready.")
            return
        with urllib.request.urlopen(url, timeout=PING_TIMEOUT):  # noqa: S310  # the settings refuse other schemes
            pass
    except Exception as error:  # noqa: BLE001  # whatever it is, the next one may succeed
        logger.warning("The heartbeat URL could not be requested: %s", error)
    finally:
        close_connection()


def close_connection() -> None:
    """Close the database connection of a thread that ends."""
    from django.db import connection

    connection.close()
