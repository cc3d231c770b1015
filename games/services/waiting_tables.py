"""Tables that wait for players: their hosts hear about it, and after some weeks they are closed."""

from datetime import datetime

from games.log import table_events
from games.log.pipeline import Statement
from games.mail import queue
from games.models import CLOSES_AFTER, WAITS_FOR, Game, Seat

from .locked_game import LockedGame
from .sweeps import PART, Sweep

_QUIET = """
    SELECT id FROM games_game AS game
    WHERE status = 'gathering' AND created_at <= %s AND last_event_at <= %s AND id <> ALL(%s)
"""
_CLOSING = f"{_QUIET} ORDER BY created_at LIMIT %s FOR NO KEY UPDATE SKIP LOCKED"
# Once for each version of the game, and not while other news of the table wait.
_UNREPORTED = f"""
    {_QUIET}
    AND EXISTS (
        SELECT FROM games_user
        WHERE games_user.id = host_id AND coalesce(suspended_until <= %s, true)
    )
    AND NOT EXISTS (
        SELECT FROM games_invitation AS sent WHERE sent.game_id = game.id AND created_at > %s
    )
    AND NOT EXISTS (
        SELECT FROM games_outboxmail AS mail WHERE mail.game_id = game.id AND kind = 'table'
        AND (state = 'queued' OR seq = version AND context->>'about' = 'waiting')
    )
    ORDER BY created_at LIMIT %s FOR NO KEY UPDATE SKIP LOCKED
"""  # noqa: S608 (put together from constants)


def waiting_tables_check(*, now: datetime, sweep: Sweep | None = None) -> int:
    """Close the tables at which nothing has happened for CLOSES_AFTER, and tell the hosts of those
    where nobody has come for WAITS_FOR; return the number of both."""
    sweep = sweep or Sweep()

    def closing(faults: list[int]) -> Statement:
        since = now - CLOSES_AFTER
        return _CLOSING, [since, since, faults, PART]

    def unreported(faults: list[int]) -> Statement:
        since = now - WAITS_FOR
        return _UNREPORTED, [since, since, faults, now, since, PART]

    closed = sweep.drain(closing, lambda pk: _close(pk, now))
    return closed + sweep.drain(unreported, _report)


def _close(pk: int, now: datetime) -> int:
    LockedGame(pk, now=now).write(table_events.Aborted(code="waited"))
    return 1


def _report(pk: int) -> int:
    seats = Seat.objects.filter(game=pk).select_related("user")
    queue.table_news(Game.objects.select_related("host").get(pk=pk), seats, "waiting")
    return 1
