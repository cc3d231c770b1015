"""Two machines, and each part of them away in turn. Only `make test-long` runs it."""

import pytest

from tests.support.load_runs import run_load

PATIENCE = 1800.0


@pytest.mark.long
@pytest.mark.processes
@pytest.mark.usefixtures("needs_pgbouncer")
def test_nothing_is_lost_and_nothing_happens_twice_while_parts_leave_and_return() -> None:
    rows, said = run_load("--machines", "--players=1100", "--minutes=5", timeout=PATIENCE)
    assert int(rows["all"][0].replace(",", "")) > 50, said
    assert int(rows["without machine b"][0].replace(",", "")) > 0, said
