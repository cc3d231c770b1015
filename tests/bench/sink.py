"""An SMTP server that counts emails, in a process without Django."""

import asyncio
import time
from multiprocessing.connection import Connection

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session


class Sink:
    """Store emails and their times."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.emails: list[bytes] = []

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 (a name of aiosmtpd)
        content = envelope.content or b""
        self.emails.append(content if isinstance(content, bytes) else content.encode())
        self.times.append(time.perf_counter())
        return "250 kept"


def serve(port: int, wire: Connection) -> None:
    """Run the server; answer each request on `wire` with (times, emails) since the last one."""
    sink = Sink()
    controller = Controller(sink, hostname="127.0.0.1", port=port)
    controller.start()
    wire.send("up")
    while wire.recv() != "stop":
        # Swapped before they are sent: emails that arrive during that count in the next report.
        times, emails, sink.times, sink.emails = sink.times, sink.emails, [], []
        wire.send((times, emails))
    controller.stop()
    asyncio.set_event_loop(None)
