"""The page for errors that no code of ours made: 503 when the database, the broker or the disk
fails."""

import errno
import sys

import psycopg
from django.db import InterfaceError, InternalError, OperationalError
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.template.loader import render_to_string
from django.views import defaults
from kombu.exceptions import OperationalError as BrokerError

RETRY_AFTER = 10  # seconds
MAX_KEPT = 64 * 1024  # characters of a form
DISK_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE}
MAX_CHAIN = 10  # errors that were raised while handling one another
# PostgreSQL's codes of InternalError: a standby that only reads, a transaction that idled too long.
PASSING_CODES = {"25006", "25P03"}


def server_error(request: HttpRequest) -> HttpResponse:
    """`handler500`: called while the exception is being handled."""
    if not is_unavailable(sys.exc_info()[1]):
        return defaults.server_error(request)
    # No context processors and no session: those would ask the database again.
    page = render_to_string("503.html", {"path": request.get_full_path(), "fields": kept(request)})
    headers = {"Retry-After": str(RETRY_AFTER), "Cache-Control": "no-store"}
    return HttpResponse(page, status=503, headers=headers)


def is_unavailable(error: BaseException | None) -> bool:
    """Return whether the same request may well succeed later.

    An error that was raised while such a one was handled counts too: Django reports a connection
    that was lost inside of a transaction as an error of transaction management.
    """
    for _link in range(MAX_CHAIN):
        if error is None or _is_outage(error):
            break
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return error is not None and _is_outage(error)


def _is_outage(error: BaseException) -> bool:
    match error:
        case OperationalError() | InterfaceError() | BrokerError():
            return True
        case InternalError(__cause__=psycopg.InternalError(sqlstate=code)):
            # Without a code it comes from psycopg, which could not read the answer: pgbouncer adds
            # an error to the answer that it passes on while its server dies.
            return code is None or code in PASSING_CODES
        case OSError():
            return error.errno in DISK_ERRORS
    return False


def kept(request: HttpRequest) -> list[tuple[str, str]] | None:
    """Return the fields of the form that was sent, for a button that sends it again, or None."""
    try:
        if request.method != "POST" or request.FILES:
            return None
        fields = [(name, value) for name, values in request.POST.lists() for value in values]
    except (OSError, UnreadablePostError):
        return None
    if not fields or sum(len(name) + len(value) for name, value in fields) > MAX_KEPT:
        return None
    return fields
