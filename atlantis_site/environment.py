"""Make .venv from a lock: `python3 atlantis_site/environment.py local` (or test).

Every package must have the hash that the lock says. An environment counts as made when its stamp
says for what it was made; anything else, half-made ones included, is made anew. Standard library
only, run by path: this is what exists before there is anything.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = {name: ROOT / f"requirements-{name}.lock" for name in ("local", "test")}
VENV = ROOT / ".venv"
STAMP = VENV / "made-from.json"
OLDEST, NEWEST = (3, 11), (3, 13)


class Trouble(Exception):
    """Why there is no environment, in words for the person at the terminal."""


def stamp(kind: str) -> dict[str, str]:
    """What makes an environment the right one: the lock, the Python, the place."""
    return {
        "kind": kind,
        "lock": hashlib.sha256(LOCKS[kind].read_bytes()).hexdigest(),
        "python": sys.version.split()[0],
        "place": str(VENV),
    }


def is_made(kind: str) -> bool:
    """Whether .venv serves `kind`; one for tests serves everything."""
    try:
        made = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return False
    return made in (stamp(kind), stamp("test"))


def make(kind: str) -> None:
    """A new environment in .venv; the stamp is written last."""
    begin = time.monotonic()
    try:
        tempfile.TemporaryFile(dir=ROOT).close()
    except OSError as error:
        raise Trouble(
            f"{ROOT} cannot be written to ({error.strerror}), and the environment .venv is made "
            "there: make the folder writable for this account, or check out where you may write."
        ) from None
    python = VENV / "bin" / "python"
    if is_made("local"):  # what the tests need comes on top
        say("Adding to the environment .venv what the tests need")
        STAMP.unlink()
    else:
        say(f"Making the environment .venv with Python {sys.version.split()[0]}")
        if VENV.is_symlink():
            VENV.unlink()
        shutil.rmtree(VENV, ignore_errors=True)
        call([sys.executable, "-m", "venv", "--without-pip", str(VENV)], "the environment")
    install(installer(python), LOCKS[kind])
    # So that every program in .venv/bin finds the project, wherever it is called from.
    packages = next((VENV / "lib").glob("python3.*")) / "site-packages"
    (packages / "atlantis-by-mail.pth").write_text(f"{ROOT}\n")
    fresh = STAMP.with_suffix(".new")
    fresh.write_text(json.dumps(stamp(kind)))
    fresh.rename(STAMP)
    say(f"The environment is ready after {time.monotonic() - begin:.0f} seconds.")


def installer(python: Path) -> list[str]:
    """A pip that installs into the environment: the one Python brings, else the machine's own."""
    bring = subprocess.run([python, "-m", "ensurepip"], capture_output=True, check=False)
    if bring.returncode == 0:
        return [str(python), "-m", "pip"]
    own = [sys.executable, "-m", "pip"]
    if subprocess.run([*own, "--version"], capture_output=True, check=False).returncode == 0:
        return [*own, "--python", str(python)]
    raise Trouble(
        f"{sys.executable} has neither ensurepip nor pip, so nothing can be installed: on Debian "
        "and Ubuntu `apt-get install python3-venv` brings them."
    )


def install(pip: list[str], lock: Path) -> None:
    """All packages of the lock, with a count of how far it is."""
    total = len(re.findall(r"^[a-z0-9]\S*==", lock.read_text(), re.MULTILINE))
    options = ["--require-hashes", "--no-deps", "--no-input", "--disable-pip-version-check"]
    # Nothing is compiled here; quotequail, a few pages of plain Python, exists as source alone.
    options += ["--only-binary", ":all:", "--no-binary", "quotequail", "--no-compile"]
    command = [*pip, "install", *options, "--progress-bar", "off", "-r", str(lock)]
    words: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT
    ) as process:
        assert process.stdout
        seen = 0
        for line in process.stdout:
            words.append(line)
            if line.startswith("Collecting "):
                seen += 1
                if seen % 20 == 0:
                    say(f"  {seen} of about {total} packages")
            elif line.startswith("Installing collected"):
                say("  unpacking")
    if process.returncode:
        raise Trouble("pip could not install the packages:\n" + "".join(words[-15:]))


def call(command: list[str], what: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Trouble(f"{what} could not be made:\n{done.stdout}{done.stderr}")


def say(words: str) -> None:
    print(words, flush=True)


def suitable_python() -> None:
    """Go on under a Python that will do, if this one is too old or too new."""
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        other = shutil.which(f"python3.{minor}")
        if other and "ATLANTIS_PYTHON_CHOSEN" not in os.environ:
            os.environ["ATLANTIS_PYTHON_CHOSEN"] = other
            os.execv(other, [other, *sys.argv])
    raise Trouble(
        f"Python 3.11, 3.12 or 3.13 is needed; {sys.executable} is {sys.version.split()[0]}. "
        "`make PYTHON=/path/to/python3.11 …` names one."
    )


def main(kind: str) -> int:
    """0 once .venv serves `kind`; 1 with a sentence otherwise."""
    try:
        suitable_python()
        try:
            folder = os.open(ROOT, os.O_RDONLY)
            fcntl.flock(folder, fcntl.LOCK_EX)  # two starts at once make one environment
            if not is_made(kind):
                make(kind)
        except OSError as error:
            raise Trouble(
                f"The environment could not be made in {ROOT}: {error.strerror or error}"
                f" ({error.filename}). Is the folder writable for this account?"
            ) from None
    except Trouble as trouble:
        say(f"\n{trouble}")
        return 1
    except KeyboardInterrupt:
        say("\nStopped. The next start makes the environment anew.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
