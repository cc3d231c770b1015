"""The mail server that takes replies: SMTP, or LMTP behind a mail server of one's own.

It says no at RCPT to whatever is not an address with our signature, says yes after DATA only when
the mail is a row in the database, and does nothing else. Speaks no TLS: it is meant to stand on
loopback or in a private network, behind a mail server that checks who writes.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session
from django.conf import settings
from django.db import DatabaseError, close_old_connections

from games.models import InboundMail

from . import intake

logger = logging.getLogger(__name__)

Door = InboundMail.Door

MOST_RECIPIENTS = 10  # a reply goes to one address
MOST_CONNECTIONS = 100
TIMEOUT_SECONDS = 60
STOP_SECONDS = 5
PROTOCOLS = ("smtp", "lmtp")


def door_of(peer: str) -> InboundMail.Door:
    """How far the word of whoever connects from this IP address goes."""
    with suppress(ValueError):
        address = ipaddress.ip_address(peer.partition("%")[0])
        mapped = getattr(address, "ipv4_mapped", None) or address
        if settings.LOCAL_MODE and mapped.is_loopback:
            return Door.LOCAL
        networks = (ipaddress.ip_network(net, strict=False) for net in settings.MAIL_TRUSTED_PEERS)
        if any(mapped in network for network in networks):
            return Door.RELAY
    return Door.OPEN


class Reception:
    """The handler of aiosmtpd. recipients: how many one mail may have."""

    def __init__(self, pool: ThreadPoolExecutor, recipients: int) -> None:
        self.pool = pool
        self.recipients = recipients

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if not intake.is_ours(address):
            return "550 5.1.1 No such address here"
        if len(envelope.rcpt_tos) >= self.recipients:
            return "452 4.5.3 Too many recipients at once"
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 2.1.5 OK"

    async def handle_DATA(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        raw = envelope.content
        assert isinstance(raw, bytes)
        peer = str(session.peer[0]) if session.peer else ""
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(
                self.pool, _keep, raw, door_of(peer), envelope.mail_from, list(envelope.rcpt_tos)
            )
        except (DatabaseError, OSError) as error:
            logger.warning("A mail could not be kept (%s); its sender will try again.", error)
            return "451 4.3.0 Not now, please try again"
        return "250 2.0.0 Kept"


def _keep(raw: bytes, door: InboundMail.Door, sender: str | None, recipients: list[str]) -> None:
    close_old_connections()
    try:
        intake.keep(raw, door=door, sender=sender or "", recipients=recipients)
    finally:
        close_old_connections()


def parse_listen(words: str) -> tuple[str, int]:
    """(host, port) of `host:port`, `[IPv6]:port` or `port`; ValueError for anything else."""
    host, _colon, port = words.strip().rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isascii() or not port.isdecimal() or int(port) > 65535:
        raise ValueError(f"{words!r} is not host:port")
    return host, int(port)


async def serve(host: str, port: int, protocol: str, announce: Callable[[str, int], None]) -> None:
    """Listen until SIGTERM or SIGINT. announce: called with the address once it is ours."""
    logging.getLogger("mail.log").setLevel(logging.WARNING)  # aiosmtpd tells every command
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    with ThreadPoolExecutor(4, thread_name_prefix="keep") as pool:
        # LMTP wants an answer for each recipient after DATA; one recipient, one answer.
        reception = Reception(pool, 1 if protocol == "lmtp" else MOST_RECIPIENTS)
        server = await loop.create_server(_factory(reception, protocol, loop), host, port)
        bound = server.sockets[0].getsockname()
        announce(bound[0], bound[1])
        await stop.wait()
        server.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(server.wait_closed(), STOP_SECONDS)


def _factory(
    reception: Reception, protocol: str, loop: asyncio.AbstractEventLoop
) -> Callable[[], asyncio.Protocol]:
    kind: Any = _of_few(LMTP if protocol == "lmtp" else SMTP)

    def connection() -> asyncio.Protocol:
        made: asyncio.Protocol = kind(
            reception,
            data_size_limit=intake.MOST_BYTES,
            enable_SMTPUTF8=True,
            hostname=settings.MAIL_REPLY_DOMAIN or settings.SITE_HOST,
            ident=settings.SITE_NAME,
            timeout=TIMEOUT_SECONDS,
            loop=loop,
        )
        return made

    return connection


def _of_few(kind: Any) -> Any:
    """The protocol, for at most MOST_CONNECTIONS at a time."""

    class Few(kind):  # type: ignore[misc]
        """Turns away who comes when all places are taken."""

        open = 0

        def connection_made(self, transport: asyncio.Transport) -> None:
            type(self).open += 1
            if type(self).open > MOST_CONNECTIONS:
                transport.write(b"421 4.3.2 Too many connections, please try again\r\n")
                transport.close()
            super().connection_made(transport)

        def connection_lost(self, error: Exception | None) -> None:
            type(self).open -= 1
            super().connection_lost(error)

    return Few
