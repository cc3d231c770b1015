"""Two machines, and each part of them away in turn. Only `make test-long` runs it."""

import os
import subprocess
import sys

import pytest

from atlantis_site.supervisor.stack import BASE_DIR
from tests.site.test_chaos import SERVICE_VARIABLES, table_rows

PATIENCE = 1800.0


@pytest.fixture
def needs_pgbouncer() -> None:
    """See `missing_programs`."""


@pytest.mark.long
@pytest.mark.processes
def test_nothing_is_lost_and_nothing_happens_twice_while_parts_leave_and_return(
    needs_pgbouncer: None,
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.chaos.machines", "--games=200", "--seconds=5", "--rate=5"],
        cwd=BASE_DIR,
        env={name: value for name, value in os.environ.items() if name not in SERVICE_VARIABLES},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    said = done.stdout + done.stderr[-2000:]
    assert done.returncode == 0, said
    rows = {row[0].strip(): row[1:] for row in table_rows(done.stdout)}
    assert int(rows["all"][0].replace(",", "")) > 50, said
    assert int(rows["without machine b"][0].replace(",", "")) > 0, said
