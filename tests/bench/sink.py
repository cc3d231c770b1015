"""An SMTP server that counts emails, in a process without Django."""

import asyncio
import time
from multiprocessing.connection import Connection

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session


class Sink:
    """Store the first email, and the size and time of all."""

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
    """Run the server; answer each request on `wire` with (times, sizes, first email)."""
    sink = Sink()
    controller = Controller(sink, hostname="127.0.0.1", port=port)
    controller.start()
    wire.send("up")
    while wire.recv() != "stop":
        # Swapped before they are sent: emails that arrive during that count in the next report.
        times, sizes, sink.times, sink.sizes = sink.times, sink.sizes, [], []
        wire.send((times, sizes, sink.first))
    controller.stop()
    asyncio.set_event_loop(None)
