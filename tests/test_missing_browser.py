"""A machine without Chromium: the run goes on, and its last lines say what it did not do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from atlantis_site.supervisor.stack import BASE_DIR

TESTS = """
def test_a_page(browser): raise AssertionError("there is no browser here")
def test_another_page(browser): raise AssertionError("there is no browser here")
def test_a_number(): assert 1 + 1 == 2
"""


@pytest.mark.parametrize("processes", ["0", "2"])
def test_browser_tests_that_did_not_run_are_named_and_counted(
    processes: str, tmp_path: Path
) -> None:
    (tmp_path / "test_pages.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    ours = {name: word for name, word in os.environ.items() if not name.startswith("PYTEST")}
    words = [
        "-p",
        "tests.support.missing_browser",
        "-p",
        "no:django",
        "-n",
        processes,
        "test_pages.py",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=tmp_path,
        env={**ours, "CHROMIUM": "/no/such/program", "PYTHONPATH": str(BASE_DIR)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.strip().splitlines()
    (title,) = [at for at, line in enumerate(lines) if "BROWSER TESTS DID NOT RUN" in line]
    first, second, total, *rest = lines[title + 1 :]
    assert [first, second] == [
        "not run: test_pages.py::test_a_page",
        "not run: test_pages.py::test_another_page",
    ]
    assert total.startswith("2 browser tests did not run: this machine has no Chromium")
    assert len(rest) <= 2  # nothing but pytest's own count comes after
    assert "1 passed" in rest[-1]
