"""An SMTP server that notes emails and when they came, in a process without Django."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.parser import BytesHeaderParser
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from typing import NamedTuple

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session


class Arrival(NamedTuple):
    """at: by time.monotonic. answers: the Message-ID that the email answers, or ""."""

    at: float
    message_id: str
    answers: str


class Sink:
    """pid: of the server."""

    def __init__(self, wire: Connection, pid: int) -> None:
        self.pid = pid
        self._wire = wire

    def arrivals(self) -> list[Arrival]:
        """Those since the last call."""
        self._wire.send("look")
        found: list[Arrival] = self._wire.recv()
        return found


@contextmanager
def running_sink(port: int, nice: int) -> Iterator[Sink]:
    """The server at this port, at lower priority by `nice`."""
    here, there = Pipe()
    server = get_context("spawn").Process(target=_serve, args=(port, nice, there), daemon=True)
    server.start()
    there.close()
    try:
        here.recv()
        yield Sink(here, server.pid or 0)
    finally:
        here.close()
        server.join(10)


class _Handler:
    def __init__(self) -> None:
        self.arrivals: list[Arrival] = []

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 (a name of aiosmtpd)
        at = time.monotonic()
        assert isinstance(envelope.content, bytes)
        head = BytesHeaderParser().parsebytes(envelope.content.partition(b"\r\n\r\n")[0])
        names = ("".join(str(head[name] or "").split()) for name in ("Message-ID", "In-Reply-To"))
        self.arrivals.append(Arrival(at, *names))
        return "250 kept"


def _serve(port: int, nice: int, wire: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the end of the other process is ours
    os.nice(nice)
    handler = _Handler()
    controller = Controller(handler, hostname="127.0.0.1", port=port)
    controller.start()
    wire.send("up")
    with suppress(EOFError):
        while wire.recv():
            # Swapped before they are sent: those that come during that count in the next report.
            arrivals, handler.arrivals = handler.arrivals, []
            wire.send(arrivals)
    controller.stop()
