"""When the service has something to do next."""

import json
from datetime import datetime
from typing import NamedTuple

from django.db import connection

from games.mail.transport_state import Lane
from games.models import MailTransport

# The next deadline, the next that has not passed, the next reminder; emails that wait, by lane;
# when closed lanes are tried again.
_NEXT = """
    WITH open AS (
        SELECT due_at, overdue, remind_at FROM games_seat
        JOIN games_game ON games_game.id = game_id
        WHERE status = 'running' AND due_at IS NOT NULL
    )
    SELECT
        (SELECT min(due_at) FROM open WHERE NOT overdue),
        (SELECT min(due_at) FROM open WHERE NOT overdue AND due_at > %(now)s),
        (SELECT min(remind_at) FROM open),
        (SELECT min(next_try_at) FROM games_outboxmail WHERE state = 'queued' AND urgent),
        (SELECT min(next_try_at) FROM games_outboxmail WHERE state = 'queued' AND NOT urgent),
        (
            SELECT coalesce(jsonb_object_agg(name, retry_at), '{}') FROM games_mailtransport
            WHERE closed_at IS NOT NULL
        )
"""


class Due(NamedTuple):
    """works: the next deadline and reminder; while bulk email is closed, no deadline passes.
    emails: the next email of each lane, or when a closed lane is tried again."""

    works: list[datetime]
    emails: dict[Lane, datetime]
    is_closed: bool


def next_due(now: datetime) -> Due:
    """Return the next times at which something is due; some may be before now."""
    with connection.cursor() as cursor:
        cursor.execute(_NEXT, {"now": now})
        deadline, later, reminder, urgent, bulk, closed = cursor.fetchone()
    retries = {name: datetime.fromisoformat(at) for name, at in json.loads(closed).items()}
    emails = {
        lane: retries.get(MailTransport.ALL) or retries.get(lane.value) or at
        for lane, at in ((Lane.URGENT, urgent), (Lane.BULK, bulk))
        if at is not None
    }
    is_closed = bool(retries.keys() & {MailTransport.ALL, Lane.BULK.value})
    works = [at for at in (later if is_closed else deadline, reminder) if at is not None]
    return Due(works, emails, is_closed)
