"""Checks of a record that need no rules of the game, for `replay`: the lines and their digests, and
the events of the table, each of which must be able to happen where it stands.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import msgspec

from . import chain, table_events
from .chance import reveals
from .records import Header, Numbered, RecordFault, digest_of, shortened

_TIME = re.compile(
    r"\d{4}-\d\d-\d\dT([01]\d|2[0-3]):\d\d:\d\d(\.\d{1,6})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)
_HEAD = re.compile(r"(?:(\d{1,9}):)?([0-9a-f]{10}|[0-9a-f]{64})", re.ASCII)
NO_DIGESTS = "this record has no digests"
REVEALED = "table.revealed"


def may_be_head(given: str) -> bool:
    """Return whether this is written like a check code or a digest, with or without the number of
    its event."""
    return _HEAD.fullmatch(given.strip().lower()) is not None


def _time_of(numbered: Numbered, text: str) -> timedelta:
    """The time that a line names, since 1970; RecordFault where there is no such time."""
    if _TIME.fullmatch(text):
        with suppress(ValueError):
            return datetime.fromisoformat(text) - datetime(1970, 1, 1, tzinfo=UTC)
    raise numbered.fault(f"“{shortened(text)}” is no time")


def check_lines(body: Sequence[Numbered]) -> None:
    """Numbers without a gap, and times that do not decrease.

    An event may be earlier than the private orders above it: nothing of it depends on them.
    """
    seq = orders = 0
    event_time = order_time = timedelta.min
    for numbered in body:
        line = numbered.line
        if line.at is not msgspec.UNSET:
            at = _time_of(numbered, line.at)
            if at < (max(event_time, order_time) if line.order else event_time):
                raise numbered.fault(f"“{line.at}” is before the time of an earlier line")
            if line.order:
                order_time = at
            else:
                event_time = at
        if line.order:
            orders += 1
            if (line.order, line.seq) != (orders, seq):
                raise numbered.fault(f"order {orders} after event {seq} is missing here")
            continue
        seq += 1
        if line.seq != seq:
            raise numbered.fault(f"event {seq} is missing: here stands {line.seq}")


class Digests:
    """The digests of a record. at: where its header stands.

    given: whether the record has digests. A record without any proves nothing. by_seq: of each
    event. orders_head: of the last private order.
    """

    def __init__(self, at: int, header: Header, body: Sequence[Numbered]) -> None:
        """RecordFault unless every digest covers its line and the one before it, and the header has
        the last one; or unless there is none at all."""
        self.at = at
        self.given = bool(header.head) or any(numbered.line.digest for numbered in body)
        self.by_seq: dict[int, bytes] = {}
        head, self.orders_head = chain.genesis(header.id), chain.orders_genesis(header.id)
        for numbered in body:
            line = numbered.line
            digest = digest_of(header, line, self.orders_head if line.order else head)
            if self.given and digest.hex() != line.digest:
                what = f"order {line.order}" if line.order else f"event {line.seq}"
                raise numbered.fault(f"{what} is not what was written: its digest is another")
            if line.order:
                self.orders_head = digest
            else:
                self.by_seq[line.seq] = head = digest
        if self.given and head.hex() != header.head:
            raise RecordFault(at, "the last digest is not the one that the header gives")

    def code(self, seed: bytes | None) -> str:
        """The check code of the last event, "" without a seed or without digests."""
        if seed is None or not self.given:
            return ""
        return chain.check_code(seed, self.by_seq[max(self.by_seq)])

    def compare(self, given: str, seed: bytes | None) -> None:
        """RecordFault unless a check code or digest that somebody holds is that of its event."""
        fits = _HEAD.fullmatch(given.strip().lower())
        if fits is None:
            raise RecordFault(self.at, f"“{shortened(given)}” is no check code")
        if not self.given:
            raise RecordFault(self.at, f"{NO_DIGESTS}, so that there is nothing to compare")
        seq = int(fits[1]) if fits[1] else max(self.by_seq)
        digest = self.by_seq.get(seq)
        if digest is None:
            raise RecordFault(self.at, f"there is no event {seq} in this record")
        known = digest.hex()
        if len(fits[2]) == chain.DIGITS:
            if seed is None:
                raise RecordFault(self.at, "check codes can be compared once the seed is revealed")
            known = chain.check_code(seed, digest)
        if known != fits[2]:
            raise RecordFault(
                self.at, f"up to event {seq} this is another game: the code there is {known}"
            )


def revealed_seed(header: Header, body: Sequence[Numbered], digests: Digests) -> bytes | None:
    """The seed, if the last event reveals it."""
    for numbered in body[:-1]:
        if numbered.line.kind == REVEALED:
            raise numbered.fault("the seed is revealed before the last event")
    numbered = body[-1]
    if numbered.line.kind != REVEALED:
        return None
    event = table_event(numbered)
    assert isinstance(event, table_events.Revealed), "events of this kind are"
    if not re.fullmatch("[0-9a-f]{64}", event.seed):
        raise numbered.fault("the seed is not 32 bytes in hexadecimal")
    seed = bytes.fromhex(event.seed)
    if not reveals(seed, header.commitment):
        raise numbered.fault("the seed is not the one that the header committed to")
    has_orders = any(one.line.order for one in body)
    orders = digests.orders_head.hex() if has_orders else ""
    if digests.given and event.orders != orders:
        raise numbered.fault("these are not all private orders of the game")
    return seed


def table_event(numbered: Numbered) -> table_events.Event:
    """The event of the table on this line."""
    line = numbered.line
    try:
        schema = 1 if line.schema is msgspec.UNSET else line.schema
        event = table_events.decode(msgspec.json.encode(line.event), schema)
    except (ValueError, RecursionError) as error:
        raise numbered.fault(f"event {line.seq} is no event of a table ({error})") from None
    dated = table_events.Extended | table_events.Paused | table_events.PauseVote
    if isinstance(event, dated) and (event.until or not isinstance(event, table_events.Paused)):
        _time_of(numbered, event.until)
    kind = event.__struct_config__.tag
    seat = getattr(event, "seat", None)
    if (kind, seat) != (line.kind, line.seat) or line.order:
        raise numbered.fault(
            f"event {line.seq} is said to be {line.kind} of seat {line.seat}, "
            f"but is {kind} of seat {seat}"
        )
    return event


def table_problem(
    header: Header, table: table_events.TableState | None, event: table_events.Event
) -> str | None:
    """Return why this event cannot happen at this table, or None. table: None before it is
    created."""
    if isinstance(event, table_events.Created):
        made = (event.commitment, event.game, event.options)
        if made != (header.commitment, header.game, header.options):
            return "the table was made with another commitment, game or options"
        return None
    if table is None or isinstance(event, table_events.Revealed):
        return None
    if table.status in ("finished", "aborted"):
        return "the game is over"
    sitting, seat = len(table.bots), getattr(event, "seat", None)
    match event:
        case table_events.Aborted():
            return None
        case table_events.Joined() if table.status == "gathering":
            return None if 0 <= event.seat <= sitting else "there is no such seat"
        case table_events.Started() if table.status == "gathering":
            fits = event.seats == header.seats == sitting
            return None if fits else "the game starts with another number of players"
        case table_events.Joined() | table_events.Started():
            return "the game has started already"
        case table_events.Left():
            if table.status != "gathering":
                return "the game has started already"
        case _ if table.status == "gathering":
            return "the game has not started yet"
        case table_events.Resumed() if table.status != "paused":
            return "the game is not paused"
        case table_events.VoteOpened() if table.vote is not None:
            return "a vote is open already"
        case table_events.BotVote(late=late) if not 0 <= late < sitting:
            return "there is no such seat"
        case table_events.VoteAnswered() | table_events.VoteMoved() if table.vote is None:
            return "no vote is open"
        case table_events.VoteSettled() if table.vote is None or table.vote.about != event.about:
            return "no such vote is open"
    return None if seat is None or 0 <= seat < sitting else "there is no such seat"
