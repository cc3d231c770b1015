"""The events of the table in a record: each must be able to happen where it stands."""

import re
from collections.abc import Sequence

import msgspec

from . import table_events
from .chance import reveals
from .record_chain import Digests, time_of
from .records import Header, Numbered

REVEALED = "table.revealed"


def revealed_seed(header: Header, body: Sequence[Numbered], digests: Digests) -> bytes | None:
    """The seed, if the last event reveals it."""
    for numbered in body[:-1]:
        if numbered.line.kind == REVEALED:
            raise numbered.fault("the seed is revealed before the last event")
    numbered = body[-1]
    if numbered.line.kind != REVEALED:
        return None
    event = decoded(numbered)
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


def decoded(numbered: Numbered) -> table_events.Event:
    """The event of the table on this line."""
    line = numbered.line
    try:
        schema = 1 if line.schema is msgspec.UNSET else line.schema
        event = table_events.decode(msgspec.json.encode(line.event), schema)
    except (ValueError, RecursionError) as error:
        raise numbered.fault(f"event {line.seq} is no event of a table ({error})") from None
    if isinstance(event, table_events.Extended) or (
        isinstance(event, table_events.VoteOpened) and event.until
    ):
        time_of(numbered, event.until)
    kind = event.__struct_config__.tag
    seat = getattr(event, "seat", None)
    if (kind, seat) != (line.kind, line.seat) or line.order:
        raise numbered.fault(
            f"event {line.seq} is said to be {line.kind} of seat {line.seat}, "
            f"but is {kind} of seat {seat}"
        )
    return event


def problem(
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
        case table_events.VoteOpened(late=int() as late) if not 0 <= late < sitting:
            return "there is no such seat"
        case table_events.VoteAnswered() if table.vote is None:
            return "no vote is open"
        case table_events.VoteSettled() if table.vote is None or table.vote.about != event.about:
            return "no such vote is open"
    return None if seat is None or 0 <= seat < sitting else "there is no such seat"
