"""The lines of a record and their digests, checked without the rules of the game."""

import re
from collections.abc import Sequence

import msgspec

from . import chain
from .record_faults import Numbered, RecordFault, shortened
from .records import OLD_FORMAT, Header, digest_of

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)")
_HEAD = re.compile(r"(?:(\d{1,9}):)?([0-9a-f]{10}|[0-9a-f]{64})")


def may_be_head(given: str) -> bool:
    """Whether this is written like a check code or a digest, with or without the number of its
    event."""
    return _HEAD.fullmatch(given.strip().lower()) is not None


def check_lines(header: Header, body: Sequence[Numbered]) -> None:
    """Numbers without a gap, and only fields that this format has."""
    seq = orders = 0
    old = header.format == OLD_FORMAT
    for numbered in body:
        line = numbered.line
        if old and (line.order or line.digest or line.actor or line.rule != 1):
            raise numbered.fault("records of format 1 have no digests")
        if line.rule not in (chain.FIRST_RULE, chain.RULE):
            raise numbered.fault(f"there is no rule {line.rule} for digests")
        if line.at is not msgspec.UNSET and not _TIME.fullmatch(line.at):
            raise numbered.fault(f"“{shortened(line.at)}” is no time")
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

    by_seq: of each event; empty for records of format 1. orders_head: of the last private order.
    """

    def __init__(self, at: int, header: Header, body: Sequence[Numbered]) -> None:
        """RecordFault unless every digest covers its line and the one before it, and the header has
        the last one."""
        self.at = at
        self.by_seq: dict[int, bytes] = {}
        self.orders_head = b""
        if header.format == OLD_FORMAT:
            return
        head, self.orders_head = chain.genesis(header.id), chain.orders_genesis(header.id)
        for numbered in body:
            line = numbered.line
            digest = digest_of(header, line, self.orders_head if line.order else head)
            if digest.hex() != line.digest:
                what = f"order {line.order}" if line.order else f"event {line.seq}"
                raise numbered.fault(f"{what} is not what was written: its digest is another")
            if line.order:
                self.orders_head = digest
            else:
                self.by_seq[line.seq] = head = digest
        if head.hex() != header.head:
            raise RecordFault(at, "the last digest is not the one that the header gives")

    def code(self, seed: bytes | None) -> str:
        """The check code of the last event, "" without a seed."""
        if seed is None or not self.by_seq:
            return ""
        return chain.check_code(seed, self.by_seq[max(self.by_seq)])

    def compare(self, given: str, seed: bytes | None) -> None:
        """RecordFault unless a check code or digest that somebody holds is that of its event."""
        fits = _HEAD.fullmatch(given.strip().lower())
        if fits is None:
            raise RecordFault(self.at, f"“{shortened(given)}” is no check code")
        if not self.by_seq:
            raise RecordFault(self.at, "records of format 1 have no digests to compare")
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
