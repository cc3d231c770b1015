"""One event of a log, decoded."""

from __future__ import annotations

from datetime import datetime

import msgspec

from games.log import table_events
from games.rules.contract import Event


class Entry(msgspec.Struct, frozen=True):
    """One event of a log, decoded. by: the id of the user who caused it, if a user did."""

    seq: int
    kind: str
    seat: int | None
    by: int | None
    at: datetime
    event: Event | table_events.Event

    @property
    def is_table(self) -> bool:
        """Whether it is an event of the table (`table_events`), not of its game."""
        return self.kind.startswith(table_events.PREFIX)
