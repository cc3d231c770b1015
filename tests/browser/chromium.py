"""Find Chromium, or get it: `python -m tests.browser.chromium`.

$CHROMIUM if that is set, else the headless shell (it needs half the processor time of the whole
browser: no windows, no profiles), else the machine's own Chromium, else playwright's. Where there
is none and it can be had, it is installed (Debian's package as root or by sudo that asks nothing,
else playwright's download). Where it cannot, the browser tests do not run, and the run says so.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.support.debian_programs import HEADLESS_SHELL

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    *(("--no-sandbox",) if os.geteuid() == 0 else ()),
)


def candidates() -> Iterator[str]:
    if "CHROMIUM" in os.environ:
        yield os.environ["CHROMIUM"]
        return
    shell = HEADLESS_SHELL.find()
    if shell:
        yield shell
    for name in NAMES:
        found = shutil.which(name)
        if found:
            yield found
    cache = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache/ms-playwright")
    for place in (
        "chromium*/chrome-*/*headless?shell",
        "chromium*/chrome-linux*/*chrom*[!.]",
    ):
        yield from map(str, sorted(cache.glob(place), reverse=True))


def works(program: str) -> bool:
    """Return whether this program really starts (some machines have a stub that only names a
    shop)."""
    try:
        answer = subprocess.run(
            [program, "--version", *FLAGS], capture_output=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0 and b"hrom" in answer.stdout


@cache
def find() -> str | None:
    """The path of a Chromium that starts, or None."""
    return next(filter(works, candidates()), None)


def install() -> None:
    """Try what can be tried; `find` shows whether it helped."""
    apt = shutil.which("apt-get")
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    may = os.geteuid() == 0 or (
        bool(shutil.which("sudo")) and _run(["sudo", "-n", "true"], seconds=10)
    )
    if apt and may:
        print("Installing Chromium (Debian's package) for the browser tests …", flush=True)
        quiet = ["env", "DEBIAN_FRONTEND=noninteractive"]
        _run([*prefix, *quiet, apt, "update", "-qq"], seconds=300)
        packages = ["chromium-headless-shell", "fonts-dejavu-core"]
        put = [
            apt,
            "install",
            "-y",
            "-qq",
            "-o",
            "DPkg::Lock::Timeout=120",
            "--no-install-recommends",
        ]
        _run([*prefix, *quiet, *put, *packages], seconds=900)
        find.cache_clear()
        if find():
            return
    print("Installing Chromium (playwright's download) for the browser tests …", flush=True)
    _run([sys.executable, "-m", "playwright", "install", "chromium"], seconds=300)
    find.cache_clear()


def _run(command: list[str], seconds: float) -> bool:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


if __name__ == "__main__":
    if find() is None:
        install()
    print(f"Chromium: {find() or 'none; the browser tests will not run'}")
