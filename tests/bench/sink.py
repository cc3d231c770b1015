"""An SMTP server that counts, in a process of its own: one that knows nothing of Django."""

from __future__ import annotations

import asyncio
import time
from multiprocessing.connection import Connection

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session


class Sink:
    """Keeps the first mail, counts the others and notes when they came."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.sizes: list[int] = []
        self.first = b""

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 (a name of aiosmtpd)
        content = envelope.content or b""
        body = content if isinstance(content, bytes) else content.encode()
        self.first = self.first or body
        self.sizes.append(len(body))
        self.times.append(time.perf_counter())
        return "250 kept"


def serve(port: int, wire: Connection) -> None:
    """The sink's process: answers every question on the wire with (times, sizes, first mail)."""
    sink = Sink()
    controller = Controller(sink, hostname="127.0.0.1", port=port)
    controller.start()
    wire.send("up")
    while wire.recv() != "stop":
        # Swapped before they are sent: mails that come meanwhile are counted the next time.
        times, sizes, sink.times, sink.sizes = sink.times, sink.sizes, [], []
        wire.send((times, sizes, sink.first))
    controller.stop()
    asyncio.set_event_loop(None)
