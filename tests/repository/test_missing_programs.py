"""Without Chromium or pgbouncer the run goes on, and its last lines list what did not run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from atlantis_site.supervisor.stack import BASE_DIR
from tests.support.lengths import by_length

pytestmark = pytest.mark.processes

TESTS = """
def test_a_page(browser): raise AssertionError("there is no browser here")
def test_another_page(browser): raise AssertionError("there is no browser here")
def test_a_query(pooled): raise AssertionError("there is no pgbouncer here")
def test_a_number(): assert 1 + 1 == 2
"""


@pytest.mark.long
@pytest.mark.parametrize("processes", by_length(["1"], ["0", "2"]))
def test_what_did_not_run_is_listed_and_counted(processes: str, tmp_path: Path) -> None:
    (tmp_path / "test_pages.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    ours = {name: word for name, word in os.environ.items() if not name.startswith("PYTEST")}
    words = [
        "-p",
        "tests.plugins.missing_programs",
        "-p",
        "no:django",
        "-n",
        processes,
        "test_pages.py",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=tmp_path,
        env={
            **ours,
            "CHROMIUM": "/no/such/program",
            "PGBOUNCER_PROGRAM": "/no/such/program",
            "PYTHONPATH": str(BASE_DIR),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.strip().splitlines()
    (title,) = [at for at, line in enumerate(lines) if "TESTS DID NOT RUN" in line]
    *listed, count = lines[title + 1 :]
    assert listed[:2] == [
        "not run: test_pages.py::test_a_page",
        "not run: test_pages.py::test_another_page",
    ]
    assert listed[2].startswith("2 tests did not run: this machine has no Chromium")
    assert listed[3] == "not run: test_pages.py::test_a_query"
    assert listed[4].startswith("1 tests did not run: this machine has no pgbouncer")
    assert len(listed) <= 6  # nothing but pytest's own count comes after
    assert "1 passed" in count
