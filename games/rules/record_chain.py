"""The lines of a record and their digests, checked without the rules of the game."""

import re
from collections.abc import Sequence

import msgspec

from . import chain
from .records import Header, Numbered, RecordFault, digest_of, shortened

_TIME = re.compile(
    r"(?!0000)(\d{4})-(0[1-9]|1[0-2])-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,6}))?"
    r"(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))",
    re.ASCII,
)
_HEAD = re.compile(r"(?:(\d{1,9}):)?([0-9a-f]{10}|[0-9a-f]{64})", re.ASCII)
NO_DIGESTS = "this record has no digests"


def may_be_head(given: str) -> bool:
    """Return whether this is written like a check code or a digest, with or without the number of
    its event."""
    return _HEAD.fullmatch(given.strip().lower()) is not None


def time_of(numbered: Numbered, text: str) -> int:
    """The time that a line names, in microseconds of UTC since some day; RecordFault where there is
    no such time."""
    found = _TIME.fullmatch(text)
    if found is not None:
        year, month, day, hour, minute, second = map(int, found.groups()[:6])
        decimals, sign, *offset = found.groups()[6:]
        is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        if 1 <= day <= (28 + is_leap if month == 2 else 30 + (month + month // 8) % 2):
            # Years that begin in March have their leap day at the end.
            year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)
            days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day
            if sign:
                hour, minute = (
                    own - int(sign + ahead)
                    for own, ahead in zip((hour, minute), offset, strict=True)
                )
            seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
            return seconds * 10**6 + int((decimals or "").ljust(6, "0"))
    raise numbered.fault(f"“{shortened(text)}” is no time")


def check_lines(body: Sequence[Numbered]) -> None:
    """Numbers without a gap, and times that do not decrease.

    An event may be earlier than the private orders above it: nothing of it depends on them.
    """
    seq = orders = 0
    event_time = order_time = 0
    for numbered in body:
        line = numbered.line
        if line.at is not msgspec.UNSET:
            at = time_of(numbered, line.at)
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
