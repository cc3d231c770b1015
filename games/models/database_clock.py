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
QUICK_SECONDS = 0.002  # an answer that took no longer gives the time well enough
MOST_TRIES = 5

_anchor: tuple[float, datetime] | None = None  # the same moment, by time.monotonic and PostgreSQL


def now() -> datetime:
    """The present time. Asks PostgreSQL rarely, and adds the time since then, which no step of this
    machine's clock changes. Without an answer ever, the time of this machine."""
    global _anchor
    anchor = _anchor
    if anchor is None or time.monotonic() - anchor[0] > ANCHOR_SECONDS:
        with suppress(DatabaseError):
            anchor = _anchor = _ask()
    if anchor is None:
        return timezone.now()
    return anchor[1] + timedelta(seconds=time.monotonic() - anchor[0])


def _ask() -> tuple[float, datetime]:
    """Return a moment by time.monotonic and by PostgreSQL.

    On a busy machine the answer can take long, and with it the two clocks would differ by that
    much: what one process stores as due now would not be due for another. So a slow answer is asked
    again.
    """
    # Past Django's cursor: a transaction that has failed must stay as it is.
    connection.ensure_connection()
    found = []
    with connection.wrap_database_errors, connection.connection.cursor() as cursor:
        for _try in range(MOST_TRIES):
            before = time.monotonic()
            cursor.execute("SELECT statement_timestamp()")
            asked: datetime = cursor.fetchone()[0]
            took = time.monotonic() - before
            found.append((took, before + took / 2, asked.astimezone(UTC)))
            if took < QUICK_SECONDS:
                break
    _took, moment, asked = min(found)
    return moment, asked
