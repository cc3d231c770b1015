"""The context of a line of the log: a request and its user, or a task of the worker."""

import logging
from collections.abc import Mapping
from contextvars import ContextVar

from django.core.exceptions import PermissionDenied

_NOTHING: Mapping[str, str] = {}
_context: ContextVar[Mapping[str, str]] = ContextVar("log_context", default=_NOTHING)


def begin(**names: str) -> None:
    """Let the following lines of this thread be about this request or task only."""
    _context.set(names)


def add(**names: str) -> None:
    """Say more about the same request or task."""
    _context.set({**_context.get(), **names})


def end(**_signal: object) -> None:
    """Clear the context; also receives Django's `request_finished`."""
    _context.set(_NOTHING)


class ContextFilter(logging.Filter):
    """Lets every record pass and gives it `context`, names and values for the formatter."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.context = _context.get()
        return True


class ShortRefusals(logging.Filter):
    """Leaves out the traceback of a refusal (403), which is no error."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and isinstance(record.exc_info[1], PermissionDenied):
            record.exc_info = None
        return True


class AsWarning(logging.Filter):
    """Turns errors into warnings without a traceback. For what strangers cause as often as they
    like, which is no error of ours, and must not fill the reports of errors."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.exc_info = None
        return True
