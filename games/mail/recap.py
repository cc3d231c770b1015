"""What happened since the reader's own last move, as lines to read.

Every event passes `engine.visible` for the reader's seat on its way; nothing else of it is used.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from django.db import connection

from games.log import table_events
from games.log.event_store import Entry, Log
from games.models import Game
from games.rules.engine import Event
from games.translate import say

MOST = 14  # lines; who was away for longer follows the link

_UNSAID = (table_events.Created, table_events.Joined, table_events.Left, table_events.Revealed)


class Line(msgspec.Struct, frozen=True):
    """One move, or one thing that happened to the table; seat: whose, for the mark before it."""

    text: str
    seat: int | None = None
    note: str = ""


class Recap(msgspec.Struct, frozen=True):
    """lines: the latest at the end. more: how many earlier ones were left out.

    first: the reader has not moved in this game yet. events: what the lines tell, as visible to
    the reader, for the marks on the board.
    """

    lines: tuple[Line, ...]
    more: int
    first: bool
    events: tuple[Event, ...]


def last_own(log: Log, seat: int, user_id: int | None) -> int | None:
    """The number of the last event of the last move this person made on this seat, if any."""
    for group in reversed(log.moves):
        move = log.engine.command_of(group[0].event)
        if move is not None and move[0] == seat and group[0].by == user_id:
            return group[-1].seq
    return None


def since_own_move(
    game: Game, log: Log, seat: int, user_id: int | None, names: Sequence[str]
) -> Recap:
    """The recap for the person `user_id` on `seat`, in the active language."""
    own = last_own(log, seat, user_id)
    start = own
    if start is None:
        setup = log.moves[0] if log.moves else ()
        start = setup[-1].seq if setup else 0
    notes = _notes(game, start)
    lines: list[Line] = []
    events: list[Event] = []
    for group in _groups(log, start):
        shown = [_shown(log, entry, seat) for entry in group]
        events += [event for event, entry in zip(shown, group, strict=True) if not entry.is_table]
        said = [_sentence(log, event, names) for event in shown]
        text = " ".join(sentence for sentence in said if sentence)
        if text:
            note = notes.get(group[0].seq, "")
            lines.append(Line(text, getattr(group[0].event, "seat", None), note))
    return Recap(
        lines=tuple(lines[-MOST:]),
        more=max(0, len(lines) - MOST),
        first=own is None,
        events=tuple(events),
    )


def _notes(game: Game, start: int) -> dict[int, str]:
    """The notes that came with moves after `start`."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT seq, text FROM games_tablenote WHERE game_id = %s AND seq > %s",
            [game.pk, start],
        )
        return dict(cursor.fetchall())


def _groups(log: Log, start: int) -> list[list[Entry]]:
    """Entries after `start` that count, a move in one group, a table event in a group of its own."""
    counted = {entry.seq for entry in log.effective}
    groups: list[list[Entry]] = []
    alone = True
    for entry in log.entries:
        if entry.seq <= start:
            continue
        if entry.is_table:
            groups.append([entry])
            alone = True
        elif entry.seq in counted:
            if alone or log.engine.command_of(entry.event) is not None:
                groups.append([])
            groups[-1].append(entry)
            alone = False
    return groups


def _shown(log: Log, entry: Entry, seat: int) -> Event:
    return entry.event if entry.is_table else log.engine.visible(entry.event, seat)


def _sentence(log: Log, event: Event, names: Sequence[str]) -> str:
    if isinstance(event, _UNSAID):
        return ""
    text = (
        table_events.sentence(event)
        if isinstance(event, table_events.Event)
        else log.engine.sentence(event)
    )
    return say(text, names) if text is not None else ""
