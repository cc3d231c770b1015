"""A few dozen table-years of the simulator; `make simulate` runs thousands."""

from datetime import timedelta

import pytest

from games import clock
from games.clock import Deadline
from tests.simulate import pure


def test_no_promise_about_time_is_broken_in_thirty_years() -> None:
    found = pure.run(range(30))
    assert found.faults == []
    assert found.counts["table-years"] == 30
    assert found.counts["deadlines moved"] > 100


def test_the_simulator_notices_a_deadline_that_moves_to_earlier(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = clock.stopped

    def wrong(*arguments: object) -> Deadline:
        found = right(*arguments)  # type: ignore[arg-type]  # passed through
        return Deadline(found.due - timedelta(hours=30), found.steps)

    monkeypatch.setattr(clock, "stopped", wrong)
    assert pure.run(range(3)).faults


def test_the_simulator_notices_a_question_that_comes_back_without_its_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = clock.deadline
    monkeypatch.setattr(clock, "deadline", lambda *arguments: right(*arguments[:4]))
    assert any("by an undo" in fault for fault in pure.run(range(30)).faults)


@pytest.mark.django_db
def test_no_promise_is_broken_in_the_service_either() -> None:
    from tests.simulate import service

    found = service.run(tables=2, length=timedelta(days=20))
    assert found.faults == []
    assert found.counts["moves"] > 5
    assert found.counts["replies: move made"] > 0
    assert found.counts["emails delivered"] > 0
