"""A real SMTP server on loopback that keeps what it is given and fails on request."""

import asyncio
import logging
import random
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

PATIENCE = 180.0  # seconds after which waiting is called a hang

# It would write a line for every word of every conversation.
logging.getLogger("mail.log").setLevel(logging.WARNING)


@dataclass
class SmtpSink:
    """The emails that arrived, in order. All fields may be set at any time, also while emails come
    in.

    answer: what MAIL DATA is answered with, "250 …" keeps the email; a callable decides per email.
    "hang" keeps the email and never answers, "drop" keeps it and closes the connection instead.
    sender: what MAIL FROM is answered with.
    rcpt_reply: what RCPT is answered with, a callable decides per address.
    delay: seconds before the answer. `down()` closes the port, `up()` opens the same one again.
    """

    port: int
    answer: str | Callable[[EmailMessage], str] = "250 kept"
    rcpt_reply: str | Callable[[str], str] = "250 OK"
    sender: str = "250 go on"
    delay: float = 0.0
    messages: list[EmailMessage] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)  # of the messages
    recipients: list[list[str]] = field(default_factory=list)
    refused: list[EmailMessage] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._changed = threading.Condition()
        self._controller: Controller | None = None

    @property
    def url(self) -> str:
        """The EMAIL_URL that delivers here."""
        return f"smtp://127.0.0.1:{self.port}"

    def up(self) -> None:
        if self._controller is None:
            self._controller = _Controller(
                self, hostname="127.0.0.1", port=self.port, ready_timeout=PATIENCE
            )
            self._controller.start()

    def down(self) -> None:
        if self._controller is not None:
            self._controller.stop()
            self._controller = None

    def reset(self) -> None:
        """Forget all emails and all orders to fail."""
        self.answer, self.rcpt_reply, self.delay = "250 kept", "250 OK", 0.0
        self.sender = "250 go on"
        for kept in (self.messages, self.raw, self.recipients, self.refused):
            kept.clear()
        self.up()

    def wait_for(self, count: int, seconds: float = PATIENCE) -> list[EmailMessage]:
        """The emails once at least `count` are there; fails with what came if they never are."""
        with self._changed:
            came = self._changed.wait_for(lambda: len(self.messages) >= count, seconds)
        subjects = [message["Subject"] for message in self.messages]
        assert came, f"{len(subjects)} of {count} mails came in {seconds:.0f} s: {subjects}"
        return self.messages

    async def handle_MAIL(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.sender.startswith("250"):
            envelope.mail_from = address
            envelope.mail_options.extend(options)
        return self.sender

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        answer = self.rcpt_reply if isinstance(self.rcpt_reply, str) else self.rcpt_reply(address)
        if answer.startswith("250"):
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        assert isinstance(envelope.content, bytes)
        message = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        if self.delay:
            await asyncio.sleep(self.delay)
        answer = self.answer if isinstance(self.answer, str) else self.answer(message)
        with self._changed:
            if answer.startswith("250") or answer in ("hang", "drop"):
                self.messages.append(message)
                self.raw.append(envelope.content)
                self.recipients.append(list(envelope.rcpt_tos))
            else:
                self.refused.append(message)
            self._changed.notify_all()
        if answer == "hang":
            await asyncio.sleep(PATIENCE)
        if answer == "drop":
            assert isinstance(server.transport, asyncio.Transport)
            server.transport.abort()
        return answer


class StuckServer:
    """A server that gets stuck at one step of each conversation: "connect", "EHLO", "STARTTLS",
    "AUTH", "MAIL", "RCPT", "DATA" or "message" (after the final dot).

    It then sends a byte of a reply without end every 50 ms, or nothing if it is `silent`. `pauses`
    counts how often it has waited for that long.
    """

    def __init__(self, step: str, *, silent: bool = False) -> None:
        self.step, self.silent, self.pauses = step, silent, 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def stop(self) -> None:
        self._over.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(PATIENCE)

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                peer, _address = self._listener.accept()
            except OSError:
                return
            self._threads.append(threading.Thread(target=self._talk, args=(peer,), daemon=True))
            self._threads[-1].start()

    def _talk(self, peer: socket.socket) -> None:
        with suppress(OSError), peer, peer.makefile("rb") as lines:
            self._reply(peer, "connect", "220 stuck")
            for line in lines:
                command = line.split(maxsplit=1)[0].decode().upper()
                if command == "EHLO":
                    self._reply(peer, command, "250-stuck\r\n250-AUTH PLAIN\r\n250 STARTTLS")
                elif command == "AUTH":
                    self._reply(peer, command, "235 you may")
                elif command == "DATA":
                    self._reply(peer, command, "354 go on")
                    while lines.readline() not in (b".\r\n", b""):
                        pass
                    self._reply(peer, "message", "250 kept")
                else:
                    self._reply(peer, command, "221 bye" if command == "QUIT" else "250 fine")

    def _reply(self, peer: socket.socket, step: str, words: str) -> None:
        if step != self.step:
            peer.sendall(f"{words}\r\n".encode())
        while step == self.step and not self._over.wait(0.05):
            self.pauses += 1
            peer.sendall(b"" if self.silent else b"2")


class _Controller(Controller):
    def factory(self) -> SMTP:
        return SMTP(self.handler, hostname="sink", data_size_limit=10_000_000, enable_SMTPUTF8=True)


def free_port() -> int:
    """A port on loopback that nobody listens on right now, different in each call.

    It lies below those that the kernel gives to clients: any connection could take one of these
    before the test listens.
    """
    while True:
        port = _luck.randrange(20_000, 32_768)
        with socket.socket() as probe, suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            if port not in _ports:
                _ports.add(port)
                return port


_luck = random.SystemRandom()  # two processes of a run have the same seed
_ports: set[int] = set()


@pytest.fixture(scope="session")
def smtp_server() -> Iterator[SmtpSink]:
    """One SMTP server for all tests of this process; tests take `smtp_sink`, which is it, empty."""
    sink = SmtpSink(free_port())
    sink.up()
    yield sink
    sink.down()


@pytest.fixture
def smtp_sink(smtp_server: SmtpSink) -> Iterator[SmtpSink]:
    """A real SMTP server, empty and obliging; say `smtp_sink.answer = "451 later"` and so on."""
    smtp_server.reset()
    yield smtp_server
    smtp_server.reset()


@dataclass
class Arrivals:
    """When each email was taken by the SMTP server: (moment, Message-ID)."""

    seen: list[tuple[datetime, str]] = field(default_factory=list)

    def take(self, mail: EmailMessage) -> str:
        self.seen.append((datetime.now(UTC), str(mail["Message-ID"])))
        return "250 kept"
