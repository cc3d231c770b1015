"""The log of a game in words, as one reader may read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from games.log import table_events
from games.log.event_store import Entry, Log
from games.rules.engine import Engine
from games.translate import say


@dataclass(frozen=True)
class Moment:
    """One move with its consequences, or one event of the table's life, in words.

    first, last: numbers of its events; the position after it is that at `last`. fresh: since the
    reader's last own move. undone: by a rollback.
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


def since_last_move(log: Log, seat: int | None) -> tuple[Entry, ...]:
    """What happened after this seat's own last move, table life included; before its first move
    everything since the start, and nothing for those who only watch."""
    if seat is None:
        return ()
    own = [entry.seq for move in log.moves if _mover(log, move) == seat for entry in move]
    start = next(
        (e.seq for e in log.entries if isinstance(e.event, table_events.Started)), log.version
    )
    after = own[-1] if own else start
    counts = {entry.seq for entry in log.effective}
    return tuple(
        entry
        for entry in log.entries
        if entry.seq > after and (entry.is_table or entry.seq in counts)
    )


def _mover(log: Log, move: Sequence[Entry]) -> int | None:
    made = log.engine.command_of(move[0].event)
    return made[0] if made is not None else None


def moments(
    log: Log,
    viewer: int | None,
    names: Sequence[str],
    *,
    notes: dict[int, str] | None = None,
    everything: bool = False,
) -> tuple[Moment, ...]:
    """The log in words, in order, from the start of the game; moves that were undone included.

    everything: nothing is secret any more.
    """
    effective = {entry.seq for entry in log.effective}
    fresh = {entry.seq for entry in since_last_move(log, viewer)}
    return tuple(
        Moment(
            first=group[0].seq,
            last=group[-1].seq,
            kind=group[0].kind,
            seat=group[0].seat,
            at=group[0].at,
            sentences=tuple(_sentences(log.engine, group, viewer, names, everything)),
            is_table=group[0].is_table,
            fresh=group[0].seq in fresh,
            undone=not group[0].is_table and group[0].seq not in effective,
            note=(notes or {}).get(group[0].seq, ""),
        )
        for group in _groups(log)
    )


def _groups(log: Log) -> Iterator[list[Entry]]:
    """Entries from table.started on, each move with its consequences together."""
    group: list[Entry] = []
    begun = False
    for entry in log.entries:
        begun = begun or isinstance(entry.event, table_events.Started | table_events.Aborted)
        if not begun:
            continue
        consequence = (
            group
            and not entry.is_table
            and not group[0].is_table
            and log.engine.command_of(entry.event) is None
        )
        if not consequence and group:
            yield group
            group = []
        group.append(entry)
    if group:
        yield group


def _sentences(
    engine: Engine,
    group: Sequence[Entry],
    viewer: int | None,
    names: Sequence[str],
    everything: bool,
) -> Iterator[str]:
    for entry in group:
        sentence = sentence_of(engine, entry, viewer, names, everything=everything)
        if sentence is not None:
            yield sentence


def sentence_of(
    engine: Engine,
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
        seen = entry.event if everything else engine.visible(entry.event, viewer)
        text = engine.sentence(seen)
    return say(text, names) if text is not None else None


def names_then(log: Log, entry: Entry, names: Sequence[str]) -> Sequence[str]:
    """The names of the seats as they were numbered at this event: until the start, chairs move up
    and down with every one that comes or goes. One that went is told by its number."""
    chairs: list[int] = []  # each by the event that brought it
    then: list[int] | None = None
    for event in (other for other in log.entries if other.is_table):
        match event.event:
            case table_events.Joined(seat=seat):
                chairs.insert(seat, event.seq)
            case table_events.Left(seat=seat):
                then = list(chairs) if event.seq == entry.seq else then
                chairs.pop(seat)
        if event.seq == entry.seq and then is None:
            then = list(chairs)
    if not isinstance(entry.event, table_events.Joined | table_events.Left) or then is None:
        return names
    now = dict(zip(chairs, names, strict=False))
    return [
        now.get(chair, _("Seat %(number)s") % {"number": number})
        for number, chair in enumerate(then, 1)
    ]
