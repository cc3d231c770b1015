"""Two machines, and each part of them away in turn. Only `make test-long` runs it."""

import pytest

from tests.support.chaos_runs import run_chaos

PATIENCE = 1800.0


@pytest.mark.long
@pytest.mark.processes
@pytest.mark.usefixtures("needs_pgbouncer")
def test_nothing_is_lost_and_nothing_happens_twice_while_parts_leave_and_return() -> None:
    rows, said = run_chaos(
        "tests.chaos.machines", "--games=200", "--seconds=5", "--rate=5", timeout=PATIENCE
    )
    assert int(rows["all"][0].replace(",", "")) > 50, said
    assert int(rows["without machine b"][0].replace(",", "")) > 0, said
