"""One event of a log, or one private order, decoded."""

from datetime import datetime

import msgspec

from games.log import table_events
from games.rules.contract import Event


class Entry(msgspec.Struct, frozen=True):
    """One event of a log, decoded, or one private order.

    by: the id of the user who caused it, if a user did. order: 0, or the number of a private order,
    which has no number in the log: its seq is that of the last event before it. digest: b"" where it
    has not been written yet. reason: what a moderator wrote about it, beside the log.
    """

    seq: int
    kind: str
    seat: int | None
    by: int | None
    at: datetime
    event: Event | table_events.Event
    order: int = 0
    digest: bytes = b""
    reason: str = ""

    @property
    def is_table(self) -> bool:
        """Whether it is an event of the table (`table_events`), not of its game."""
        return self.kind.startswith(table_events.PREFIX)
