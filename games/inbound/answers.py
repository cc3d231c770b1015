"""What is said to a reply, as outbox rows: words now, in the player's language; the board later.

Each answer goes to the player's own address and knows the Message-ID of the mail it answers. The
templates are reply_…; see games.mail.reply_content.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games.log import event_store
from games.mail import queue
from games.mail import reply_content as letters
from games.models import InboundMail
from games.services import Played


def _answer(row: InboundMail, what: str, *, seq: int | None = None, **words: Any) -> None:
    assert row.game is not None and row.seat is not None and row.user is not None
    if seq is None:
        seq = event_store.load(row.game).version
    about = f"{row.pk}c" if row.confirmed_at else str(row.pk)
    row.answer_id = queue.answer(
        row.game,
        row.seat,
        row.user,
        seq=seq,
        about=about,
        context={"what": what, "message_id": row.message_id, **words},
    )


def played(row: InboundMail, done: Played) -> None:
    """The move was made: what it did, the board, the new hand, whose turn it is."""
    first = done.version - len(done.events) + 1
    assert row.game is not None
    log = event_store.load(row.game)
    # The end of a game reveals its seed in one more event.
    if log.table.seed is not None and done.version == log.version:
        first -= 1
    _answer(row, letters.PLAYED, seq=done.version, first=first, repeated=done.repeated)


def unclear(
    row: InboundMail, reason: str, *, lines: Sequence[str] = (), form: bool = False
) -> None:
    """Not understood or not allowed: the line, the reason, how it is written. form: and a link."""
    _answer(
        row,
        letters.UNCLEAR,
        line=row.line[:200],
        reason=reason,
        lines=list(lines),
        why="form" if form else "",
    )


def shown(row: InboundMail, topic: str, lines: Sequence[str] = ()) -> None:
    """Something to look at."""
    _answer(row, letters.SHOWN, topic=topic, lines=list(lines), board=topic in ("board", "legal"))


def confirm(row: InboundMail) -> None:
    """Nothing is done; a link leads to what would be."""
    _answer(row, letters.CONFIRM, why=row.authentic, inbound=row.pk)


def ask_to_resign(row: InboundMail) -> None:
    """Once more, please."""
    _answer(row, letters.RESIGN)


def told(row: InboundMail, topic: str, *, board: bool = True) -> None:
    """One sentence, and the board where it helps."""
    _answer(row, letters.TOLD, topic=topic, board=board)


def listed(row: InboundMail) -> None:
    """The games that wait, each with its own address; about no single game."""
    assert row.user is not None
    row.answer_id = queue.answer(
        None, None, row.user, seq=0, about=str(row.pk), context={"message_id": row.message_id}
    )
