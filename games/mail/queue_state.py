"""The outbox in a few figures, for the health check: one statement, however many emails wait."""

from datetime import datetime
from typing import NamedTuple

from games.log import pipeline

MOST_COUNTED = 1000


class QueueState(NamedTuple):
    """When the first email of each lane that is due became due; whether leases ended before
    `lost_before` and nobody took the emails over; how many emails are parked, and how many died
    since `dead_after`, each at most MOST_COUNTED."""

    urgent_since: datetime | None
    bulk_since: datetime | None
    is_lost: bool
    parked: int
    dead: int


def read_queue(now: datetime, *, lost_before: datetime, dead_after: datetime) -> QueueState:
    """The outbox as it is at `now`."""
    values = [now, now, lost_before, MOST_COUNTED, dead_after, MOST_COUNTED]
    (((*found,),),) = pipeline.execute([(_SELECT, values)])
    return QueueState(*found)


# An email that was held until the morning has been due since the morning. Each part finds its rows
# by an index of its own.
_FIRST = """
    SELECT greatest(next_try_at, created_at) FROM games_outboxmail
    WHERE state = 'queued' AND {lane} AND next_try_at <= %s ORDER BY next_try_at, id LIMIT 1
"""
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM games_outboxmail WHERE {which} LIMIT %s) AS found"
_SELECT = f"""
    SELECT ({_FIRST.format(lane="urgent")}), ({_FIRST.format(lane="NOT urgent")}),
        EXISTS (SELECT 1 FROM games_outboxmail WHERE state = 'sending' AND lease_until < %s),
        ({_COUNT.format(which="state = 'parked' AND carrier_id IS NULL")}),
        ({_COUNT.format(which="state = 'dead' AND created_at > %s")})
"""  # noqa: S608 (put together from constants)
