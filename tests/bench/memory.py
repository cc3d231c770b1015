"""The memory of `make play` while nobody plays, process by process."""

import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from atlantis_site.supervisor.reaper import children_of

from .report import Table, progress
from .service import playing

IDLE_SECONDS = 15.0  # after the start


def bench() -> Table:
    """Start the service in a folder of its own; read what its processes use when it is idle."""
    table = Table("Memory of `make play`, idle (PSS)", ("process", "number", "memory"))
    with tempfile.TemporaryDirectory(prefix="atlantis-play-") as folder:
        progress("make play, its first start")
        with playing(Path(folder)) as pid:
            time.sleep(IDLE_SECONDS)
            used, number = used_by(pid)
    for name, kilobytes in used.most_common():
        table.add(name, str(number[name]), f"{kilobytes / 1024:.0f} MB")
    without = sum(used.values()) - used["PostgreSQL"]
    table.add("all but PostgreSQL", str(number.total()), f"{without / 1024:.0f} MB")
    table.aim("memory of `make play`, idle", without / 1024, most=250, write="{:.0f} MB".format)
    return table


def used_by(*pids: int) -> tuple[Counter[str], Counter[str]]:
    """The kilobytes of these processes and all below them, and how many there are, by what they
    are."""
    used, number = Counter[str](), Counter[str]()
    for one in (below for above in pids for below in tree(above)):
        with suppress(OSError):  # it has ended
            name, size = name_of(one), pss(one)
            used[name] += size
            number[name] += 1
    return used, number


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
