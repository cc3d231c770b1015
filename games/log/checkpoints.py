"""Checkpoints of verification: which ended games were in order, and their head digests.

Ended games do not change. A checkpoint covers a span of them, in the order in which they ended,
after all were verified; its digest covers the head of each and the checkpoint before. `changed`
compares checkpoints with the heads of today by one index lookup per game, without folding anything.
It finds a game that grew, shrank, vanished or has another last event; a changed event in the middle
of a log breaks the chain of that log, which only verifying the game itself finds.
"""

import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.db import connection

from games.models import LogCheckpoint

SPAN = 2000  # games of one checkpoint
FIRST = (datetime(1970, 1, 1, tzinfo=UTC), 0)  # before every game

_ENDED = (
    "SELECT g.id, g.public_id, g.ended_at, g.version, e.digest FROM games_game g"
    " LEFT JOIN games_gameevent e ON e.game_id = g.id AND e.seq = g.version"
    " WHERE g.ended_at IS NOT NULL AND (g.ended_at, g.id) > (%s, %s) AND g.ended_at < %s"
    " ORDER BY g.ended_at, g.id LIMIT %s"
)
_COVERED = (
    "SELECT g.id, g.public_id, g.ended_at, g.version, e.digest FROM games_game g"
    " LEFT JOIN games_gameevent e ON e.game_id = g.id AND e.seq = g.version"
    " WHERE g.ended_at IS NOT NULL AND (g.ended_at, g.id) > (%s, %s)"
    " AND (g.ended_at, g.id) <= (%s, %s) ORDER BY g.ended_at, g.id"
)


class EndedGame(NamedTuple):
    """An ended game; head: the digest of its last event, None if there is none."""

    pk: int
    public_id: str
    ended_at: datetime
    version: int
    head: bytes | None


def last() -> LogCheckpoint | None:
    """The newest checkpoint."""
    return LogCheckpoint.objects.order_by("-pk").first()


def next_span(after: LogCheckpoint | None, before: datetime) -> list[EndedGame]:
    """The games that ended after those of a checkpoint and before a moment, at most SPAN."""
    return _read(_ENDED, [*_end(after), before, SPAN])


def add(previous: LogCheckpoint | None, span: Sequence[EndedGame]) -> LogCheckpoint:
    """Record that these games, which follow those of `previous`, were verified and in order."""
    return LogCheckpoint.objects.create(
        ended_at=span[-1].ended_at,
        game_id=span[-1].pk,
        games=len(span),
        digest=_digest(previous, span),
    )


def changed() -> Iterator[tuple[LogCheckpoint, bool]]:
    """Each checkpoint in order, and whether the games that it covers are other ones than then.

    After one that is changed, the later ones are compared as if it were not, so that one fault does
    not hide the place of another.
    """
    previous: LogCheckpoint | None = None
    for checkpoint in LogCheckpoint.objects.order_by("pk").iterator(chunk_size=500):
        span = _read(_COVERED, [*_end(previous), *_end(checkpoint)])
        digest = _digest(previous, span)
        yield checkpoint, (len(span), digest) != (checkpoint.games, bytes(checkpoint.digest))
        previous = checkpoint


def _end(checkpoint: LogCheckpoint | None) -> tuple[datetime, int]:
    return (checkpoint.ended_at, checkpoint.game_id) if checkpoint else FIRST


def _read(statement: str, values: list[Any]) -> list[EndedGame]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [
            EndedGame(pk, public_id, ended_at, version, head and bytes(head))
            for pk, public_id, ended_at, version, head in cursor.fetchall()
        ]


def _digest(previous: LogCheckpoint | None, span: Sequence[EndedGame]) -> bytes:
    """SHA-256 over the digest before and a line for each game."""
    digest = hashlib.sha256(bytes(previous.digest) if previous else b"")
    for game in span:
        ended = game.ended_at.astimezone(UTC).isoformat()
        head = game.head.hex() if game.head else "-"
        digest.update(f"{game.public_id} {ended} {game.version} {head}\n".encode())
    return digest.digest()
