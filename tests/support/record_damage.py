"""Records that are no strict JSON, whose times cannot be, or whose digests were taken away.

Nothing here changes what a careless reader reads, so that only a strict one refuses it.
"""

import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from .tampering import rechained

START = datetime(2027, 1, 31, 23, 59, 58, tzinfo=UTC)
NO_TIMES = (
    "2027-02-29T00:00:00Z",
    "2027-13-01T00:00:00Z",
    "2027-00-01T00:00:00Z",
    "2027-04-31T00:00:00Z",
    "2027-01-01T24:00:00Z",
    "2027-01-01T00:60:00Z",
    "2027-01-01T23:59:60Z",
    "2027-01-01T00:00:00",
    "2027-01-01 00:00:00Z",
    "2027-01-01T00:00:00+24:00",
    "2027-01-01T00:00:00+01:60",
    "2027-01-01T00:00:00z",
    "2027-01-01T00:00:00.Z",
    "2027-01-01T00:00:00.1234567Z",
    "2027-01-01",
    "",
    "now",
    "٢٠٢٧-٠١-٠١T٠٠:٠٠:٠٠Z",
    "2027-01-01T00:00:0\N{FULLWIDTH DIGIT ZERO}Z",
    "0000-01-01T00:00:00Z",
    "12027-01-01T00:00:00Z",
    "2027-01-01T00:00:00Z\n",
)
Damage = Callable[[list[bytes], Random], list[bytes]]


def _replaced(lines: list[bytes], random: Random, pattern: bytes, new: bytes) -> list[bytes]:
    """The lines with `new` in place of one match of this pattern; \\g<0> is the match."""
    places = [
        (number, match) for number, line in enumerate(lines) for match in re.finditer(pattern, line)
    ]
    number, match = random.choice(places)
    line = lines[number]
    there = line[: match.start()] + match.expand(new) + line[match.end() :]
    return [*lines[:number], there, *lines[number + 1 :]]


def doubled_key(lines: list[bytes], random: Random) -> list[bytes]:
    """A key stands twice somewhere, the true value last."""
    value = random.choice((b"null", b"0", b'"x"', b"[]", b"{}"))
    return _replaced(lines, random, rb'"\w+":', rb"\g<0>" + value + rb",\g<0>")


def doubled_key_in_disguise(lines: list[bytes], random: Random) -> list[bytes]:
    """The same, with an escape in the first one."""
    return _replaced(lines, random, rb'"k(ind":)', rb'"\\u006b\g<1>"x",\g<0>')


def no_utf_8(lines: list[bytes], random: Random) -> list[bytes]:
    """Bytes that are no UTF-8 in a text."""
    junk = random.choice((b"\xff", b"\xc3", b"\xe9", b"\xc0\xaf", b"\xed\xa0\x80"))
    return _replaced(lines, random, rb'"(?:id|kind|commitment)":"', rb"\g<0>" + junk)


def half_a_pair(lines: list[bytes], random: Random) -> list[bytes]:
    """An escape that is no character."""
    return _replaced(lines, random, rb'"(?:id|kind|commitment)":"', rb"\g<0>\\ud83d")


def other_number(lines: list[bytes], random: Random) -> list[bytes]:
    """A number in a form that programs read as different things."""
    form = random.choice((rb"\g<0>.0", rb"\g<0>e0", rb"\g<0>E+0"))
    return _replaced(lines, random, rb"(?<=[:,\[])\d+(?=[,\]}])", form)


def no_number(lines: list[bytes], random: Random) -> list[bytes]:
    """A word of JavaScript, digits of another script, or more digits than fit."""
    form = random.choice((b"NaN", b"Infinity", "٣".encode(), b"1" * 16, b"1" * 5000, b"-Infinity"))
    return _replaced(lines, random, rb"(?<=[:,\[])\d+(?=[,\]}])", form)


def mark_in_front(lines: list[bytes], random: Random) -> list[bytes]:
    """A byte order mark."""
    at = random.randrange(len(lines))
    return [*lines[:at], b"\xef\xbb\xbf" + lines[at], *lines[at + 1 :]]


def timed(lines: Sequence[bytes], changed: dict[int, str]) -> list[bytes]:
    """The record with a time on each line, these ones changed, and its digests recomputed."""
    header, *body = (json.loads(line) for line in lines)
    for number, line in enumerate(body):
        at = START + timedelta(seconds=number // 2, microseconds=number // 2)
        line["at"] = changed.get(number, at.isoformat().replace("+00:00", "Z"))
    return rechained([json.dumps(line).encode() for line in (header, *body)])


def no_time(lines: list[bytes], random: Random) -> list[bytes]:
    """A time that does not exist, or that is written differently."""
    return timed(lines, {random.randrange(len(lines) - 1): random.choice(NO_TIMES)})


def earlier_time(lines: list[bytes], random: Random) -> list[bytes]:
    """A time before that of the line above."""
    early = ("2027-01-31T23:59:57.999999Z", "2027-02-01T00:59:57+01:00", "0001-01-01T00:00:00Z")
    return timed(lines, {random.randrange(1, len(lines) - 1): random.choice(early)})


def some_digests(lines: list[bytes], random: Random) -> list[bytes]:
    """One digest is missing, or the head."""
    at = random.randrange(len(lines))
    return [*lines[:at], _without_digest(lines[at]), *lines[at + 1 :]]


def _without_digest(text: bytes) -> bytes:
    line: dict[str, Any] = json.loads(text)
    return json.dumps({k: v for k, v in line.items() if k not in ("digest", "head")}).encode()


def without_digests(lines: Sequence[bytes]) -> list[bytes]:
    """The record as anybody could have written it."""
    return [_without_digest(line) for line in lines]


DAMAGES: tuple[Damage, ...] = (
    doubled_key,
    doubled_key_in_disguise,
    no_utf_8,
    half_a_pair,
    other_number,
    no_number,
    mark_in_front,
    no_time,
    earlier_time,
    some_digests,
)


def damaged(lines: list[bytes], random: Random) -> list[bytes]:
    """The record with one of these damages, for which both checks refuse it."""
    return random.choice(DAMAGES)(lines, random)
