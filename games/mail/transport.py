"""Hand emails to the mail server over one connection, and classify its errors.

Knows the errors of SMTP, of anymail's providers and of folders, but no rows and no games.

A refusal is about the mailbox, this email, or the moment: by its enhanced status code (RFC 3463)
where the server gives one, else by its reply code and words. In doubt it is not the mailbox: an
address suppressed by mistake costs its reader more than a few emails cost a server that does not
want them. Refusals before the recipient is named are about us: TransportUnavailable.
"""

import re
import smtplib
import socket
import ssl
from contextlib import suppress
from enum import Enum
from typing import Any

from anymail.backends.base_requests import AnymailRequestsBackend
from anymail.exceptions import (
    AnymailAPIError,
    AnymailError,
    AnymailInvalidAddress,
    AnymailRecipientsRefused,
)
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.smtp import EmailBackend

from . import dkim_signing
from .call_within import call_within

MAX_WORDS = 500  # characters of an error that are kept
DEFAULT_SECONDS = 20.0
# Times EMAIL_TIMEOUT: to connect, to send and to wait for the answer. A server may scan an email
# before it answers, and an email that is given up too early arrives twice.
STEPS = 3
CLOSE_SECONDS = 2.0  # the emails are sent, and nothing depends on the reply to QUIT

_TOO_BIG = 552  # at MAIL FROM with SIZE: about this email
# HTTP statuses of a provider's API that are about our account, not about one email.
_ACCOUNT_STATUSES = {401, 402, 403, 404, 405, 407}
_BUSY_STATUSES = {408, 425, 429}

# Subject and detail after the class 5: no such mailbox, no such host, not how an address is
# written, ambiguous, moved away, takes no mail at all (RFC 7505). Not among them: 5.1.7 and 5.1.8,
# which are about our own address.
_NO_MAILBOX = {(1, detail) for detail in (0, 1, 2, 3, 4, 6, 10)}
_MAILBOX_CODES = {550, 551, 552, 553}  # for mailboxes by RFC 5321; many use them for everything
_ABOUT_US = re.compile(
    r"relay|polic|spam|block|black|denied|reputation|listed|auth|sender|quota|full|spf|dmarc|dkim"
    r"|account|suspend|limit|too (many|big|large)",
    re.IGNORECASE,
)
_ABOUT_MAILBOX = re.compile(
    r"user|mailbox|recipient|address|unknown|exist|inactive|disabled|local", re.IGNORECASE
)
_STATUS = re.compile(r"\s*5\.(\d{1,3})\.(\d{1,3})(?!\d)")
_ADDRESS = re.compile(r"<?[^\s<>@\"]+@[^\s<>@\",;:()]+>?")
_VARYING = re.compile(r"\S*\d\S*|\S+\.\S+")  # identifiers, times, IP addresses, hosts and URLs


class Refusal(Enum):
    """The meaning of a reply for the email, and for others."""

    MAILBOX = "mailbox"  # the address takes no email at all, and never will
    PERHAPS_MAILBOX = "perhaps the mailbox"  # the same, if it is refused in this way again
    EMAIL = "email"  # a filter, a quota or a policy refused this email; perhaps every email of ours
    LATER = "later"  # temporary, or no proper reply at all


class TransportUnavailable(Exception):
    """No email can be sent now, to anybody.

    refused: the server does not want our emails (at connect, AUTH or MAIL FROM), rather than being
    away or busy.
    """

    def __init__(self, words: str, *, refused: bool = False) -> None:
        super().__init__(words[:MAX_WORDS])
        self.refused = refused


class SendFailed(Exception):
    """One email was not sent. broken: the conversation broke, there was no proper reply."""

    def __init__(self, words: str, refusal: Refusal, *, broken: bool = False) -> None:
        super().__init__(words[:MAX_WORDS])
        self.refusal, self.broken = refusal, broken


class Transport:
    """A connection, opened for the first email and after errors; for `contextlib.closing`.

    failures: how many conversations broke in a row.
    """

    def __init__(self) -> None:
        self.failures = 0
        self._connection: Any = None

    def send(self, mail: EmailMessage) -> None:
        """Hand over one email. Raises SendFailed or TransportUnavailable."""
        self._open()
        try:
            if not self._send(mail):
                raise SendFailed("the backend rejected it", Refusal.EMAIL)
        except (smtplib.SMTPException, OSError, AnymailError, ValueError) as error:
            failure = explain(error)
            if isinstance(failure, TransportUnavailable):
                self.close()
            elif failure.broken:
                self.failures += 1
                self.close()
            raise failure from error
        self.failures = 0

    def _send(self, mail: EmailMessage) -> int:
        """Return how many emails the backend took. Raises its errors.

        The time limits of smtplib and of a provider's HTTP client are for each read; this one is
        for the whole call.
        """
        connection = self._connection
        try:
            return int(call_within(_seconds(), lambda: connection.send_messages([mail])) or 0)
        except TimeoutError as error:
            # The server may have taken it.
            raise SendFailed(words_of(error), Refusal.LATER, broken=True) from error

    def _open(self) -> None:
        if self._connection is not None:
            return
        opened = get_connection()
        try:
            # Django also asks the DNS for the name of this machine, which has no limit of its own.
            call_within(_seconds(), opened.open)
        except Exception as error:
            if isinstance(opened, SMTPBackend):
                opened.abort()
            raise TransportUnavailable(words_of(error), refused=_is_refusal(error)) from error
        if isinstance(opened, AnymailRequestsBackend):
            opened.session.max_redirects = 0  # a redirect could carry our key to another host
        client = opened.connection if isinstance(opened, SMTPBackend) else None
        if client and client.sock:
            client.sock.settimeout(_seconds())
        self._connection = opened

    def close(self) -> None:
        """Close the connection, if one is open."""
        if self._connection is not None:
            with suppress(Exception):  # it may be broken already
                call_within(CLOSE_SECONDS, self._connection.close)
            if isinstance(self._connection, SMTPBackend):
                self._connection.abort()
            self._connection = None


def _seconds() -> float:
    """The time for one call of a backend."""
    return (settings.EMAIL_TIMEOUT or DEFAULT_SECONDS) * STEPS


def _is_refusal(error: Exception) -> bool:
    """Whether opening failed because the server does not want us, or we do not trust it."""
    match error:
        case smtplib.SMTPResponseException(smtp_code=code):
            return 500 <= code < 600
        case smtplib.SMTPServerDisconnected():
            return False
        case smtplib.SMTPException() | ssl.SSLCertVerificationError():
            return True  # no AUTH or STARTTLS, no common method, a wrong certificate
    return False


def explain(error: Exception) -> SendFailed | TransportUnavailable:
    """The meaning of a failed attempt for this email or for all."""
    words = words_of(error)
    match error:
        case smtplib.SMTPRecipientsRefused(recipients=refused):
            found = {classify(code, said, to_recipient=True) for code, said in refused.values()}
            broken = any(code == 421 for code, _said in refused.values())
            # An email has one recipient; with several, the one with most hope decides.
            order = (Refusal.LATER, Refusal.EMAIL, Refusal.PERHAPS_MAILBOX, Refusal.MAILBOX)
            return SendFailed(words, next(r for r in order if r in found), broken=broken)
        case smtplib.SMTPDataError(smtp_code=code, smtp_error=said):
            refusal = classify(code, said, to_recipient=False)
            return SendFailed(words, refusal, broken=code == 421)
        case smtplib.SMTPSenderRefused(smtp_code=code, smtp_error=said):
            if code == _TOO_BIG or b"5.3.4" in _bytes(said)[:8]:
                return SendFailed(words, Refusal.EMAIL)
            return TransportUnavailable(words, refused=500 <= code < 600)
        case smtplib.SMTPHeloError(smtp_code=code):
            return TransportUnavailable(words, refused=500 <= code < 600)
        case AnymailRecipientsRefused():
            # "rejected" may be the provider's own list; its webhook reports what that means.
            status = getattr(error.email_message, "anymail_status", None)
            gone = status is not None and status.status == {"invalid"}
            return SendFailed(words, Refusal.MAILBOX if gone else Refusal.EMAIL)
        case AnymailInvalidAddress():
            return SendFailed(words, Refusal.MAILBOX)
        case AnymailAPIError(status_code=int(status)):
            if status in _ACCOUNT_STATUSES:
                return TransportUnavailable(words, refused=True)
            if status in _BUSY_STATUSES or status >= 500:
                return TransportUnavailable(words)
            return SendFailed(words, Refusal.EMAIL)
        case AnymailAPIError() | smtplib.SMTPServerDisconnected():
            return SendFailed(words, Refusal.LATER, broken=True)
        case AnymailError() | smtplib.SMTPNotSupportedError() | UnicodeError():
            return SendFailed(words, Refusal.EMAIL)
        case OSError():
            if isinstance(error, smtplib.SMTPException):
                return SendFailed(words, Refusal.LATER, broken=True)
            return TransportUnavailable(words)  # a full disk, a network that is away
    return SendFailed(words, Refusal.LATER, broken=True)


def classify(code: int, words: bytes | str, *, to_recipient: bool) -> Refusal:
    """The subject of this reply.

    to_recipient: it answered RCPT, when the server knew only the two addresses.
    """
    text = words.decode("utf-8", "replace") if isinstance(words, bytes) else words
    if not 500 <= code < 600:
        return Refusal.LATER
    status = _STATUS.match(text)
    if status is not None:
        is_mailbox = (int(status[1]), int(status[2])) in _NO_MAILBOX
        return Refusal.MAILBOX if is_mailbox else Refusal.EMAIL
    if to_recipient and code in _MAILBOX_CODES and not _ABOUT_US.search(text):
        return Refusal.PERHAPS_MAILBOX
    return Refusal.EMAIL


def words_of(error: Exception) -> str:
    """The error as one line for the operator."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        parts = [f"{code} {_text(words)}" for code, words in error.recipients.values()]
        return "recipient refused: " + "; ".join(parts)
    if isinstance(error, smtplib.SMTPResponseException):
        return f"{type(error).__name__}: {error.smtp_code} {_text(error.smtp_error)}"
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _text(words: bytes | str) -> str:
    return " ".join(_bytes(words).decode("utf-8", "replace").split())


def _bytes(words: bytes | str) -> bytes:
    return words if isinstance(words, bytes) else words.encode()


def names_mailbox(words: str) -> bool:
    """Whether a refusal without a status code speaks of the mailbox."""
    said = words.removeprefix("recipient refused: ")
    return _ABOUT_MAILBOX.search(without_addresses(said)) is not None


def without_addresses(words: str) -> str:
    """The words of a refusal without email addresses, for logs and for other people's eyes."""
    return _ADDRESS.sub("…", words)


def fingerprint(words: str, recipient: str) -> str:
    """The part that stays the same when the same refusal meets another recipient: the codes and the
    words, without addresses, hosts and identifiers."""
    domain = recipient.rpartition("@")[2].lower()
    text = without_addresses(words).lower().replace(domain, "")
    codes = re.findall(r"\b[45]\d\d\b|\b[45]\.\d{1,3}\.\d{1,3}\b", text)[:2]
    rest = re.findall(r"[^\W\d_]+", _VARYING.sub(" ", text))
    return " ".join([*codes, *rest])[:200]


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
