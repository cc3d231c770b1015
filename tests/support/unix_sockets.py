"""Unix sockets of processes that a test has started."""

import socket
from contextlib import suppress
from pathlib import Path


def accepts(path: Path) -> bool:
    """Return whether a process accepts connections there. The file is older: bind() makes it."""
    with socket.socket(socket.AF_UNIX) as client, suppress(OSError):
        client.settimeout(10)
        client.connect(str(path))
        return True
    return False
