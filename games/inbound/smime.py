"""Text inside an opaque signature: S/MIME messages that carry their content in one block (CMS, RFC
5652).

Reads the content only. Who sent an email is decided by its authentication, never by this signature.
"""

from collections.abc import Iterator

SIGNED_DATA = bytes.fromhex("2a864886f70d010702")  # 1.2.840.113549.1.7.2
DATA = bytes.fromhex("2a864886f70d010701")  # 1.2.840.113549.1.7.1
SEQUENCE, EXPLICIT, OBJECT_ID, OCTETS = 0x30, 0xA0, 0x06, 0x04
CONSTRUCTED = 0x20
MOST_ELEMENTS = 5000
DEEPEST = 12


class _Malformed(Exception):
    """The block is no CMS."""


def content_of(block: bytes) -> bytes | None:
    """The email part that a block of signed data contains; None for encrypted or broken data.

    Takes BER as well as DER, because programs that sign while they read write indefinite lengths.
    """
    try:
        return _content(block)
    except (_Malformed, IndexError):
        return None


def _content(block: bytes) -> bytes | None:
    reader = _DerReader(block)
    outer = dict(reader.inside(*reader.first(SEQUENCE)))
    if _value(reader, outer, OBJECT_ID) != SIGNED_DATA:
        return None
    explicit = dict(reader.inside(*reader.only(outer, EXPLICIT)))
    # The only sequence of SignedData is its content; algorithms and signers stand in sets.
    signed = dict(reader.inside(*reader.only(explicit, SEQUENCE)))
    content = dict(reader.inside(*reader.only(signed, SEQUENCE)))
    if _value(reader, content, OBJECT_ID) != DATA:
        return None
    explicit = dict(reader.inside(*reader.only(content, EXPLICIT)))
    return b"".join(reader.octets(explicit))


Span = tuple[int, int]
Elements = dict[int, Span]


def _value(reader: "_DerReader", elements: Elements, tag: int) -> bytes:
    start, end = reader.only(elements, tag)
    return reader.data[start:end]


class _DerReader:
    """Elements of BER, as the places of their contents."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.left = MOST_ELEMENTS

    def first(self, tag: int) -> Span:
        found, start, end, _after = self.element(0, len(self.data))
        if found != tag:
            raise _Malformed
        return start, end

    def only(self, elements: Elements, tag: int) -> Span:
        if tag not in elements:
            raise _Malformed
        return elements[tag]

    def inside(self, start: int, end: int) -> Iterator[tuple[int, Span]]:
        """(tag, place) of each element, the first of a kind last, so that it wins in a dict."""
        found = []
        while start < end and self.data[start : start + 2] != b"\0\0":
            tag, first, last, start = self.element(start, end)
            found.append((tag, (first, last)))
        return reversed(found)

    def octets(self, elements: Elements) -> list[bytes]:
        """The pieces of an octet string, which may be cut into several."""
        if OCTETS in elements:
            start, end = elements[OCTETS]
            return [self.data[start:end]]
        start, end = self.only(elements, OCTETS | CONSTRUCTED)
        pieces = [place for tag, place in self.inside(start, end) if tag == OCTETS]
        return [self.data[first:last] for first, last in reversed(pieces)]

    def element(self, at: int, end: int, depth: int = 0) -> tuple[int, int, int, int]:
        """(tag, start and end of the content, where the next element begins)."""
        self.left -= 1
        if self.left < 0 or depth > DEEPEST:
            raise _Malformed
        tag, length = self.data[at], self.data[at + 1]
        start = at + 2
        if length == 0x80:  # until two zero bytes
            if not tag & CONSTRUCTED:
                raise _Malformed
            inner = start
            while self.data[inner : inner + 2] != b"\0\0":
                inner = self.element(inner, end, depth + 1)[3]
            return tag, start, inner, inner + 2
        if length > 0x80:
            count = length - 0x80
            length = int.from_bytes(self.data[start : start + count])
            start += count
            if count > 4:
                raise _Malformed
        if start + length > end:
            raise _Malformed
        return tag, start, start + length, start + length
