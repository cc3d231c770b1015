"""Hand emails to the mail server over one connection, and classify its errors.

Knows the errors of SMTP, of anymail's providers and of folders, but no rows and no games.
"""

import smtplib
from contextlib import suppress
from typing import Any

from anymail.exceptions import AnymailAPIError, AnymailInvalidAddress, AnymailRecipientsRefused
from django.core.mail import EmailMessage, get_connection

from .smtp_errors import no_such_mailbox

MAX_WORDS = 500  # characters of an error that are kept


class TransportUnavailable(Exception):
    """No email can be sent now, to anybody: no connection, or the login failed."""


class SendFailed(Exception):
    """One email was not sent. final: another try would fail too. undeliverable: so would every
    other email to this address."""

    def __init__(self, words: str, *, final: bool = False, undeliverable: bool = False) -> None:
        super().__init__(words[:MAX_WORDS])
        self.final, self.undeliverable = final, undeliverable


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
            if not self._connection.send_messages([mail]):
                raise SendFailed("the backend did not take it", final=True)
        except (smtplib.SMTPException, OSError, AnymailAPIError, ValueError) as error:
            failure = explain(error)
            if not _answered(error):
                self.failures += 1
                self.close()
            raise failure from error
        self.failures = 0

    def _open(self) -> None:
        if self._connection is not None:
            return
        opened = get_connection()
        try:
            opened.open()
        except Exception as error:
            raise TransportUnavailable(words_of(error)) from error
        self._connection = opened

    def close(self) -> None:
        """Close the connection, if one is open."""
        if self._connection is not None:
            with suppress(Exception):  # it may be broken already
                self._connection.close()
            self._connection = None


def explain(error: Exception) -> SendFailed:
    """The failure of one email: 5xx to its recipient or its content is final, all else is not."""
    match error:
        case smtplib.SMTPRecipientsRefused(recipients=refused):
            said = refused.values()
            return SendFailed(
                words_of(error),
                final=all(500 <= code < 600 for code, _words in said),
                undeliverable=all(no_such_mailbox(*one, to_recipient=True) for one in said),
            )
        case smtplib.SMTPDataError(smtp_code=code, smtp_error=words):
            gone = no_such_mailbox(code, words, to_recipient=False)
            return SendFailed(words_of(error), final=500 <= code < 600, undeliverable=gone)
        case AnymailRecipientsRefused():
            # "rejected" may be the provider's own list; its webhook reports what that means.
            status = getattr(error.email_message, "anymail_status", None)
            gone = status is not None and status.status == {"invalid"}
            return SendFailed(words_of(error), final=True, undeliverable=gone)
        case AnymailInvalidAddress():
            return SendFailed(words_of(error), final=True)
    return SendFailed(words_of(error))


def _answered(error: Exception) -> bool:
    """Whether the server refused this email properly and the connection can take the next."""
    match error:
        case smtplib.SMTPRecipientsRefused(recipients=refused):
            return all(code != 421 for code, _words in refused.values())
        case smtplib.SMTPDataError(smtp_code=code):
            return code != 421
        case AnymailRecipientsRefused() | AnymailInvalidAddress():
            return True
    return False


def words_of(error: Exception) -> str:
    """The error as one line for the operator."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        parts = [f"{code} {_text(words)}" for code, words in error.recipients.values()]
        return "recipient refused: " + "; ".join(parts)
    if isinstance(error, smtplib.SMTPResponseException):
        return f"{type(error).__name__}: {error.smtp_code} {_text(error.smtp_error)}"
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _text(words: bytes | str) -> str:
    plain = words.decode("utf-8", "replace") if isinstance(words, bytes) else words
    return " ".join(plain.split())
