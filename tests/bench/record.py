"""Results as a file in Markdown."""

import os
import platform
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def document(tables: list[str], load: float, speed: float) -> str:
    """The file: where, when and of what, then the tables. load: of the machine at the start. speed:
    the seconds of ten million additions."""
    when = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, commit {commit()}."
    state = f"load at the start {load:.1f}, ten million additions in {speed:.2f} s"
    where = f"{machine()}; {state}. {when}"
    return "\n\n".join(["# Benchmarks", "Written by `make bench`.", where, *tables]) + "\n"


def machine() -> str:
    """Processor, cores, memory and Python."""
    model = platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists() and (named := re.search(r"model name\s*: (.+)", cpuinfo.read_text())):
        model = " ".join(named[1].split())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cores = len(os.sched_getaffinity(0))
    return f"{model}, {cores} cores, {memory:.0f} GiB, Python {platform.python_version()}"


def commit() -> str:
    """The commit of this checkout, and whether files differ from it."""
    try:
        name = _git("rev-parse", "--short=12", "HEAD")
        return f"{name} with changes" if _git("status", "--porcelain", "-uno") else name
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def _git(*words: str) -> str:
    done = subprocess.run(
        ["git", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    return done.stdout.strip()
