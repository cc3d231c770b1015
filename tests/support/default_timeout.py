"""The default timeout of new sockets, which libraries change for a moment."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def default_timeout(seconds: float) -> Iterator[None]:
    """New sockets have this timeout, so they do not block in other processes either."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(seconds)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)
