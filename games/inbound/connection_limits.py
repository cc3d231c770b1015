"""Limits for the connections of the mail listener, so that idle ones keep nobody out.

With too many connections, a new one takes the place of the one that has been silent for longest. A
mail server that is cut off tries again; one that is at work is never silent for long.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar

MOST_CONNECTIONS = 100
MOST_OF_ONE_ADDRESS = 10  # but a trusted mail server passes everything on from one address
MOST_SECONDS = 300.0  # of one connection


def limited(protocol: Any, is_trusted: Callable[[str], bool]) -> Any:
    """The protocol of aiosmtpd with these limits.

    is_trusted: whether the mail server of the operator has this IP address.
    """

    class Limited(protocol):  # type: ignore[misc]  # a base class that is known only here
        # The one that has been silent for longest comes first.
        connections: ClassVar[dict["Limited", asyncio.Transport]] = {}
        by_address: ClassVar[Counter[str]] = Counter()

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
