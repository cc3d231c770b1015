"""Mails spoilt at random, from good ones: bytes, lines, quote marks, headers, parts, charsets."""

import random
import re
from collections.abc import Callable, Sequence

Dice = random.Random

_WORDS = (
    b"\x00",
    b"\xff\xfe",
    b"\r",
    b"\n\n",
    b"=",
    b"=3D",
    b"=\r\n",
    b"> ",
    b">",
    b"| ",
    b"-- \r\n",
    b"<blockquote>",
    b"</blockquote>",
    b"<div>",
    b"</div>" * 40,
    b"<!--",
    b"<style>",
    b"&#x3e;",
    b"-=-=-",
    b"On Monday X wrote:",
    b"Am Montag schrieb X:",
    b"From: x\r\nSent: y\r\n",
    b"wrote:",
    b"\xe2\x80\xae",
    b"\xc2\xad",
    b"\xef\xbb\xbf",
    b"(" * 300,
    b'"' * 99,
    b"<" * 500,
    b"[" * 99,
    b"show",
    b"resign",
    b"legal",
    b"note x",
    b"preview ",
    b"pass",
    b"buy 3",
    b"yes resign",
)
_CHARSETS = (
    b"utf-8",
    b"us-ascii",
    b"iso-8859-1",
    b"utf-16",
    b"utf-7",
    b"hex",
    b"zlib",
    b"unicode_escape",
    b"iso-2022-jp",
    b"x-nothing",
    b"",
    b"idna",
    b"cp037",
    b"utf-32-le",
    b"\xff",
    b"shift_jis",
)
_HEADERS = (
    b"From: <eve@example.net>",
    b"From: bob@example.org, eve@example.net",
    b"From: ()",
    b"Auto-Submitted: auto-replied",
    b"Content-Type: text/html",
    b"Content-Type: multipart/mixed",
    b"Content-Type: multipart/report; boundary=x",
    b"Content-Transfer-Encoding: base64",
    b"Content-Transfer-Encoding: quoted-printable",
    b"Content-Transfer-Encoding: x-uuencode",
    b"Authentication-Results: mx.example.org; dmarc=fail",
    b"Received: from x by y; z",
    b"Content-Type: text/plain; format=flowed; delsp=yes",
    b"Content-Type: message/rfc822",
    b"Subject: =?utf-8?b?/////?=",
    b"Message-ID: <>",
    b"To: " + b"x" * 3000,
    b": nothing",
    b"Odd",
)


def mutate(raw: bytes, others: Sequence[bytes], dice: Dice) -> bytes:
    """One to six changes of an email; `others` are what pieces may be taken from."""
    for _change in range(dice.randint(1, 6)):
        change: Callable[[bytes, Sequence[bytes], Dice], bytes] = dice.choice(CHANGES)
        raw = change(raw, others, dice)[:300_000]
    return raw


def _span(raw: bytes, dice: Dice, most: int = 200) -> tuple[int, int]:
    start = dice.randrange(len(raw) + 1)
    return start, min(len(raw), start + dice.randint(1, most))


def flip(raw: bytes, others: Sequence[bytes], dice: Dice) -> bytes:
    """Some bytes become others."""
    changed = bytearray(raw)
    for _byte in range(dice.randint(1, 8) if raw else 0):
        changed[dice.randrange(len(changed))] = dice.randrange(256)
    return bytes(changed)


def insert(raw: bytes, others: Sequence[bytes], dice: Dice) -> bytes:
    """Something that means something, somewhere."""
    at = dice.randrange(len(raw) + 1)
    return raw[:at] + dice.choice(_WORDS) + raw[at:]


def remove(raw: bytes, others: Sequence[bytes], dice: Dice) -> bytes:
    start, end = _span(raw, dice)
    return raw[:start] + raw[end:]


def repeat(raw: bytes, others: Sequence[bytes], dice: Dice) -> bytes:
    start, end = _span(raw, dice)
    return raw[:end] + raw[start:end] * dice.choice((1, 2, 50)) + raw[end:]


def cut(raw: bytes, others: Sequence[bytes], dice: Dice) -> bytes:
    return raw[: dice.randrange(len(raw) + 1)]


def splice(raw: bytes, others: Sequence[bytes], dice: Dice) -> bytes:
    """The beginning of this email and the end of another."""
    other = dice.choice(others)
    return raw[: dice.randrange(len(raw) + 1)] + other[dice.randrange(len(other) + 1) :]


def lines(raw: bytes, others: Sequence[bytes], dice: Dice) -> bytes:
    """A line taken out, written twice, moved, marked as quoted or not any more."""
    found = raw.split(b"\n")
    at = dice.randrange(len(found))
    match dice.randrange(5):
        case 0:
            del found[at]
        case 1:
            found.insert(at, found[at])
        case 2:
            found.insert(dice.randrange(len(found)), found.pop(at))
        case 3:
            found[at] = b"> " + found[at]
        case 4:
            found[at] = found[at].lstrip(b"> |")
    return b"\n".join(found)


def header(raw: bytes, others: Sequence[bytes], dice: Dice) -> bytes:
    """A header more, at the top or in the middle of the others or of a part."""
    ends = [found.end() for found in re.finditer(rb"\n", raw)] or [0]
    at = dice.choice([0, *ends[:25], dice.choice(ends)])
    return raw[:at] + dice.choice(_HEADERS) + b"\r\n" + raw[at:]


def charset(raw: bytes, others: Sequence[bytes], dice: Dice) -> bytes:
    """A text says that it is in another charset."""
    return re.sub(
        rb"charset=\"?[\w-]*\"?", lambda _found: b"charset=" + dice.choice(_CHARSETS), raw, count=2
    )


def boundary(raw: bytes, others: Sequence[bytes], dice: Dice) -> bytes:
    """The edge between parts is called something else, or begins again and again."""
    found = re.search(rb"boundary=\"([^\"]+)\"", raw)
    if found is None:
        depth = dice.choice((3, 60, 2000))
        nest = b"".join(
            b'Content-Type: multipart/mixed; boundary="%d"\r\n\r\n--%d\r\n' % (n, n)
            for n in range(depth)
        )
        return raw.replace(b"Content-Type", nest + b"Content-Type", 1)
    edge = b"--" + found[1]
    if dice.random() < 0.5:
        return raw.replace(edge, edge + b"x", dice.randint(1, 3))
    return raw.replace(edge, edge + b"\r\n" + edge, dice.randint(1, 3))


CHANGES = (flip, insert, remove, repeat, cut, splice, lines, lines, header, charset, boundary)
