"""A test that hangs fails by its time limit, and the run goes on and names it."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from atlantis_site.supervisor.stack import BASE_DIR

pytestmark = pytest.mark.processes

TESTS = """
import asyncio, threading, pytest

hangs = pytest.mark.timeout(0.5)

@hangs
def test_that_loops():
    while True:
        try:
            pass
        except Exception:
            pass

@hangs
def test_that_waits():
    threading.Event().wait()

async def forever():
    await asyncio.Event().wait()

@hangs
def test_that_waits_for_a_coroutine():
    asyncio.run(forever())

def test_that_ends(): pass
"""


def test_a_test_that_hangs_is_named(tmp_path: Path) -> None:
    (tmp_path / "test_hangs.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    ours = {name: word for name, word in os.environ.items() if not name.startswith("PYTEST")}
    options = ("-p", "no:django", "-p", "no:randomly", "-n", "1", "-rA")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "test_hangs.py"],
        cwd=tmp_path,
        env={**ours, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    result = re.compile(r"^(FAILED|PASSED) test_hangs.py::(\w+)(?: - (.*))?$", re.MULTILINE)
    timeout = "Failed: Timeout (>0.5s) from pytest-timeout."
    assert sorted(result.findall(done.stdout)) == [
        ("FAILED", "test_that_loops", timeout),
        ("FAILED", "test_that_waits", timeout),
        ("FAILED", "test_that_waits_for_a_coroutine", timeout),
        ("PASSED", "test_that_ends", ""),
    ], done.stdout + done.stderr


def test_every_test_has_a_time_limit(pytestconfig: pytest.Config) -> None:
    settings = tomllib.loads((BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))
    assert pytestconfig.pluginmanager.hasplugin("timeout")
    assert settings["tool"]["pytest"]["ini_options"]["timeout"] == 300
