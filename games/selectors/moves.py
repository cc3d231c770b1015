"""The log of a game in words, as one reader may read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext as _

from games.log import table_events
from games.log.game_log import Entry, Log, LogItem
from games.models import Game, TableNote
from games.rules.contract import AnyGame, Event
from games.translate import say

MOST_RECAP_LINES = 14  # a reader who was away for longer follows the link


@dataclass(frozen=True)
class LogLine:
    """A move with its consequences, or an event of the table, in words.

    first, last: numbers of its events; the position after it is that at `last`. fresh: after the
    reader's own last move. undone: by a rollback.
    """

    first: int
    last: int
    kind: str
    seat: int | None
    at: datetime
    sentences: tuple[str, ...]
    is_table: bool
    fresh: bool = False
    undone: bool = False
    note: str = ""

    @property
    def text(self) -> str:
        """All sentences as one paragraph."""
        return " ".join(self.sentences)


@dataclass(frozen=True)
class Recap:
    """What happened since the reader's last move, for an email.

    lines: the latest at the end. more: how many earlier ones were left out. first: the reader has
    not moved in this game yet. events: as visible to the reader, for the marks on the board.
    """

    lines: tuple[LogLine, ...]
    more: int
    first: bool
    events: tuple[Event, ...]


def since_last_move(log: Log, seat: int | None, user_id: int | None) -> tuple[LogItem, ...]:
    """What happened since this user's last move on this seat; () for a spectator."""
    return log.since_last_move(seat, user_id) if seat is not None else ()


def visible_events(
    log: Log, items: Sequence[LogItem], viewer: int | None, *, everything: bool = False
) -> tuple[Event, ...]:
    """The game's events among these, as `viewer` may see them. everything: the game is over."""
    return tuple(
        entry.event if everything else log.engine.rules.visible(entry.event, viewer)
        for item in items
        for entry in item.entries
        if not entry.is_table
    )


def notes_of(game: Game) -> dict[int, str]:
    """The notes of a game by the number of the move that they go with."""
    return dict(TableNote.objects.filter(game=game).values_list("seq", "text"))


def log_lines(
    log: Log,
    viewer: int | None,
    names: Sequence[str],
    *,
    user_id: int | None = None,
    notes: Mapping[int, str] | None = None,
    everything: bool = False,
) -> tuple[LogLine, ...]:
    """The log in words, in order, from the start of the game; moves that were undone included.

    user_id: the reader on `viewer`, whose last move decides what is fresh. everything: the game
    is over and nothing is secret any more.
    """
    begun = next(
        (
            number
            for number, item in enumerate(log.items)
            if isinstance(item.first.event, table_events.Started | table_events.Aborted)
        ),
        len(log.items),
    )
    fresh = {item.first.seq for item in since_last_move(log, viewer, user_id)}
    return tuple(
        replace(
            _line(log.engine, item, viewer, names, notes or {}, everything=everything),
            fresh=item.first.seq in fresh,
        )
        for item in log.items[begun:]
    )


def recap(log: Log, seat: int, user_id: int | None, names: Sequence[str], game: Game) -> Recap:
    """What happened since this user's last move on this seat, in the active language."""
    items = since_last_move(log, seat, user_id)
    notes = notes_of(game) if items else {}
    lines = [
        _line(log.engine, item, seat, names, notes)
        for item in items
        if not isinstance(item.first.event, table_events.Revealed)
    ]
    lines = [line for line in lines if line.sentences]
    return Recap(
        lines=tuple(lines[-MOST_RECAP_LINES:]),
        more=max(0, len(lines) - MOST_RECAP_LINES),
        first=log.last_move(seat, user_id) is None,
        events=visible_events(log, items, seat),
    )


def _line(
    engine: AnyGame,
    item: LogItem,
    viewer: int | None,
    names: Sequence[str],
    notes: Mapping[int, str],
    *,
    everything: bool = False,
) -> LogLine:
    said = (
        sentence_of(engine, entry, viewer, names, everything=everything) for entry in item.entries
    )
    return LogLine(
        first=item.first.seq,
        last=item.last_seq,
        kind=item.first.kind,
        seat=item.first.seat,
        at=item.first.at,
        sentences=tuple(sentence for sentence in said if sentence),
        is_table=item.first.is_table,
        undone=item.undone,
        note=notes.get(item.first.seq, ""),
    )


def sentence_of(
    engine: AnyGame,
    entry: Entry,
    viewer: int | None,
    names: Sequence[str],
    *,
    everything: bool = False,
) -> str | None:
    """One event in words as `viewer` may read it; None where there is nothing to say."""
    if isinstance(entry.event, table_events.Event):
        text = table_events.sentence(entry.event)
    else:
        text = engine.presentation.sentence(
            entry.event if everything else engine.rules.visible(entry.event, viewer)
        )
    return say(text, names) if text is not None else None


def names_then(log: Log, entry: Entry, names: Sequence[str]) -> Sequence[str]:
    """The names of the seats as they were numbered at this event.

    Until the start, seats are renumbered whenever a player joins or leaves. A player who left is
    named by the number of the seat.
    """
    seats: list[int] = []  # each by the event that filled it
    then: list[int] | None = None
    for event in (other for other in log.entries if other.is_table):
        match event.event:
            case table_events.Joined(seat=seat):
                seats.insert(seat, event.seq)
            case table_events.Left(seat=seat):
                then = list(seats) if event.seq == entry.seq else then
                seats.pop(seat)
        if event.seq == entry.seq and then is None:
            then = list(seats)
    if not isinstance(entry.event, table_events.Joined | table_events.Left) or then is None:
        return names
    now = dict(zip(seats, names, strict=False))
    return [
        now.get(seat, _("Seat %(number)s") % {"number": number})
        for number, seat in enumerate(then, 1)
    ]
