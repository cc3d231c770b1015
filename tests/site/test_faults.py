"""`make chaos` in short: some faults, few people, by `make test-long`."""

import pytest

from tests.support.load_runs import run_load

FAULTS = ("kill worker", "kill postgres", "stop worker", "mail: 5xx about us", "stepped clock")
MINUTES = 5


@pytest.mark.long
@pytest.mark.processes
def test_no_move_and_no_email_is_lost_whatever_happens() -> None:
    faults = [f"--fault={name}" for name in FAULTS]
    limit = MINUTES * 60 + 540
    rows, said = run_load(f"--minutes={MINUTES}", "--players=1100", *faults, timeout=limit)
    assert set(rows) >= {*FAULTS, "all"}, said
    # A machine may not let its clock be stepped; what could be caused must have been.
    assert "no time was left" not in said, said
    for name in FAULTS[:-1]:
        assert int(rows[name][0].replace(",", "")) > 0, f"no moves during {name}\n{said}"
