"""A time limit on every answer of PostgreSQL, for the role of the service.

The server ends statements that take too long (see atlantis_site/role_settings.py), but a server
that is stopped, or that a network has lost, ends nothing. Its client must not wait for ever either.
"""

import time
from typing import Any

import psycopg
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper


def limit_waits(connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    """Let a new connection raise OperationalError, and close itself, when an answer takes too long.

    The owner of the tables, who migrates, has no limit. A receiver of `connection_created`.
    """
    if connection.settings_dict["USER"] != settings.DATABASE_APP_ROLE:
        return
    session: psycopg.Connection[Any] = connection.connection
    wait = session.wait
    limit: float = settings.DATABASE_ANSWER_SECONDS

    def wait_with_limit(generator: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        if timeout is not None:
            return wait(generator, interval, timeout)
        begin = time.monotonic()
        try:
            return wait(generator, interval, limit)
        except psycopg.OperationalError:
            if time.monotonic() - begin >= limit:
                session.pgconn.finish()  # nobody knows what it would still say
            raise

    session.wait = wait_with_limit  # type: ignore[assignment, method-assign]  # psycopg has no option
