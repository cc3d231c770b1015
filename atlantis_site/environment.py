"""Create .venv from a lock file: `python3 atlantis_site/environment.py local` (or test).

A stamp in .venv says what it was made from. Without the right stamp, as after an interrupted run,
.venv is created anew. Only the standard library: this runs before any package is installed.
"""

from __future__ import annotations  # noqa: TID251 - Pythons too old for us say so

import hashlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "made-from"
OLDEST, NEWEST = (3, 11), (3, 13)
SECONDS = 900  # for each command; pip gives up a server that is silent long before

PIP_INSTALL = (
    "install",
    "--require-hashes",
    "--no-deps",
    "--no-input",
    "--no-compile",
    "--quiet",
    # Nothing is compiled. http-ece, quotequail and dkimpy are plain Python, published as source
    # only.
    "--disable-pip-version-check",
    "--only-binary",
    ":all:",
    "--no-binary",
    "http-ece,quotequail,dkimpy",
)


def lock_file(kind: str) -> Path:
    return ROOT / f"requirements-{kind}.lock"


def stamp_of(kind: str) -> str:
    """The content of the stamp of an environment of this kind."""
    digest = hashlib.sha256(lock_file(kind).read_bytes()).hexdigest()
    return f"{kind} {digest} {sys.version.split()[0]} {VENV}\n"


def make(kind: str) -> None:
    """Create .venv unless it serves `kind`; one for tests serves everything.

    Raises OSError and SubprocessError; the command that failed has written why.
    """
    found = STAMP.read_text() if STAMP.exists() else ""
    if found in (stamp_of(kind), stamp_of("test")):
        return
    if found == stamp_of("local"):
        print("Adding the packages of the tests to .venv: a minute", flush=True)
        STAMP.unlink()
    else:
        print(f"Creating .venv with Python {sys.version.split()[0]}: a minute", flush=True)
        run(sys.executable, "-m", "venv", "--clear", "--without-pip", str(VENV))
    run(*pip(), *PIP_INSTALL, "-r", str(lock_file(kind)))
    # Every program in .venv/bin finds the project, wherever it is called from.
    packages = next((VENV / "lib").glob("python3.*")) / "site-packages"
    (packages / "atlantis-by-mail.pth").write_text(f"{ROOT}\n")
    STAMP.write_text(stamp_of(kind))
    print("The environment is ready.", flush=True)


def pip() -> list[str]:
    """Return the command of a pip that installs into .venv: Python's own, else the machine's."""
    python = str(VENV / "bin" / "python")
    own = [sys.executable, "-m", "pip"]
    for test, command in (
        ([python, "-m", "ensurepip"], [python, "-m", "pip"]),
        ([*own, "--version"], [*own, "--python", python]),
    ):
        if subprocess.run(test, capture_output=True, timeout=SECONDS, check=False).returncode == 0:
            return command
    sys.exit(
        f"{sys.executable} has neither ensurepip nor pip, so nothing can be installed. On Debian "
        "and Ubuntu, `apt-get install python3-venv` provides them."
    )


def run(*command: str) -> None:
    subprocess.run(command, cwd=ROOT, check=True, timeout=SECONDS)


if __name__ == "__main__":
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        sys.exit(
            f"Python 3.11, 3.12 or 3.13 is required; {sys.executable} is {sys.version.split()[0]}. "
            "Choose one with `make PYTHON=/path/to/python3.11 …`."
        )
    try:
        make(sys.argv[1])
    except (OSError, subprocess.SubprocessError) as error:
        sys.exit(f"\n.venv was not created: {error}")
    except KeyboardInterrupt:
        sys.exit("\nStopped. The next start creates the environment anew.")
