"""The road to the mail server: one connection for many mails, and what its refusals mean.

Knows errors of SMTP, of anymail's providers and of folders; knows nothing of rows and games.
"""

from __future__ import annotations

import smtplib
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from anymail.exceptions import AnymailAPIError, AnymailInvalidAddress, AnymailRecipientsRefused
from django.core.mail import EmailMessage, get_connection

from .smtp_errors import no_such_mailbox

MAX_WORDS = 500  # characters of an error that are kept


class RoadClosed(Exception):
    """No mail can be sent now, whoever it is for: no connection, no sign-in."""


class Failed(Exception):
    """This mail was not sent. final: the other side will say the same each time. gone: of every
    mail to this address."""

    def __init__(self, words: str, *, final: bool = False, gone: bool = False) -> None:
        super().__init__(words[:MAX_WORDS])
        self.final, self.gone = final, gone


class Post:
    """Opened at the first mail, closed at the end of the `with`; opened anew when it broke.

    failures: conversations broken one after another, up to now.
    """

    def __init__(self) -> None:
        self.failures = 0
        self._connection: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._hang_up()

    def send(self, mail: EmailMessage) -> None:
        """Hand over one mail; Failed or RoadClosed where that did not succeed."""
        self._open()
        try:
            if not self._connection.send_messages([mail]):
                raise Failed("the backend did not take it", final=True)
        except (smtplib.SMTPException, OSError, AnymailAPIError, ValueError) as error:
            failure = explain(error)
            if not _answered(error):
                self.failures += 1
                self._hang_up()
            raise failure from error
        self.failures = 0

    def _open(self) -> None:
        if self._connection is not None:
            return
        fresh = get_connection()
        try:
            fresh.open()
        except Exception as error:
            raise RoadClosed(words_of(error)) from error
        self._connection = fresh

    def _hang_up(self) -> None:
        if self._connection is not None:
            with suppress(Exception):  # it may be broken already, that is why we hang up
                self._connection.close()
            self._connection = None


def explain(error: Exception) -> Failed:
    """The failure of one mail: 5xx to its recipient or its content is final, all else is not."""
    match error:
        case smtplib.SMTPRecipientsRefused(recipients=refused):
            said = refused.values()
            return Failed(
                words_of(error),
                final=all(500 <= code < 600 for code, _words in said),
                gone=all(no_such_mailbox(*one, to_recipient=True) for one in said),
            )
        case smtplib.SMTPDataError(smtp_code=code, smtp_error=words):
            gone = no_such_mailbox(code, words, to_recipient=False)
            return Failed(words_of(error), final=500 <= code < 600, gone=gone)
        case AnymailRecipientsRefused():
            # "rejected" may be a list of the provider's own; its webhook tells what that means.
            status = getattr(error.email_message, "anymail_status", None)
            gone = status is not None and status.status == {"invalid"}
            return Failed(words_of(error), final=True, gone=gone)
        case AnymailInvalidAddress():
            return Failed(words_of(error), final=True)
    return Failed(words_of(error))


def _answered(error: Exception) -> bool:
    """Whether the server refused this mail in good order and the connection can take the next."""
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
