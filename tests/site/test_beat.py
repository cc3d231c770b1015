"""Beat while the machine's clock is set."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from celery.beat import ScheduleEntry

from atlantis_site import beat
from atlantis_site.celery import app


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
