"""Where things lie: a folder for sockets that the kernel can name, the account for PostgreSQL."""

from __future__ import annotations

import hashlib
import os
import pwd
import socket
import stat
import tempfile
from pathlib import Path

from .children import StartError

LONGEST_NAME = "pg/.s.PGSQL.5432.lock"


def socket_folder(wanted: Path) -> Path:
    """`wanted`, made and private, if Unix sockets can live there; else a short private folder.

    A socket's path has at most 107 bytes, and some file systems (shared folders) have no sockets.
    """
    base = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir())
    mark = hashlib.sha256(str(wanted.absolute()).encode()).hexdigest()[:12]
    for folder in (wanted.absolute(), base / f"atlantis-{mark}", Path(f"/tmp/atlantis-{mark}")):  # noqa: S108
        if _private(folder) and _has_sockets(folder):
            return folder
    raise StartError(f"No folder for sockets: neither {wanted} nor one below {base} can have any.")


def _private(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        facts = folder.lstat()
        if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid():
            return False  # somebody else was here first
        folder.chmod(0o700)
    except OSError:
        return False
    return True


def _has_sockets(folder: Path) -> bool:
    # As long as the longest name that is to come, so that what fits now fits later.
    probe = folder / f"probe-{os.getpid()}".ljust(len(LONGEST_NAME), "-")
    with socket.socket(socket.AF_UNIX) as listener:
        try:
            listener.bind(str(probe))
        except OSError:
            return False
    probe.unlink()
    return True


def own_name() -> str:
    """The name of the account we run as."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        raise StartError(
            f"This account (uid {os.geteuid()}) has no name on this machine, and PostgreSQL insists"
            " on one: add it to /etc/passwd, or use an account that is there."
        ) from None


def open_to(account: int, path: Path) -> bool:
    """Whether `account` (a uid without groups) may walk down to `path`."""
    for folder in (path, *path.parents):
        facts = folder.stat()
        if not facts.st_mode & (stat.S_IXUSR if facts.st_uid == account else stat.S_IXOTH):
            return False
    return True
