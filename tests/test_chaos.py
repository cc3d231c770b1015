"""`make chaos` in short: some faults, few games. Only `make test-long` runs it."""

import os
import subprocess
import sys

import pytest

from atlantis_site.supervisor.stack import BASE_DIR

FAULTS = ("kill worker", "kill postgres", "stop worker", "mail: 5xx about us", "stepped clock")
MINUTES = 5


@pytest.mark.long
@pytest.mark.processes
def test_no_move_and_no_email_is_lost_whatever_happens() -> None:
    words = [f"--fault={name}" for name in FAULTS]
    done = subprocess.run(
        [sys.executable, "-m", "tests.chaos", f"--minutes={MINUTES}", "--games=12", *words],
        cwd=BASE_DIR,
        env={name: value for name, value in os.environ.items() if name not in SERVICE_VARIABLES},
        capture_output=True,
        text=True,
        timeout=MINUTES * 60 + 240,
        check=False,
    )
    said = done.stdout + done.stderr[-2000:]
    assert done.returncode == 0, said
    rows = {row[0].strip(): row[1:] for row in table_rows(done.stdout)}
    assert set(rows) >= {*FAULTS, "all"}, said
    # A machine may not let its clock be stepped; what could be caused must have been.
    assert "no time was left" not in done.stdout, said
    for name in FAULTS[:-1]:
        assert int(rows[name][0].replace(",", "")) > 0, f"no moves during {name}\n{said}"


def table_rows(text: str) -> list[list[str]]:
    """The cells of all rows of the Markdown tables in a text."""
    return [line.strip("| ").split("|") for line in text.splitlines() if line.startswith("|")]


# Of the test run; the service has its own.
SERVICE_VARIABLES = {
    *("SECRET_KEY", "DATABASE_URL", "BROKER_URL", "EMAIL_URL", "SITE_URL", "ALLOWED_HOSTS"),
    *("LOCAL_MODE", "STATIC_ROOT", "VAR_DIR", "TEST_FOLDER", "TEST_BROKER"),
}
