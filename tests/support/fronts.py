"""A front of the web server, and a backend that answers when the test lets it."""

import asyncio
import socket
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress

from atlantis_site.front import Front, Limits
from atlantis_site.refusals import LargeBodies
from tests.support.processes import PATIENCE

GET = b"GET / HTTP/1.1\r\nHost: games\r\n"
OK = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
HEAD_END = b"\r\n\r\n"
PATIENT = Limits(waiting_seconds=PATIENCE)  # a busy machine takes longer to free a worker


class Stage:
    """A front on `port`, and a backend that notes each request and answers when it may."""

    def __init__(
        self,
        limits: Limits,
        workers: int,
        backend: str,
        events: str = "",
        large: LargeBodies | None = None,
    ) -> None:
        self.large = large
        self.limits, self.workers, self.backend, self.events = limits, workers, backend, events
        self.requests: list[bytes] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.body = b"ok"
        self.stop = asyncio.Event()

    async def run(self, scene: Callable[["Stage"], Awaitable[None]]) -> None:
        """Run `scene`. Afterwards the front must have forgotten all its connections."""
        listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = listener.getsockname()[1]
        self.front = Front(
            self.backend, self.workers, self.limits, events=self.events, large=self.large
        )
        self.serving = asyncio.ensure_future(self.front.serve(listener, self.stop, PATIENCE))
        try:
            async with asyncio.timeout(PATIENCE):
                await scene(self)
        finally:
            self.may_answer.set()
            self.stop.set()
            await self.serving
        async with asyncio.timeout(PATIENCE):
            await self.until(lambda: self._left() == {})

    def _left(self) -> dict[str, object]:
        """Return the state that the front still holds of its connections."""
        numbers = {
            "_waiting": self.front._waiting,
            "_workers": self.front._workers._value - self.workers - 1,
        }
        held = {name: number for name, number in numbers.items() if number}
        return held | left_in(self.front) | left_in(self.front.large)

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """The backend; /healthz is answered at once."""
        request = await reader.readuntil(HEAD_END)
        if b"Content-Length: " in request:
            length = request.partition(b"Content-Length: ")[2].partition(b"\r")[0]
            request += await reader.readexactly(int(length))
        self.requests.append(request)
        if b" /healthz " not in request:
            await self.may_answer.wait()
        writer.write(OK + self.body)
        await writer.drain()
        writer.close()

    async def connect(self, data: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(data)
        return reader, writer

    async def ask(self, data: bytes) -> bytes:
        """Send a request and return everything that comes back."""
        reader, writer = await self.connect(data)
        received = bytearray()
        with suppress(ConnectionError):
            while part := await reader.read(1 << 16):
                received += part
        writer.close()
        return bytes(received)

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until this is true; `run` limits the time."""
        while not true():
            await asyncio.sleep(0.01)


def with_front(
    scene: Callable[[Stage], Awaitable[None]],
    *,
    limits: Limits | None = None,
    workers: int = 1,
    backend: str = "",
    events: str = "",
    large: LargeBodies | None = None,
) -> None:
    """Run `scene` with a front before the Unix socket `backend`, by default one of our own."""

    async def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            stage = Stage(limits or PATIENT, workers, backend or f"{folder}/backend", events, large)
            if backend:
                await stage.run(scene)
                return
            server = await asyncio.start_unix_server(stage.take, stage.backend)
            await stage.run(scene)
            server.close()

    asyncio.run(run())


def left_in(registry: object) -> dict[str, object]:
    """The dictionaries and sets of an object that are not empty."""
    held = vars(registry).items()
    return {name: value for name, value in held if isinstance(value, dict | set) and value}


def status_of(answer: bytes) -> int:
    """The status code of an HTTP response."""
    return int(answer.split(b" ", 2)[1])
