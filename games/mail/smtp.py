"""SMTP with a deadline for each step, which a server that sends a byte now and then cannot extend.

smtplib's timeout is one for each read from the socket. A step is what answers one command: the
connection with the greeting, EHLO, STARTTLS, AUTH, MAIL, RCPT, DATA, and the reply to the message.
"""

import io
import smtplib
import socket
import time
from typing import Any

from django.core.mail import DNS_NAME
from django.core.mail.backends.smtp import EmailBackend

from . import dkim_signing
from .call_within import call_within

DEFAULT_SECONDS = 20.0
# The server may scan the message before it replies. Giving up too early sends the email twice.
MESSAGE_STEPS = 3  # deadlines of one step for sending the message, and for its reply
QUIT_SECONDS = 2.0
COMMANDS = {"EHLO", "HELO", "STARTTLS", "MAIL", "RCPT", "DATA", "RSET", "QUIT", "NOOP"}
CHUNK = 16_384  # bytes handed to the socket at once


class SMTPBackend(EmailBackend):
    """Django's backend, with EMAIL_TIMEOUT as the deadline for each step."""

    @property
    def connection_class(self) -> type[smtplib.SMTP]:
        return StepwiseSMTPS if self.use_ssl else StepwiseSMTP

    def open(self) -> bool | None:
        """Connect, unless there is a connection; whether there was none.

        Django asks the DNS for the name of this machine, which it says in EHLO. It keeps the
        answer, but has no deadline. Raises TimeoutError after ours.
        """
        if self.connection is None:
            seconds = self.timeout or DEFAULT_SECONDS
            try:
                call_within(seconds, DNS_NAME.get_fqdn)
            except TimeoutError:
                words = f"DNS gave no name of this machine in {seconds:.0f} seconds"
                raise TimeoutError(words) from None
        return super().open()


class StepwiseSMTP(smtplib.SMTP):
    """smtplib's client with deadlines. Raises SMTPServerDisconnected when one has passed."""

    _step = "the connection"
    _ends_at = 0.0

    def _begin(self, step: str, factor: float = 1) -> None:
        seconds = self.timeout if isinstance(self.timeout, int | float) else DEFAULT_SECONDS
        if step == "QUIT":  # the emails are sent, and nothing depends on the reply
            seconds = min(seconds, QUIT_SECONDS)
        self._step, self._ends_at = step, time.monotonic() + seconds * factor

    def _left(self) -> float:
        """Seconds until the deadline of this step. Raises TimeoutError after it."""
        left = self._ends_at - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"{self._step} took too long")
        return left

    def _get_socket(self, host: str, port: int, timeout: object) -> socket.socket:
        self._begin("the connection")
        error: OSError = OSError(f"{host} has no address")
        for family, kind, protocol, _name, address in _resolve(host, port, self._left()):
            one = socket.socket(family, kind, protocol)
            try:
                one.settimeout(self._left())
                if self.source_address:
                    one.bind(self.source_address)
                one.connect(address)
            except OSError as failure:
                one.close()
                error = failure
            else:
                return one
        raise error

    def sendmail(self, from_addr: Any, to_addrs: Any, msg: Any, *args: Any, **more: Any) -> Any:
        """smtplib's, with our DKIM signature of `msg`, which nothing changes after this."""
        if isinstance(msg, bytes):
            msg = dkim_signing.sign(msg)
        return super().sendmail(from_addr, to_addrs, msg, *args, **more)

    def putcmd(self, cmd: str, args: str = "") -> None:
        # What is no command is an answer within AUTH, and a secret.
        self._begin(cmd.upper() if cmd.upper() in COMMANDS else "AUTH")
        super().putcmd(cmd, args)

    def data(self, msg: Any) -> tuple[int, bytes]:
        """Send the message. It and its reply have longer deadlines than a command."""
        self.putcmd("data")
        code, reply = self.getreply()
        if code != 354:
            raise smtplib.SMTPDataError(code, reply)
        body = msg.encode("ascii") if isinstance(msg, str) else bytes(msg)
        body = (b"\n" + body).replace(b"\n.", b"\n..")[1:]  # RFC 5321, 4.5.2
        self._begin("sending the message", MESSAGE_STEPS)
        self.send(body + (b".\r\n" if body.endswith(b"\r\n") else b"\r\n.\r\n"))
        self._begin("the reply to the message", MESSAGE_STEPS)
        return self.getreply()

    def send(self, s: Any) -> None:
        words = memoryview(s.encode(self.command_encoding) if isinstance(s, str) else s)
        if self.sock is None:
            raise smtplib.SMTPServerDisconnected("please run connect() first")
        try:
            while words:
                self.sock.settimeout(self._left())
                words = words[self.sock.send(words[:CHUNK]) :]
        except OSError as error:
            self.close()
            raise smtplib.SMTPServerDisconnected(f"Connection lost: {error}") from error

    def getreply(self) -> tuple[int, bytes]:
        if self.file is None and self.sock is not None:
            self.file = io.BufferedReader(_Replies(self))
        return super().getreply()


class StepwiseSMTPS(smtplib.SMTP_SSL, StepwiseSMTP):
    """The same over TLS. SMTP_SSL wraps the socket that the other class connects."""


class _Replies(io.RawIOBase):
    """What the server sends, read until the deadline of the present step."""

    def __init__(self, client: StepwiseSMTP) -> None:
        super().__init__()
        self._client = client

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        server = self._client.sock
        if server is None:
            return 0
        server.settimeout(self._client._left())
        try:
            return server.recv_into(buffer)
        except TimeoutError:
            self._client._left()  # names the step
            raise


def _resolve(host: str, port: int, seconds: float) -> list[Any]:
    """socket.getaddrinfo with a deadline."""
    try:
        return call_within(seconds, lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    except TimeoutError:
        raise TimeoutError(f"DNS gave no address of {host} in {seconds:.0f} seconds") from None
