"""Create .venv from a lock file: `python3 atlantis_site/environment.py local` (or test).

A stamp in .venv says what it was made from. Without the right stamp, as after an interrupted run,
.venv is created anew. Only the standard library: this runs before any package is installed.
"""

from __future__ import annotations  # noqa: TID251 - Pythons too old for us say so

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "made-from.json"
OLDEST, NEWEST = (3, 11), (3, 13)
INSTALL_SECONDS = 900  # for each command; pip gives up a server that is silent long before
WAIT_SECONDS = 1800  # for another start that creates the environment

PIP_INSTALL = (
    *("install", "--require-hashes", "--no-deps", "--no-input", "--no-compile", "--quiet"),
    # Nothing is compiled. http-ece, quotequail and dkimpy are plain Python, published as source
    # only.
    *("--disable-pip-version-check", "--only-binary", ":all:"),
    *("--no-binary", "http-ece,quotequail,dkimpy"),
)


class SetupError(Exception):
    """Why there is no environment; the message is for the person at the terminal."""


def lock_file(kind: str) -> Path:
    return ROOT / f"requirements-{kind}.lock"


def expected_stamp(kind: str) -> dict[str, str]:
    return {
        "kind": kind,
        "lock": hashlib.sha256(lock_file(kind).read_bytes()).hexdigest(),
        "python": sys.version.split()[0],
        "place": str(VENV),
    }


def is_made(kind: str) -> bool:
    """Return whether .venv serves `kind`; an environment for tests serves everything."""
    try:
        stamp = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return False
    return stamp in (expected_stamp(kind), expected_stamp("test"))


def make(kind: str) -> None:
    """Create .venv, or add the packages of the tests to it; write the stamp last."""
    if not os.access(ROOT, os.W_OK, effective_ids=True):
        raise SetupError(
            f"{ROOT} cannot be written to, and the environment .venv is created there: make the "
            "folder writable for this account, or check out where you may write."
        )
    if is_made("local"):
        print("Adding the packages of the tests to .venv: a minute", flush=True)
        STAMP.unlink()
    else:
        print(f"Creating .venv with Python {sys.version.split()[0]}: a minute", flush=True)
        if VENV.is_symlink():
            VENV.unlink()
        shutil.rmtree(VENV, ignore_errors=True)
        run([sys.executable, "-m", "venv", "--without-pip", str(VENV)])
    run([*pip(), *PIP_INSTALL, "-r", str(lock_file(kind))])
    # Every program in .venv/bin finds the project, wherever it is called from.
    packages = next((VENV / "lib").glob("python3.*")) / "site-packages"
    (packages / "atlantis-by-mail.pth").write_text(f"{ROOT}\n")
    fresh = STAMP.with_suffix(".new")
    fresh.write_text(json.dumps(expected_stamp(kind)))
    fresh.rename(STAMP)
    print("The environment is ready.", flush=True)


def pip() -> list[str]:
    """Return the command of a pip that installs into .venv: Python's own, else the machine's."""
    python = str(VENV / "bin" / "python")
    own = [sys.executable, "-m", "pip"]
    if (
        subprocess.run([python, "-m", "ensurepip"], capture_output=True, check=False).returncode
        == 0
    ):
        return [python, "-m", "pip"]
    if subprocess.run([*own, "--version"], capture_output=True, check=False).returncode == 0:
        return [*own, "--python", python]
    raise SetupError(
        f"{sys.executable} has neither ensurepip nor pip, so nothing can be installed. On Debian "
        "and Ubuntu, `apt-get install python3-venv` provides them."
    )


def run(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=ROOT, check=False, timeout=INSTALL_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise SetupError(
            f"`{' '.join(command[:4])} …` took longer than {INSTALL_SECONDS // 60} minutes. Is the "
            "network slow? The next start begins anew."
        ) from None
    if done.returncode:
        output = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
        raise SetupError(f"`{' '.join(command[:4])} …` failed:\n{output}")


def lock_checkout() -> None:
    """Lock the checkout until this process ends: two starts create one environment.

    Raises SetupError if another start takes too long.
    """
    folder = os.open(ROOT, os.O_RDONLY)
    deadline = time.monotonic() + WAIT_SECONDS
    has_announced = False
    while True:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not has_announced:
                print("Another start is creating .venv; waiting for it …", flush=True)
                has_announced = True
            if time.monotonic() >= deadline:
                raise SetupError(
                    f"Another start still holds {ROOT}: `fuser {ROOT}` lists processes."
                ) from None
            time.sleep(0.1)
        else:
            return


def use_suitable_python() -> None:
    """Run this script again under a supported Python if this one is too old or too new."""
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        other = shutil.which(f"python3.{minor}")
        if other and "ATLANTIS_PYTHON_CHOSEN" not in os.environ:
            os.environ["ATLANTIS_PYTHON_CHOSEN"] = other
            os.execv(other, [other, *sys.argv])
    raise SetupError(
        f"Python 3.11, 3.12 or 3.13 is required; {sys.executable} is {sys.version.split()[0]}. "
        "Choose one with `make PYTHON=/path/to/python3.11 …`."
    )


def main(kind: str) -> int:
    """Return 0 once .venv serves `kind`, or 1 with a message."""
    try:
        use_suitable_python()
        lock_checkout()
        if not is_made(kind):
            make(kind)
    except (SetupError, OSError) as error:
        print(f"\n{error}")
        return 1
    except KeyboardInterrupt:
        print("\nStopped. The next start creates the environment anew.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
