"""The time by PostgreSQL's clock, which decides what is due.

The processes of a service may run on several machines, and a machine's clock may be set. All of
them ask the one database, so a lease or a deadline means the same to each.
"""

import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from django.db import DatabaseError, connection
from django.utils import timezone

ANCHOR_SECONDS = 10.0  # after which PostgreSQL is asked again

_anchor: tuple[float, datetime] | None = None  # the same moment, by time.monotonic and PostgreSQL


def now() -> datetime:
    """The present time. Asks PostgreSQL rarely, and adds the time since then, which no step of this
    machine's clock changes. Without an answer ever, the time of this machine."""
    global _anchor
    anchor = _anchor
    if anchor is None or time.monotonic() - anchor[0] > ANCHOR_SECONDS:
        with suppress(DatabaseError):
            anchor = _anchor = (time.monotonic(), _ask())
    if anchor is None:
        return timezone.now()
    return anchor[1] + timedelta(seconds=time.monotonic() - anchor[0])


def _ask() -> datetime:
    # Past Django's cursor: a transaction that has failed must stay as it is.
    connection.ensure_connection()
    server = connection.connection
    with connection.wrap_database_errors, server.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        asked: datetime = cursor.fetchone()[0]
        return asked.astimezone(UTC)
