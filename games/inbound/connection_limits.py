"""Limits for the connections of the mail listener, so that idle ones keep nobody out, and large
emails fill no memory.

With too many connections, a new one takes the place of the one that has been silent for longest. A
mail server that is cut off tries again; one that is at work is never silent for long. Of an email,
no more is kept in memory than is stored.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar

from . import intake

MOST_CONNECTIONS = 100
MOST_OF_ONE_ADDRESS = 10  # but a trusted mail server passes everything on from one address
MOST_SECONDS = 300.0  # of one connection
DATA_SECONDS = 240.0  # for one email
FINAL_DOT = b".\r\n"


class Beginning:
    """Reads the lines of DATA: passes on the first KEPT_BYTES, and then the final dot alone.

    received: bytes so far.
    """

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self.received = 0
        self._reader = reader
        self._is_owed = False  # the end of a line whose beginning was passed on

    async def readuntil(self, separator: bytes) -> bytes:
        """The next line that counts. LimitOverrunError if it is too long; then `read` follows."""
        is_inside = self._is_owed
        while True:
            try:
                line = await self._reader.readuntil(separator)
            except asyncio.LimitOverrunError as error:
                if self._is_owed or self.received <= intake.KEPT_BYTES:
                    raise
                is_inside = True
                self.received += len(await self._reader.read(error.consumed))
                continue
            self.received += len(line)
            is_dot = line == FINAL_DOT and not is_inside
            if self._is_owed or is_dot or self.received <= intake.KEPT_BYTES:
                self._is_owed = False
                return line
            is_inside = False

    async def read(self, number: int) -> bytes:
        """A part of a line that is too long."""
        self._is_owed = True
        data = await self._reader.read(number)
        self.received += len(data)
        return data


def limited(protocol: Any, is_trusted: Callable[[str], bool]) -> Any:
    """The protocol of aiosmtpd with these limits.

    is_trusted: whether the mail server of the operator has this IP address.
    """

    class Limited(protocol):  # type: ignore[misc]  # a base class that is known only here
        # The one that has been silent for longest comes first.
        connections: ClassVar[dict["Limited", asyncio.Transport]] = {}
        by_address: ClassVar[Counter[str]] = Counter()
        _reader: Any  # aiosmtpd's

        def connection_made(self, transport: asyncio.Transport) -> None:
            if self.transport is not None:  # the same connection, now with TLS
                self.connections[self] = transport
                super().connection_made(transport)
                return
            peer = transport.get_extra_info("peername")
            self.address = str(peer[0]) if peer else ""
            self.by_address[self.address] += 1
            self.end = asyncio.get_running_loop().call_later(MOST_SECONDS, transport.abort)
            if self.by_address[self.address] > MOST_OF_ONE_ADDRESS and not is_trusted(self.address):
                transport.write(b"421 4.7.0 Too many connections from your address\r\n")
                transport.close()
            elif len(self.connections) >= MOST_CONNECTIONS:
                silent, its_transport = next(iter(self.connections.items()))
                del self.connections[silent]
                its_transport.write(b"421 4.4.2 Idle for too long\r\n")
                its_transport.close()
            self.connections[self] = transport
            super().connection_made(transport)

        async def smtp_DATA(self, arg: str) -> None:  # noqa: N802 (the name is aiosmtpd's)
            self._reset_timeout(DATA_SECONDS)
            reader = self._reader
            self._reader = self.beginning = Beginning(reader)
            try:
                await super().smtp_DATA(arg)
            finally:
                self._reader = reader

        async def push(self, status: Any) -> None:
            is_of_size = isinstance(status, str) and status.startswith("552 Error")
            await super().push(f"552 {intake.TOO_LARGE}" if is_of_size else status)

        def data_received(self, data: bytes) -> None:
            if transport := self.connections.pop(self, None):
                self.connections[self] = transport
            super().data_received(data)

        def connection_lost(self, error: Exception | None) -> None:
            self.end.cancel()
            self.connections.pop(self, None)
            self.by_address[self.address] -= 1
            if not self.by_address[self.address]:
                del self.by_address[self.address]
            super().connection_lost(error)

    return Limited
