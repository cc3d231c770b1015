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
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]


# Of the test run; the service has its own.
SERVICE_VARIABLES = {
    *("SECRET_KEY", "DATABASE_URL", "BROKER_URL", "EMAIL_URL", "SITE_URL", "ALLOWED_HOSTS"),
    *("LOCAL_MODE", "STATIC_ROOT", "VAR_DIR", "TEST_FOLDER", "TEST_BROKER"),
}
