"""Folders for Unix sockets, and access rights to folders."""

import hashlib
import os
import socket
import stat
import tempfile
from pathlib import Path

from atlantis_site.preflight import StartError

LONGEST_NAME = "pg/.s.PGSQL.5432.lock"


def socket_folder(preferred: Path) -> Path:
    """Create `preferred` as a private folder, or a short one elsewhere if it cannot hold sockets.

    The path of a socket has at most 107 bytes, and some file systems (shared folders) support no
    sockets.
    """
    base = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir())
    short = "atlantis-" + hashlib.sha256(str(preferred.absolute()).encode()).hexdigest()[:12]
    for folder in (preferred.absolute(), base / short, Path("/tmp", short)):  # noqa: S108 (private)
        if _make_private(folder) and _supports_sockets(folder):
            return folder
    raise StartError(f"No folder for sockets: neither {preferred} nor {base} supports them.")


def _make_private(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            return False  # another account was here first
        folder.chmod(0o700)
    except OSError:
        return False
    return True


def _supports_sockets(folder: Path) -> bool:
    # As long as the longest name that is used later.
    probe = folder / f"probe-{os.getpid()}".ljust(len(LONGEST_NAME), "-")
    with socket.socket(socket.AF_UNIX) as listener:
        try:
            listener.bind(str(probe))
        except OSError:
            return False
    probe.unlink()
    return True


def is_open_to(uid: int, path: Path) -> bool:
    """Return whether the account `uid`, without its groups, may enter all folders above `path`."""
    for folder in (path, *path.parents):
        status = folder.stat()
        if not status.st_mode & (stat.S_IXUSR if status.st_uid == uid else stat.S_IXOTH):
            return False
    return True
