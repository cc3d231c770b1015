"""Time limits of the database role of the service: how long PostgreSQL works or waits for it.

They belong to the role, not to a connection, so that they hold behind pgbouncer as well, and so
that the owner, who migrates, and backups are not cut off.
"""

ROLE_SETTINGS = {
    "statement_timeout": "20s",
    # A player who waits longer for a game's lock has given up.
    "lock_timeout": "10s",
    # A process that was stopped in the middle of a transaction keeps its locks for this long.
    "idle_in_transaction_session_timeout": "30s",
}

# How long the service waits for any answer of PostgreSQL: the server's own limits come first, and
# gunicorn's patience with a worker, 30 seconds, last.
ANSWER_SECONDS = 25.0
