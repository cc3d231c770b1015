"""The scheduler of beat: it does not mind steps of the clock, leaves a sign of life in PostgreSQL,
and logs what becomes unready. It runs in a process of its own or, to save memory, as a thread of a
worker."""

import logging
import os
import signal
import threading
import time
import urllib.request
from datetime import UTC, datetime, timedelta
from typing import Any

from celery import Celery
from celery.beat import ScheduleEntry, Scheduler, SchedulingError, Service
from celery.bootsteps import StartStopStep

logger = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 10.0
CHECK_SECONDS = 60.0
PING_TIMEOUT = 10.0
CHECK_THREAD = "check-service"


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
    _checked_at = time.monotonic()  # the first check would find that nothing has run yet

    def tick(self, *args: Any, **kwargs: Any) -> float:
        if time.monotonic() - self._beat_at >= HEARTBEAT_SECONDS:
            self._beat_at = time.monotonic()
            _record()
        if time.monotonic() - self._checked_at >= CHECK_SECONDS:
            self._checked_at = time.monotonic()
            _check()
        wait: float = super().tick(*args, **kwargs)
        return min(wait, HEARTBEAT_SECONDS)

    def apply_entry(self, entry: ScheduleEntry, producer: Any = None) -> None:
        """Like Celery's, without its two tracebacks for each task while the broker is away."""
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except SchedulingError as error:
            logger.error("%s", error)

    def close(self) -> None:
        from games import services
        from games.models import Heartbeat

        services.heartbeat_end(Heartbeat.BEAT)
        super().close()


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
    from games import services
    from games.models import Heartbeat

    services.heartbeat_record(Heartbeat.BEAT)


def _check() -> None:
    """Check the service in a thread: beat waits for no other server."""
    from django.conf import settings

    if not any(thread.name == CHECK_THREAD for thread in threading.enumerate()):
        threading.Thread(
            target=check_service, args=(settings.HEARTBEAT_URL,), name=CHECK_THREAD, daemon=True
        ).start()


_not_ready: set[str] = set()  # the parts of the last report that were not ok


def check_service(url: str = "") -> None:
    """Log each part of /readyz that has changed, and request `url` if the service is ready.

    So whatever watches that URL raises an alarm when beat, the database or anything else fails.
    Failures are logged without the URL, which is a key.
    """
    from games.models import database_clock
    from games.operations import health

    try:
        report = health.report(database_clock.now())
        parts = health.parts_of(report)
        _log_changes({name: words for name, words in parts.items() if words != "ok"})
        if url and report["ready"]:
            with urllib.request.urlopen(url, timeout=PING_TIMEOUT):  # noqa: S310  # the settings refuse other schemes
                pass
    except Exception as error:  # noqa: BLE001  # whatever it is, the next one may succeed
        logger.warning("The heartbeat URL could not be requested: %s", error)
    finally:
        close_connection()


def _log_changes(faults: dict[str, str]) -> None:
    for name in sorted(_not_ready - faults.keys()):
        logger.warning("/readyz: %s is ok again.", name)
    for name in sorted(faults.keys() - _not_ready):
        logger.warning("/readyz: %s: %s", name, faults[name])
    _not_ready.clear()
    _not_ready.update(faults)


def close_connection() -> None:
    """Close the database connection of a thread that ends."""
    from django.db import connection

    connection.close()
