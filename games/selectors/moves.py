"""The log of a game in words, as one reader may read it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile

from django.utils.translation import gettext as _

from games.log import table_events
from games.log.entry import Entry
from games.log.game_log import Log, LogItem
from games.rules import table_text
from games.rules.contract import AnyGame, Event
from games.rules.text import Text
from games.translate import join_clauses, say

from .seat_names import SeatNames

SEAT_CHANGES = (
    table_events.Resigned,
    table_events.SeatHanded,
    table_events.TakenOver,
    table_events.TakenBack,
    table_events.Replaced,
)
# Named in these are a player who has left, and the number of a move.
NEEDS_LOG = (table_events.Resigned, table_events.TakenOver, table_events.RolledBack)
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
    """The events since the reader's last move, for an email.

    losses: what they took from the reader, the worst first; the first lines of the news. lines:
    what happened, the latest moves and table events in order, and any earlier one that the reader
    must know of; what says no more than a number is one line. more: how many were left out. first:
    the reader has not moved in this game yet. begins: moreover, they play since its start. events:
    as visible to the reader, for the marks on the board.
    """

    losses: tuple[str, ...]
    lines: tuple[LogLine, ...]
    more: int
    first: bool
    begins: bool
    events: tuple[Event, ...]


def since_last_move(log: Log, seat: int | None, user_id: int | None) -> tuple[LogItem, ...]:
    """The events since this user's last move on this seat; () for a spectator."""
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


def items_begun(log: Log) -> tuple[LogItem, ...]:
    """The log from the start of the game, in order; moves that were undone included."""
    begun = next(
        (
            number
            for number, item in enumerate(log.items)
            if isinstance(item.first.event, table_events.Started | table_events.Aborted)
        ),
        len(log.items),
    )
    return tuple(log.items[begun:])


def line_writer(
    log: Log,
    viewer: int | None,
    names: SeatNames,
    *,
    user_id: int | None = None,
    notes: Mapping[int, str] | None = None,
    everything: bool = False,
) -> Callable[[LogItem], LogLine]:
    """A function that puts an item of the log into words, in the language that is active then.

    user_id: the reader on `viewer`, whose last move decides what is fresh. everything: the game
    is over and nothing is secret any more.
    """
    fresh = {item.first.seq for item in since_last_move(log, viewer, user_id)}

    def write(item: LogItem) -> LogLine:
        line = _line(log, item, viewer, user_id, names, notes or {}, everything=everything)
        return replace(line, fresh=item.first.seq in fresh)

    return write


def recap(log: Log, seat: int, user_id: int | None, names: SeatNames) -> Recap:
    """The events since this user's last move on this seat, in the active language."""
    items = since_last_move(log, seat, user_id)
    own = log.last_move(seat, user_id)
    begins = own is None and log.seating.now[seat].since <= _start(log)
    events = visible_events(log, items, seat)
    view = log.engine.rules.view(log.state, seat)
    # The losses of somebody else who had the seat before are not the reader's.
    losses = log.engine.presentation.losses(view, events) if own or begins else ()
    told = [
        item
        for item in (*_untold_before(log, own), *items)
        if not isinstance(item.first.event, table_events.Revealed)
    ]
    counted = [item for item in told if _is_counted(log, item, seat)]
    lines: list[LogLine] = []
    for item in told:
        if item not in counted:
            lines.append(_line(log, item, seat, user_id, names, {}))
        elif item is counted[0]:
            lines.append(_count(log, counted, seat, names))
    lines = [line for line in lines if line.sentences]
    lost = {seq for seq in log.undone_orders if undone_orders_sentence(log, seq, seat, user_id)}
    # What the table did takes no move's place, and the latest come before earlier ones.
    latest = sorted(lines, key=lambda line: (line.is_table, -line.last))[:MOST_RECAP_LINES]
    shown = [line for line in lines if line in latest or line.first in lost]
    return Recap(
        losses=tuple(say(text) for text in losses),
        lines=tuple(shown),
        more=len(lines) - len(shown),
        first=own is None,
        begins=begins,
        events=events,
    )


def _is_counted(log: Log, item: LogItem, seat: int) -> bool:
    """Return whether a number says enough of all that the reader would read of this item."""
    if item.first.is_table:
        return False
    show = log.engine.presentation
    events = visible_events(log, [item], seat)
    said = [event for event in events if show.sentence(event) is not None]
    return bool(said) and all(show.counted(event, 1) is not None for event in said)


def _count(log: Log, items: Sequence[LogItem], viewer: int, names: SeatNames) -> LogLine:
    """Summarize several moves in one line: how much of each kind each player did."""
    alike: dict[tuple[int | None, str], list[Entry]] = {}
    for entry in (entry for item in items for entry in item.entries):
        alike.setdefault((entry.seat, entry.kind), []).append(entry)
    visible, show = log.engine.rules.visible, log.engine.presentation
    found = [
        (show.counted(visible(entries[-1].event, viewer), len(entries)), entries[-1])
        for entries in alike.values()
    ]
    line = _line(log, items[-1], viewer, None, names, {})
    return replace(
        line,
        first=items[0].first.seq,
        seat=items[0].seat if len(alike) == 1 else None,
        sentences=tuple(
            say(text, names.for_sentence(by)) for text, by in found if text is not None
        ),
    )


def _untold_before(log: Log, own: LogItem | None) -> list[LogItem]:
    """Return the changes of seats, and the votes that did not pass, while the player was asked for
    this move: the email that asked for it was written before."""
    if own is None:
        return []
    earlier = (item for item in reversed(log.items) if item.first.seq < own.first.seq)
    of_table = takewhile(lambda item: item.first.is_table, earlier)
    changes = [
        item
        for item in of_table
        if (item.seat != own.seat and isinstance(item.first.event, SEAT_CHANGES))
        or _is_lost_vote(log, item.first, own)
    ]
    return changes[::-1]


def _is_lost_vote(log: Log, entry: Entry, own: LogItem) -> bool:
    """Return whether a vote of somebody else ended there without a change at the table, and not by
    the player of this move."""
    event = entry.event
    if not isinstance(event, table_events.VoteSettled) or event.outcome == "passed":
        return False
    before = (earlier.event for earlier in reversed(log.entries[: entry.seq]))
    asked = next(event for event in before if isinstance(event, table_events.VoteOpened))
    return asked.seat != own.seat and entry.by != own.first.by


def _start(log: Log) -> int:
    """The number of the event with which the game started; 0 before that."""
    return next((e.seq for e in log.entries if isinstance(e.event, table_events.Started)), 0)


def _line(
    log: Log,
    item: LogItem,
    viewer: int | None,
    user_id: int | None,
    names: SeatNames,
    notes: Mapping[int, str],
    *,
    everything: bool = False,
) -> LogLine:
    said = sentences_of(log, item.entries, viewer, names, everything=everything)
    said.append(undone_orders_sentence(log, item.first.seq, viewer, user_id))
    said.append(former_orders_sentence(log, item, viewer, user_id))
    left = [order for order in log.orders if item.first.seq <= order.seq <= item.last_seq]
    for order in left if everything else ():
        said.append(sentence_of(log, order, viewer, names, everything=True) or "")
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


def undone_orders_sentence(log: Log, seq: int, seat: int | None, user_id: int | None) -> str:
    """Return a sentence if the rollback `seq` also undid this user's orders in advance on this
    seat; else "". Nobody else may read it."""
    if not any(
        order.seat == seat and order.by == user_id for order in log.undone_orders.get(seq, ())
    ):
        return ""
    return _(
        "What you had entered in advance since then was undone as well. Enter it again if you still "
        "want it."
    )


def former_orders_sentence(log: Log, item: LogItem, seat: int | None, user_id: int | None) -> str:
    """Return which orders this user, or the player before them, had left on this seat, in the item
    with which this user got it: they do not count any more. "" without any. Nobody else may read
    it."""
    if seat is None or user_id is None or not log.orders:
        return ""
    holder = log.seating.now[seat]
    if holder.user != user_id or not item.first.seq <= holder.since <= item.last_seq:
        return ""
    before, engine = log.until(holder.since - 1), log.engine
    view = engine.rules.view(before.state, seat)
    lines = [
        engine.notation.localised(engine.notation.describe(order, view), say)
        for order, _withdrawn in engine.rules.standing_orders(before.state, seat)
    ]
    if not lines:
        return ""
    orders = {"orders": join_clauses(lines)}
    if before.ordered_by(seat) == user_id:
        return (
            _(
                "What you had entered in advance does not count any more: %(orders)s. Enter it again "
                "if you want it."
            )
            % orders
        )
    return (
        _(
            "What the player before you had entered in advance does not count any more: %(orders)s. "
            "Enter it again if you want it."
        )
        % orders
    )


def lapsed_orders_sentence(log: Log, seq: int, seat: int, user_id: int) -> str:
    """Return a sentence if this user's orders in advance on this seat counted until event `seq`,
    with which the seat changed hands or the game ended; else "". Nobody else may read it."""
    before = log.until(seq - 1)
    if before.ordered_by(seat) != user_id:
        return ""
    if not log.engine.rules.standing_orders(before.state, seat):
        return ""
    if log.projection.status in ("finished", "aborted"):
        return _(
            "What you had entered in advance is no longer needed. Everyone can read it now, with the "
            "rest of the game."
        )
    return _("What you had entered in advance does not count any more.")


def unfit_orders_sentence(log: Log, seat: int | None) -> str:
    """Return why the orders of this seat do not answer what it is asked now; "" for none that
    should. Nobody else may read it."""
    if not (reasons := unfit_lines(log, seat)):
        return ""
    return _("Your plan did not fit. %(reasons)s") % {"reasons": " ".join(reasons)}


def unfit_lines(log: Log, seat: int | None) -> list[str]:
    """Return why lines of the plan of this seat do not fit its turn, up to the first that does."""
    if seat is None or not log.orders:
        return []
    view = log.engine.rules.view(log.state, seat)
    return [say(reason) for reason in log.engine.presentation.unfit_orders(view)]


def lost_orders(log: Log, seat: int | None, user_id: int | None) -> LogItem | None:
    """The rollback that undid what this user had left in advance on this seat; None once they have
    moved or left another order since."""
    if seat is None or not log.undone_orders:
        return None
    newest = max((order.order for order in log.orders if order.seat == seat), default=0)
    for item in since_last_move(log, seat, user_id):
        undone = log.undone_orders.get(item.first.seq, ())
        if any((order.order, order.by) == (newest, user_id) for order in undone):
            return item
    return None


def sentences_of(
    log: Log,
    entries: Sequence[Entry],
    viewer: int | None,
    names: SeatNames,
    *,
    everything: bool = False,
) -> list[str]:
    """The events of one item of the log in words as `viewer` may read them, one after the other."""
    if entries[0].is_table:
        found = (sentence_of(log, entry, viewer, names) for entry in entries)
        return [sentence for sentence in found if sentence]
    visible, events = log.engine.rules.visible, [entry.event for entry in entries]
    if not everything:
        events = [visible(event, viewer) for event in events]
    texts = log.engine.presentation.sentences(events)
    return [
        say(text, names.for_sentence(entry))
        for text, entry in zip(texts, entries, strict=True)
        if text is not None
    ]


def sentence_of(
    log: Log,
    entry: Entry,
    viewer: int | None,
    names: SeatNames,
    *,
    everything: bool = False,
) -> str | None:
    """One event in words as `viewer` may read it; None where there is nothing to say."""
    text = text_of(log.engine, entry, viewer, log, everything=everything)
    return say(text, names.for_sentence(entry)) if text is not None else None


def text_of(
    engine: AnyGame,
    entry: Entry,
    viewer: int | None,
    log: Log | None,
    *,
    everything: bool = False,
) -> Text | None:
    """One event as `viewer` may read it; None where there is nothing to say. log: not needed for
    events that are not among NEEDS_LOG."""
    event = entry.event
    if isinstance(event, table_events.RolledBack):
        assert log is not None, "it tells the number of the move"
        return table_text.sentence(event, move=log.move_number(event.to_seq), reason=entry.reason)
    if isinstance(event, table_events.Event):
        return table_text.sentence(event, move=0, reason=entry.reason)
    return engine.presentation.sentence(
        event if everything else engine.rules.visible(event, viewer)
    )


def ending_sentence(log: Log, names: SeatNames) -> str:
    """Why a game ended that was not played to its end; "" for other games."""
    for entry in reversed(log.entries):
        if isinstance(entry.event, table_events.Aborted | table_events.Resigned):
            return sentence_of(log, entry, None, names) or ""
        if not entry.is_table:
            break
    return ""
