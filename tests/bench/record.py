"""Results as a file in Markdown."""

import os
import platform
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from .processor import additions

ROOT = Path(__file__).resolve().parents[2]


def document(facts: str, tables: list[str]) -> str:
    """The file."""
    return "\n\n".join(["# Benchmarks", "Written by `make bench`.", facts, *tables]) + "\n"


def facts() -> str:
    """Where, when and of what: to be asked at the start."""
    state = (
        f"load at the start {os.getloadavg()[0]:.1f}, ten million additions in {additions():.2f} s"
    )
    when = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, commit {commit()}."
    return f"{machine()}; {state}. {when}"


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
