"""The mail server for replies: SMTP, or LMTP behind a mail server of the operator's own.

It refuses at RCPT whatever is not an address with our signature, and accepts after DATA only if the
email is a row in the database. It belongs behind a mail server that checks senders. With
MAIL_LISTEN_CERTIFICATE it offers STARTTLS, for a mail server on another machine.
"""

import asyncio
import ipaddress
import logging
import signal
import ssl
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, ClassVar

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session
from django.conf import settings
from django.db import DatabaseError, close_old_connections

from games.models import Heartbeat, InboundMail
from games.services import QuotaExceeded, heartbeat_record, quotas
from games.services.heartbeats import SECONDS as HEARTBEAT_SECONDS

from . import intake

logger = logging.getLogger(__name__)

Channel = InboundMail.Channel

MOST_RECIPIENTS = 10  # a reply goes to one address
TIMEOUT_SECONDS = 60  # for one command
STOP_SECONDS = 5
RENEW_SECONDS = 3600  # a certificate that was renewed is in use after that
PROTOCOLS = ("smtp", "lmtp")

MOST_CONNECTIONS = 100
MOST_OF_ONE_ADDRESS = 10  # but a trusted mail server passes everything on from one address
MOST_SECONDS = 300.0  # of one connection
DATA_SECONDS = 240.0  # for one email
FINAL_DOT = b".\r\n"


def channel_of(peer: str) -> Channel:
    """Return the channel of an IP address, which says how far its emails are trusted."""
    with suppress(ValueError):
        address = ipaddress.ip_address(peer.partition("%")[0])
        mapped = getattr(address, "ipv4_mapped", None) or address
        if settings.LOCAL_MODE and mapped.is_loopback:
            return Channel.LOCAL
        networks = (ipaddress.ip_network(net, strict=False) for net in settings.MAIL_TRUSTED_PEERS)
        if any(mapped in network for network in networks):
            return Channel.RELAY
    return Channel.OPEN


class Handler:
    """The handler of aiosmtpd. max_recipients: of one email. refused: addresses that are not ours
    which were named so far."""

    def __init__(self, pool: ThreadPoolExecutor, max_recipients: int) -> None:
        self.pool = pool
        self.max_recipients = max_recipients
        self.refused = 0

    async def handle_RCPT(  # noqa: N802 (the name is aiosmtpd's)
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if not intake.is_ours(address):
            self.refused += 1
            logger.info("Refused an address that is not ours, number %s.", self.refused)
            return "550 5.1.1 No such address here"
        if len(envelope.rcpt_tos) >= self.max_recipients:
            return "452 4.5.3 Too many recipients at once"
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 2.1.5 OK"

    async def handle_DATA(  # noqa: N802 (the name is aiosmtpd's)
        self, server: Any, session: Session, envelope: Envelope
    ) -> str:
        if server.beginning.received > intake.ACCEPTED_BYTES:
            return f"552 {intake.TOO_LARGE}"
        peer = str(session.peer[0]) if session.peer else ""
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self.pool, _store, envelope, peer)
        except QuotaExceeded:
            return "451 4.7.1 Too many emails from your network, please try again later"
        except (DatabaseError, OSError) as error:
            logger.warning("An email could not be stored (%s); its sender will try again.", error)
            return "451 4.3.0 Not now, please try again"
        return "250 2.0.0 Message accepted"


def _store(envelope: Envelope, peer: str) -> None:
    close_old_connections()
    try:
        assert isinstance(envelope.content, bytes)
        channel = channel_of(peer)
        if channel == Channel.OPEN:  # no mail server of the operator limits who sends
            quotas.spend(quotas.ARRIVALS, network=peer)
        sender, recipients = envelope.mail_from or "", envelope.rcpt_tos
        intake.store(envelope.content, channel=channel, sender=sender, recipients=recipients)
    finally:
        close_old_connections()


def parse_listen(words: str) -> tuple[str, int]:
    """(host, port) of `host:port`, `[IPv6]:port` or `port`; ValueError for anything else."""
    host, _colon, port = words.strip().rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isascii() or not port.isdecimal() or int(port) > 65535:
        raise ValueError(f"{words!r} is not host:port")
    return host, int(port)


def tls_context() -> ssl.SSLContext | None:
    """The TLS context for STARTTLS, None without a certificate; OSError (ssl.SSLError is one) for a
    bad one."""
    if not settings.MAIL_LISTEN_CERTIFICATE:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)  # TLS 1.2 or newer
    _load(context)
    return context


def _load(context: ssl.SSLContext) -> None:
    context.load_cert_chain(settings.MAIL_LISTEN_CERTIFICATE, settings.MAIL_LISTEN_KEY or None)


async def _renew(context: ssl.SSLContext) -> None:
    while True:
        await asyncio.sleep(RENEW_SECONDS)
        try:
            _load(context)
        except OSError as error:
            logger.error("MAIL_LISTEN_CERTIFICATE cannot be read again: %s", error)


async def _heartbeats(pool: ThreadPoolExecutor, handler: Handler) -> None:
    """Record that the loop is alive. A listener does not record its end: people would miss it."""
    loop = asyncio.get_running_loop()
    while True:
        await loop.run_in_executor(pool, _heartbeat, handler.refused)
        await asyncio.sleep(HEARTBEAT_SECONDS)


def _heartbeat(refused: int) -> None:
    close_old_connections()
    heartbeat_record(Heartbeat.LISTENER, refused=refused)


async def serve(host: str, port: int, protocol: str, announce: Callable[[str, int], None]) -> None:
    """Listen until SIGTERM or SIGINT. announce: called with the address once it is ours."""
    logging.getLogger("mail.log").setLevel(logging.WARNING)  # aiosmtpd logs every command
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    with ThreadPoolExecutor(4, thread_name_prefix="store") as pool:
        # LMTP wants an answer for each recipient after DATA; one recipient, one answer.
        handler = Handler(pool, 1 if protocol == "lmtp" else MOST_RECIPIENTS)
        connection = limited(
            LMTP if protocol == "lmtp" else SMTP,
            is_trusted=lambda peer: channel_of(peer) != Channel.OPEN,
        )
        context = tls_context()
        options = {
            "tls_context": context,
            "data_size_limit": intake.ACCEPTED_BYTES,
            "enable_SMTPUTF8": True,
            "hostname": settings.MAIL_REPLY_DOMAIN or settings.SITE_HOST,
            "ident": settings.SITE_NAME,
            "timeout": TIMEOUT_SECONDS,
        }
        server = await loop.create_server(
            lambda: connection(handler, loop=loop, **options), host, port
        )
        bound = server.sockets[0].getsockname()
        announce(bound[0], bound[1])
        background = [asyncio.ensure_future(_heartbeats(pool, handler))]
        if context is not None:
            background.append(asyncio.ensure_future(_renew(context)))
        await stop.wait()
        for task in background:
            task.cancel()
        server.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(server.wait_closed(), STOP_SECONDS)


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
    """The protocol of aiosmtpd with these limits, so that idle connections keep nobody out, and
    large emails fill no memory.

    With too many connections, a new one takes the place of the one that has been silent for
    longest. A mail server that is cut off tries again; one that is at work is never silent for
    long. Of an email, no more is kept in memory than is stored.

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
