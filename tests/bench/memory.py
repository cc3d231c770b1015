"""The memory of `make play` while nobody plays, process by process."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from atlantis_site.supervisor.reaper import children_of
from atlantis_site.supervisor.stack import BASE_DIR

from .report import Table, progress

START_SECONDS = 600.0  # for the first start on a busy machine
IDLE_SECONDS = 15.0  # after the start
PRIVATE = ("DATABASE_URL", "BROKER_URL", "SECRET_KEY")  # variables of another service


def bench() -> Table:
    """Start the service in a folder of its own; read what its processes use when it is idle."""
    table = Table("Memory of `make play`, idle (PSS)", ("process", "number", "memory"))
    env = {name: value for name, value in os.environ.items() if name not in PRIVATE}
    with tempfile.TemporaryDirectory(prefix="atlantis-play-") as folder:
        progress("make play, its first start")
        words = Path(folder) / "words"
        with words.open("w") as output:
            play = subprocess.Popen(
                [sys.executable, "-m", "atlantis_site.supervisor"],
                cwd=BASE_DIR,
                env={**env, "VAR_DIR": f"{folder}/var"},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            end = time.monotonic() + START_SECONDS
            while "Ready after" not in words.read_text():
                if play.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"make play did not start:\n{words.read_text()}")
                time.sleep(0.5)
            time.sleep(IDLE_SECONDS)
            used, number = Counter[str](), Counter[str]()
            for pid in tree(play.pid):
                name = name_of(pid)
                used[name] += pss(pid)
                number[name] += 1
        finally:
            play.send_signal(signal.SIGTERM)
            play.wait(60)
    for name, kilobytes in used.most_common():
        table.add(name, str(number[name]), f"{kilobytes / 1024:.0f} MB")
    without = sum(used.values()) - used["PostgreSQL"]
    table.add("all but PostgreSQL", str(number.total()), f"{without / 1024:.0f} MB")
    table.aim("memory of `make play`, idle", without / 1024, most=250, write="{:.0f} MB".format)
    return table


def tree(pid: int) -> Iterator[int]:
    """A process and all below it."""
    yield pid
    for child in children_of(pid):
        yield from tree(child)


def name_of(pid: int) -> str:
    """Return the name of the process, from its command line or from the fork server."""
    command = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    for sign, name in (
        ("supervisor/reaper.py", "reapers of PostgreSQL and the broker"),
        ("bin/postgres", "PostgreSQL"),
        ("postgres:", "PostgreSQL"),
        ("valkey", "broker"),
        ("render_worker", "render worker"),
        ("atlantis_site.supervisor ", "supervisor"),
    ):
        if sign in command:
            return name
    return Path(f"/proc/{pid}/comm").read_text().strip()


def pss(pid: int) -> int:
    """Kilobytes; what a process shares with others counts by its part."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    found = re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)
    assert found
    return int(found[1])
