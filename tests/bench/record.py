"""Results as a file in Markdown, and the comparison of two such files."""

import os
import platform
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from .report import Table

ROOT = Path(__file__).resolve().parents[2]
NOTABLE = 0.1  # a change of a figure that is marked
_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")


def document(tables: list[str], load: float, speed: float) -> str:
    """The file: where, when and of what, then the tables. load: of the machine at the start. speed:
    the seconds of ten million additions."""
    about = (
        "Written by `make bench`. `python -m tests.bench compare OLD NEW` compares two such files."
    )
    when = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, commit {commit()}."
    state = f"load at the start {load:.1f}, ten million additions in {speed:.2f} s"
    where = f"{machine()}; {state}. {when}"
    return "\n\n".join(["# Benchmarks", about, where, *tables]) + "\n"


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


Figures = dict[
    tuple[str, ...], list[float]
]  # (title, label of the row, head) → figures of the cell


def read(text: str) -> Figures:
    """The figures of a file. Figures in titles may differ between runs and do not count."""
    found: Figures = {}
    title = ""
    head: list[str] = []
    for line in text.splitlines():
        if line.startswith("**"):
            title, head = _FIGURE.sub("#", line.strip("* ")), []
        elif line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if not head:
                head = cells
            elif set(cells) != {"---"}:
                _add(found, title, head, cells)
    return found


def _add(found: Figures, title: str, head: list[str], cells: list[str]) -> None:
    first = next((n for n, cell in enumerate(cells) if n and cell[:1].isdigit()), len(cells))
    label = ", ".join(cells[:first])
    for name, cell in list(zip(head, cells, strict=True))[first:]:
        if figures := [float(figure.replace(",", "")) for figure in _FIGURE.findall(cell)]:
            found[title, label, name] = figures


def compare(old: str, new: str) -> Table:
    """Every figure of both files with its change, and what stands in one of them only."""
    before, after = read(old), read(new)
    table = Table("old and new", ("what", "old", "new", "change"))
    for key in dict.fromkeys((*before, *after)):
        what = " · ".join(part for part in key if part)
        pairs = list(zip(before.get(key, []), after.get(key, []), strict=False))
        if not pairs:
            table.add(
                what, "" if key in after else "present", "present" if key in after else "", ""
            )
        for one, other in pairs:
            change = other / one - 1 if one else 0.0
            mark = " !" if abs(change) > NOTABLE else ""
            table.add(what, f"{one:,g}", f"{other:,g}", f"{change:+.0%}{mark}")
    return table
