"""The HTTP server that clients connect to: it buffers whole requests, and workers answer them.

One asyncio process keeps thousands of connections, however slow. It hands a request to the backend,
gunicorn on a Unix socket, only after the last byte has arrived, and reads the answer as fast as
the backend writes it. So a backend worker is busy for as long as it computes, never for as long as
a client takes. Every phase of a connection has a total time limit and a size limit.

The address of the client reaches the backend by the PROXY protocol. No header is added, so a header
means what the proxy in front of us meant by it, or nothing.
"""

import asyncio
import json
import logging
import socket
import time
from contextlib import suppress
from dataclasses import dataclass, field

import h11
from prometheus_client import Histogram

from atlantis_site.refusals import LargeBodies, RequestRefused, Share, refusal

SCHEME_OF_FAMILY = {socket.AF_INET: b"TCP4", socket.AF_INET6: b"TCP6"}
# They concern one connection; the backend gets whole bodies over connections of its own.
HOP_BY_HOP = {
    b"connection",
    b"keep-alive",
    b"proxy-connection",
    b"te",
    b"trailer",
    b"upgrade",
    b"expect",
    b"transfer-encoding",
    b"content-length",
}
CHUNK = 64 * 1024
# A label for each first segment, and no other, so that strangers cannot fill the memory with them.
PAGES = {"", "g", "t", "i", "mail", "accounts", "settings", "admin", "static", "anymail", "readyz"}
METHODS = {"GET", "HEAD", "POST"}
REQUESTS = Histogram(
    "atlantis_http_request_seconds",
    "Time from the first byte of a request until its answer was handed to the network.",
    ["method", "page", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limits:
    """Seconds are totals for one request, not pauses between two bytes; sizes are in bytes."""

    connections: int = 2_000  # then the one that has been sending its request for longest is closed
    head_seconds: float = 10
    body_seconds: float = 30
    head_bytes: int = 16 * 1024
    body_bytes: int = 30 * 1024 * 1024  # an email with attachments in a provider's webhook
    small_body_bytes: int = 64 * 1024  # for larger ones see `LargeBodies`
    waiting: int = 100  # requests that wait for a worker; more are refused at once
    waiting_seconds: float = 2
    health_seconds: float = 2  # for /healthz
    answer_seconds: float = 35  # gunicorn has killed a worker that takes longer
    unsent_bytes: int = 512 * 1024  # of one answer, before the worker has to wait for the client
    send_seconds: float = 60


@dataclass
class Exchange:
    """One request and the connection that it came on."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    began: float
    head: h11.Request | None = None
    body: bytearray = field(default_factory=bytearray)
    room: Share | None = None  # what a large body takes
    status: str = ""  # of the answer, "" if there was none

    @property
    def path(self) -> bytes:
        return self.head.target.partition(b"?")[0] if self.head else b""

    def header(self, name: bytes) -> bytes:
        return (
            next((value for key, value in self.head.headers if key == name), b"")
            if self.head
            else b""
        )

    def fields(self, name: bytes) -> str:
        """All headers of this name, with commas between them, as gunicorn joins them."""
        headers = self.head.headers if self.head else ()
        return b",".join(value for key, value in headers if key == name).decode("latin-1")

    @property
    def peer(self) -> str:
        return str((self.writer.get_extra_info("peername") or [""])[0])

    @property
    def is_gone(self) -> bool:
        return self.reader.at_eof() or self.writer.transport.is_closing()


class Front:
    """Serves `listener` by the backend that listens on the Unix socket `backend`.

    workers: how many requests the backend works on at a time. events: the Unix socket of the event
    process, which takes over connections that ask for a path below /events/; "" for none.
    """

    def __init__(
        self,
        backend: str,
        workers: int,
        limits: Limits = Limits(),
        *,
        events: str = "",
        large: LargeBodies | None = None,
    ) -> None:
        self.backend = backend
        self.events = events
        self.limits = limits
        self.large = large or LargeBodies()
        # One more than there are workers, so that the next request is there when one is done.
        self._workers = asyncio.Semaphore(workers + 1)
        self._waiting = 0
        self._receiving: dict[asyncio.Task[None], float] = {}  # the oldest first
        self._answering: set[asyncio.Task[None]] = set()

    async def serve(self, listener: socket.socket, stop: asyncio.Event, grace: float) -> None:
        """Serve until `stop` is set, then finish the requests that have arrived, for `grace`
        seconds."""
        server = await asyncio.start_server(
            self._connected, sock=listener, limit=CHUNK, backlog=512
        )
        await stop.wait()
        server.close()
        for task in list(self._receiving):
            task.cancel()
        if self._answering:
            await asyncio.wait(self._answering, timeout=grace)

    # -- one connection --------------------------------------------------------------------

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        writer.transport.set_write_buffer_limits(high=self.limits.unsent_bytes)
        exchange = Exchange(reader, writer, time.monotonic())
        try:
            with suppress(ConnectionError, asyncio.CancelledError):
                try:
                    self._make_room()
                    self._receiving[task] = exchange.began
                    try:
                        await self._receive(exchange)
                    finally:
                        self._receiving.pop(task, None)
                    self._answering.add(task)
                    await self._answer(exchange)
                except RequestRefused as refusal:
                    await self._refuse(exchange, refusal.status)
        finally:
            _count(exchange)
            self._answering.discard(task)
            if exchange.room:
                self.large.free(exchange.room)
            writer.transport.abort() if writer.transport.get_write_buffer_size() else writer.close()

    def _make_room(self) -> None:
        """Close the connection that has been sending its request for longest, if there are too
        many."""
        if len(self._receiving) + len(self._answering) >= self.limits.connections:
            oldest = next(iter(self._receiving), None)
            if oldest is None:
                raise RequestRefused(503)
            del self._receiving[oldest]
            oldest.cancel()

    async def _receive(self, exchange: Exchange) -> None:
        """Read the head and the whole body.

        Raises RequestRefused, or ConnectionError if the client left.
        """
        limits = self.limits
        parser = h11.Connection(h11.SERVER, max_incomplete_event_size=limits.head_bytes)
        try:
            async with asyncio.timeout(limits.head_seconds):
                head = await self._next_event(parser, exchange)
            assert isinstance(head, h11.Request)
            exchange.head = head
            announced = int(exchange.header(b"content-length") or b"0")
            if announced > min(limits.small_body_bytes, limits.body_bytes):
                await self._reserve_room(exchange, announced)
            if parser.they_are_waiting_for_100_continue:
                go_on = h11.InformationalResponse(status_code=100, headers=[])
                exchange.writer.write(parser.send(go_on) or b"")
            async with asyncio.timeout(limits.body_seconds):
                await self._receive_body(parser, exchange)
        except TimeoutError:
            raise RequestRefused(408) from None
        except h11.RemoteProtocolError as error:
            raise RequestRefused(error.error_status_hint) from None

    async def _receive_body(self, parser: h11.Connection, exchange: Exchange) -> None:
        limits = self.limits
        while not isinstance(event := await self._next_event(parser, exchange), h11.EndOfMessage):
            assert isinstance(event, h11.Data)
            exchange.body += event.data
            if len(exchange.body) > limits.body_bytes:
                raise RequestRefused(413)
            if len(exchange.body) > limits.small_body_bytes and not exchange.room:
                await self._reserve_room(exchange, limits.body_bytes)  # its length is not announced

    async def _reserve_room(self, exchange: Exchange, size: int) -> None:
        """Wait for room for a large body. Raises RequestRefused if there may be none."""
        if size > self.limits.body_bytes:
            raise RequestRefused(413)
        self.large.check(exchange.path, exchange.header(b"authorization"))
        forwarded = exchange.fields(b"x-forwarded-for")
        exchange.room = await self.large.reserve(exchange.peer, forwarded, size)

    @staticmethod
    async def _next_event(parser: h11.Connection, exchange: Exchange) -> h11.Event:
        while (event := parser.next_event()) is h11.NEED_DATA:
            data = await exchange.reader.read(CHUNK)
            if not data:
                raise ConnectionResetError
            parser.receive_data(data)
        assert isinstance(event, h11.Request | h11.Data | h11.EndOfMessage), event
        return event

    # -- the answer ------------------------------------------------------------------------

    async def _answer(self, exchange: Exchange) -> None:
        if exchange.path.startswith(b"/events/"):
            self._pass_on(exchange)
            return
        if exchange.path == b"/healthz":
            await self._answer_health(exchange)
        else:
            waited = await self._wait_for_worker()
            try:
                if not (waited and exchange.is_gone):
                    await self._ask_backend(exchange)
            finally:
                self._workers.release()
        with suppress(TimeoutError):
            async with asyncio.timeout(self.limits.send_seconds):
                exchange.writer.transport.set_write_buffer_limits(high=0)
                await exchange.writer.drain()

    def _pass_on(self, exchange: Exchange) -> None:
        """Pass the connection itself to the event process, and forget it. Raises RequestRefused.

        Never waits: a process that is stopped takes some connections into its queue, and no more.
        """
        assert exchange.head is not None
        request = {
            "method": exchange.head.method.decode("latin-1"),
            "target": exchange.head.target.decode("latin-1"),
            "last": exchange.header(b"last-event-id").decode("latin-1"),
            "peer": exchange.peer,
            "forwarded": exchange.fields(b"x-forwarded-for"),
        }
        descriptor = exchange.writer.get_extra_info("socket").fileno()
        try:
            with socket.socket(socket.AF_UNIX) as events:
                events.setblocking(False)
                events.connect(self.events)
                line = json.dumps(request).encode() + b"\n"
                if socket.send_fds(events, [line], [descriptor]) != len(line):
                    raise BlockingIOError
        except (OSError, ValueError):
            raise RequestRefused(503) from None

    async def _answer_health(self, exchange: Exchange) -> None:
        """Ask the backend without queueing, or answer for it if all of its workers are busy.

        This process ends with the backend, and gunicorn replaces workers that hang: what it reports
        is alive, although it may serve nobody now. /readyz is for that.
        """
        try:
            async with asyncio.timeout(self.limits.health_seconds):
                await self._ask_backend(exchange)
        except TimeoutError:
            exchange.writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n"
                b"Cache-Control: no-store\r\nConnection: close\r\n\r\nbusy\n"
            )

    async def _wait_for_worker(self) -> bool:
        """Acquire a worker; return whether that took a wait. Raises RequestRefused if busy."""
        if not self._workers.locked():
            await self._workers.acquire()
            return False
        if self._waiting >= self.limits.waiting:
            raise RequestRefused(503)
        self._waiting += 1
        try:
            async with asyncio.timeout(self.limits.waiting_seconds):
                await self._workers.acquire()
        except TimeoutError:
            raise RequestRefused(503) from None
        finally:
            self._waiting -= 1
        return True

    async def _ask_backend(self, exchange: Exchange) -> None:
        """Pass the request to the backend and its answer to the client.

        Raises RequestRefused if the backend gives no answer; one that breaks off is cut off for
        the client.
        """
        answered = False
        try:
            async with asyncio.timeout(self.limits.answer_seconds) as deadline:
                reader, writer = await asyncio.open_unix_connection(self.backend, limit=CHUNK)
                try:
                    await self._send(exchange, writer)
                    while data := await reader.read(CHUNK):
                        if not answered:
                            answered = True
                            exchange.status = data[9:12].decode("latin-1")
                            now = asyncio.get_running_loop().time()
                            deadline.reschedule(now + self.limits.send_seconds)
                        exchange.writer.write(data)
                        await exchange.writer.drain()
                finally:
                    writer.transport.abort()
        except (TimeoutError, OSError) as error:
            if answered:
                raise ConnectionAbortedError from None
            logger.warning("The backend did not answer %r: %r", exchange.path, error)
        if not answered:
            raise RequestRefused(503)

    @staticmethod
    async def _send(exchange: Exchange, writer: asyncio.StreamWriter) -> None:
        """Write a request for the backend. A large body is not copied as a whole."""
        head = exchange.head
        assert head is not None
        lines = [
            _proxy_line(exchange.writer),
            b"%s %s HTTP/%s" % (head.method, head.target, head.http_version),
        ]
        lines += [
            b"%s: %s" % (name, value)
            for name, value in head.headers.raw_items()
            if name.lower() not in HOP_BY_HOP
        ]
        lines.append(b"Connection: close")
        if exchange.body or head.method not in (b"GET", b"HEAD"):
            lines.append(b"Content-Length: %d" % len(exchange.body))
        writer.write(b"\r\n".join([*lines, b"", b""]))
        body = memoryview(exchange.body)
        for begin in range(0, len(body), CHUNK):
            writer.write(body[begin : begin + CHUNK])
            await writer.drain()

    async def _refuse(self, exchange: Exchange, status: int) -> None:
        exchange.status = str(status)
        writer = exchange.writer
        writer.write(refusal(status, exchange.header(b"accept-language").decode("latin-1")))
        # Closing with unread data would reset the connection, and the answer would be lost.
        with suppress(OSError):  # it takes too long, or the client has closed the connection
            async with asyncio.timeout(1):
                await writer.drain()
                if writer.can_write_eof():
                    writer.write_eof()
                while await exchange.reader.read(CHUNK):
                    pass


def _count(exchange: Exchange) -> None:
    """Record how long the client waited, by kind of page and status."""
    if exchange.head is None or exchange.path == b"/healthz":
        return
    first = exchange.path.split(b"/")[1].decode("latin-1") if b"/" in exchange.path else ""
    page = first if first in PAGES else "other"
    method = exchange.head.method.decode("latin-1")
    labels = (method if method in METHODS else "other", page, exchange.status or "none")
    REQUESTS.labels(*labels).observe(time.monotonic() - exchange.began)


def _proxy_line(writer: asyncio.StreamWriter) -> bytes:
    """The address of the client in the words of the PROXY protocol, version 1."""
    connection = writer.get_extra_info("socket")
    scheme = SCHEME_OF_FAMILY.get(connection.family)
    if scheme is None:  # a Unix socket
        return b"PROXY TCP4 127.0.0.1 127.0.0.1 0 0"
    (peer, peer_port), (ours, our_port) = (
        writer.get_extra_info(name)[:2] for name in ("peername", "sockname")
    )
    peer, ours = (address.partition("%")[0] for address in (peer, ours))
    return b"PROXY %s %s %s %d %d" % (scheme, peer.encode(), ours.encode(), peer_port, our_port)
