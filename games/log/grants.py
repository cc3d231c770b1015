"""What the role of the service may do with the log: read it and add to it, never change it."""

from collections.abc import Iterator

from psycopg import sql

TABLES = ("games_gameevent", "games_gameorder")


def append_only(role: str) -> Iterator[sql.Composed]:
    """The statements that leave the role only SELECT and INSERT on the tables of the log."""
    for name in TABLES:
        table, to = sql.Identifier(name), sql.Identifier(role)
        yield sql.SQL("REVOKE ALL ON {} FROM {}, PUBLIC").format(table, to)
        yield sql.SQL("GRANT SELECT, INSERT ON {} TO {}").format(table, to)
