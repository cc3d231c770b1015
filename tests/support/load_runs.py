"""Runs of `tests.load` as processes of their own, and the tables that they print."""

import os
import subprocess
import sys

from atlantis_site.supervisor.stack import BASE_DIR

# Of the test run; the service that is started has its own.
SERVICE_VARIABLES = {
    "SECRET_KEY",
    "DATABASE_URL",
    "BROKER_URL",
    "EMAIL_URL",
    "SITE_URL",
    "ALLOWED_HOSTS",
    "LOCAL_MODE",
    "STATIC_ROOT",
    "VAR_DIR",
    "TEST_FOLDER",
    "TEST_BROKER",
}


def run_load(*options: str, timeout: float) -> tuple[dict[str, list[str]], str]:
    """Run `python -m tests.load`, which must succeed.

    Returns the rows of all tables that it printed (first cell → other cells), and the output.
    """
    done = subprocess.run(
        [sys.executable, "-m", "tests.load", *options],
        cwd=BASE_DIR,
        env={name: value for name, value in os.environ.items() if name not in SERVICE_VARIABLES},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    output = done.stdout + done.stderr[-2000:]
    assert done.returncode == 0, output
    cells = [
        line.strip("| ").split("|") for line in done.stdout.splitlines() if line.startswith("|")
    ]
    return {first.strip(): others for first, *others in cells}, output
