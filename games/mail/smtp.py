"""Django's SMTP backend with our DKIM signature.

`games.mail.transport` limits the time of its calls.
"""

import smtplib
import socket
from contextlib import suppress
from typing import Any

from django.core.mail.backends.smtp import EmailBackend

from . import dkim_signing


class SigningSMTP(smtplib.SMTP):
    """smtplib's client; it signs what it sends."""

    def connect(self, *args: Any, **more: Any) -> Any:
        answer = super().connect(*args, **more)
        if self.sock is not None:
            # smtplib sends a message in pieces. Without this, the last one waits until the server
            # has acknowledged the one before.
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return answer

    def sendmail(self, from_addr: Any, to_addrs: Any, msg: Any, *args: Any, **more: Any) -> Any:
        """smtplib's, with our DKIM signature of `msg`, which nothing changes after this."""
        if isinstance(msg, bytes):
            msg = dkim_signing.sign(msg)
        return super().sendmail(from_addr, to_addrs, msg, *args, **more)


class SigningSMTPS(smtplib.SMTP_SSL, SigningSMTP):
    """The same over TLS."""


class SMTPBackend(EmailBackend):
    connection: smtplib.SMTP | None
    _partial_connection: smtplib.SMTP | None

    @property
    def connection_class(self) -> type[smtplib.SMTP]:
        return SigningSMTPS if self.use_ssl else SigningSMTP

    def abort(self) -> None:
        """Close the connection without a word; a thread that waits for the server ends."""
        for client in (self._partial_connection, self.connection):
            if client is not None:
                if client.sock is not None:
                    with suppress(OSError):
                        client.sock.shutdown(socket.SHUT_RDWR)
                client.close()
        self._partial_connection = self.connection = None
