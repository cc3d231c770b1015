"""Beat while the machine's clock is set, and as a thread."""

import signal
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from celery import Celery
from celery.beat import ScheduleEntry, Scheduler

from atlantis_site import beat
from atlantis_site.celery import app
from tests.support.processes import wait_for


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_step_of_the_clock_neither_delays_nor_repeats_a_task(
    monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    seconds = [0.0]
    monkeypatch.setattr("atlantis_site.beat.time.monotonic", lambda: seconds[0])
    monkeypatch.setattr(beat, "_began", (datetime.now(UTC), 0.0))
    monkeypatch.setattr(app, "now", lambda: datetime.now(UTC) + timedelta(hours=hours))
    entry = beat.SteadyEntry(name="sweep", task="games.tasks.sweep", schedule=10.0, app=app)
    assert not is_due(entry)
    seconds[0] = 9.0
    assert not is_due(entry)
    seconds[0] = 10.5
    assert is_due(entry)
    again = next(entry)
    assert not is_due(again)
    seconds[0] = 21.0
    assert is_due(again)


def is_due(entry: ScheduleEntry) -> bool:
    due: Callable[[], tuple[bool, float]] = entry.is_due
    return due()[0]


class BrokenScheduler(Scheduler):
    def tick(self, *_args: object, **_options: object) -> float:
        raise RuntimeError("the scheduler is broken")


def test_a_worker_whose_beat_fails_is_asked_to_end() -> None:
    """Its supervisor starts another one, with a beat."""
    asked = threading.Event()
    broken = Celery(set_as_current=False)
    broken.conf.beat_scheduler = BrokenScheduler
    before = signal.signal(signal.SIGTERM, lambda *_signal: asked.set())
    try:
        beat.BeatThread(broken).start()
        wait_for(asked.is_set, "the signal")
    finally:
        signal.signal(signal.SIGTERM, before)
