"""Clients that never finish their requests: they send one byte at a time and keep the
connection."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

HALF_A_HEAD = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
HALF_A_BODY = (
    b"POST /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: csrftoken=invented\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n\r\nemail="
)
BEGINNINGS = (HALF_A_HEAD, HALF_A_BODY, b"")  # the last one only connects
SECONDS_BETWEEN_BYTES = 0.5


class SlowClients:
    """`count` connections, one third of each beginning. Those that the server closes are opened
    again."""

    def __init__(self, port: int, count: int) -> None:
        self.port = port
        self.opened = 0
        self._connections = [self._open(number) for number in range(count)]
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._drip, daemon=True)
        self._thread.start()

    def _open(self, number: int) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        connection.sendall(BEGINNINGS[number % len(BEGINNINGS)])
        self.opened += 1
        return connection

    def _drip(self) -> None:
        while not self._stopped.wait(SECONDS_BETWEEN_BYTES):
            for number, connection in enumerate(self._connections):
                if self._stopped.is_set():
                    return
                try:
                    if BEGINNINGS[number % len(BEGINNINGS)]:
                        connection.send(b"x")
                except OSError:
                    connection.close()
                    with suppress(OSError):
                        self._connections[number] = self._open(number)

    def close(self) -> None:
        self._stopped.set()
        self._thread.join()
        for connection in self._connections:
            connection.close()


@contextmanager
def slow_clients(port: int, count: int) -> Iterator[SlowClients]:
    clients = SlowClients(port, count)
    try:
        yield clients
    finally:
        clients.close()
