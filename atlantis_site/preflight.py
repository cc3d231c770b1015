"""Problems that prevent `make play` from starting, found before the environment is built.

`python3 atlantis_site/preflight.py` prints the reason and exits with 1. The supervisor uses the
same checks. Only the standard library, in any Python: this runs before any package is installed.
"""

from __future__ import annotations  # noqa: TID251 - Pythons too old for us say so

import fcntl
import os
import socket
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_PORT = 8000


class StartError(Exception):
    """Something could not be started; the message is for the person at the terminal."""


def make_folder(folder: Path) -> None:
    """Create `folder` and check that it is writable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".writable-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise StartError(
            f"{folder} cannot be written to ({error.strerror}). The service keeps its data there: "
            "make the folder writable for this account, or set VAR_DIR to one that is."
        ) from None


def listen(port: int) -> socket.socket | None:
    """Return a socket that listens on 127.0.0.1:port, or None if the port is taken."""
    try:
        return socket.create_server(("127.0.0.1", port), backlog=512)
    except OSError:
        return None


def open_wanted(wanted: str) -> socket.socket:
    """Listen on the port that somebody asked for."""
    if not wanted.isdigit() or not 1 <= int(wanted) <= 65535:
        raise StartError(f"PORT={wanted} is not a port: use a number from 1 to 65535.")
    listener = listen(int(wanted))
    if listener is None:
        # Ports below 1024 are for root, as a rule.
        another = int(wanted) + 1 if 1024 <= int(wanted) < 65535 else DEFAULT_PORT
        raise StartError(
            f"Port {wanted} is in use by another program, or not allowed for this account: "
            f"stop that program, or choose another port with `make play PORT={another}`."
        )
    return listener


def check_not_running(text: str) -> None:
    """Raise StartError if the process that wrote `text` into the lock file is alive."""
    pid, _, address = text.strip().partition(" ")
    if pid.isdigit() and is_alive(int(pid)):
        raise StartError(
            f"The service already runs from this folder (process {pid}"
            + (f", {address}" if address else "")
            + "). Use that one, or stop it with Ctrl-C first."
        )


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # the process of another account
        pass
    return True


def check(folder: Path, port: str | None) -> None:
    """Raise StartError for a folder or a port that cannot be used."""
    make_folder(folder)
    with (folder / "lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            check_not_running(lock.read())
    if port:
        open_wanted(port).close()


def main() -> int:
    try:
        check(Path(os.environ.get("VAR_DIR") or ROOT / "var").absolute(), os.environ.get("PORT"))
    except (StartError, OSError) as error:
        print(f"\n{error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
