"""Several SQL statements in one round trip, by psycopg's pipeline mode.

Each statement still sees what is committed when it runs, so rows that are read after a lock are
the rows that the lock protects. Works through pgbouncer in transaction mode.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper

# SQL with %s or %(name)s placeholders, and their values
Statement = tuple[str, Sequence[Any] | Mapping[str, Any]]
Row = tuple[Any, ...]


def execute(statements: Sequence[Statement]) -> list[list[Row]]:
    """Run the statements in one round trip; the rows of each, [] for one that returns none.

    If one fails, its error is raised as Django's and the transaction can only be rolled back.
    """
    if not statements:
        return []
    if len(statements) == 1:  # without a pipeline it takes half of the time
        with connection.cursor() as cursor:
            cursor.execute(*statements[0])
            return [cursor.fetchall() if _has_rows(cursor) else []]
    connection.validate_no_broken_transaction()
    started = time.monotonic()
    with connection.wrap_database_errors, connection.cursor() as cursor:
        server = cursor.connection
        cursors = [server.cursor() for _statement in statements]
        with server.pipeline():
            for each, (sql, values) in zip(cursors, statements, strict=True):
                each.execute(sql, values)
        rows = [each.fetchall() if _has_rows(each) else [] for each in cursors]
    if connection.queries_logged:  # one round trip is one query for tests that count them
        sql = ";\n".join(sql for sql, _values in statements)
        connection.queries_log.append({"sql": sql, "time": f"{time.monotonic() - started:.3f}"})
    return rows


def _has_rows(cursor: psycopg.Cursor[Any] | CursorWrapper) -> bool:
    """Return whether its statement returned rows, if only none. `cursor.description` would say so
    as well, but makes an object for each column."""
    return cursor.pgresult is not None and cursor.pgresult.nfields > 0
