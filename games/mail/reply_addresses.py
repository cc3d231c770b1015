"""Reply addresses: move+<game.seat.turn.signature>@host, one for one position of one seat, and
move+<p…person.signature>@host, where a mail about several games is answered.

The local part is lower case, at most 64 characters long and means the same in capitals, as mail
servers on the way may spell it. Whoever knows one may write to it; who is believed is asked of the
sender (games.inbound.authenticity). Nothing is looked up here: an address is true by itself.
"""

from __future__ import annotations

import base64
import re
from typing import NamedTuple

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

PREFIX = "move+"
SIGNATURE = 20  # characters of base32: 100 bits
LONGEST = 64  # characters before the @, by RFC 5321

_LOCAL = re.compile(
    rf"{re.escape(PREFIX)}([a-z2-7]{{12}})\.([0-9]{{1,2}})\.([0-9]{{1,9}})\.([a-z2-7]{{{SIGNATURE}}})"
)
_PERSON = re.compile(
    rf"{re.escape(PREFIX)}(p[0-9]{{1,18}})\.([a-z2-7]{{{SIGNATURE}}})"  # a seat's has more dots
)


class ReplyPass(NamedTuple):
    """The seat `seat` of the game `public_id`, as it stood after event `seq`."""

    public_id: str
    seat: int
    seq: int


def reply_address(public_id: str, seat: int, seq: int) -> str | None:
    """Where to answer a mail about this position; None where nobody reads replies."""
    if not settings.MAIL_REPLY_DOMAIN:
        return None
    words = f"{public_id}.{seat}.{seq}"
    local = f"{PREFIX}{words}.{_signature(words)}"
    assert len(local) <= LONGEST
    return f"{local}@{settings.MAIL_REPLY_DOMAIN}"


def person_address(person: int) -> str | None:
    """Where this person (pk) answers a mail about several games; never read as a move."""
    if not settings.MAIL_REPLY_DOMAIN:
        return None
    local = f"{PREFIX}p{person}.{_signature(f'p{person}')}"
    return f"{local}@{settings.MAIL_REPLY_DOMAIN}"


def read_reply_address(address: str) -> ReplyPass | None:
    """What one of our reply addresses names; None for every other address, forged ones too."""
    found = _LOCAL.fullmatch(_local_part(address))
    if found is None:
        return None
    words = f"{found[1]}.{found[2]}.{found[3]}"
    if not constant_time_compare(found[4], _signature(words)):
        return None
    return ReplyPass(found[1], int(found[2]), int(found[3]))


def read_person_address(address: str) -> int | None:
    """Whose one of our addresses for answers to several games is; None for every other."""
    found = _PERSON.fullmatch(_local_part(address))
    if found is None or not constant_time_compare(found[2], _signature(found[1])):
        return None
    return int(found[1].removeprefix("p"))


def _local_part(address: str) -> str:
    """What stands before the @ of an address at the host that reads replies; "" for all others."""
    local, _at, domain = address.strip().strip("<>").lower().rpartition("@")
    here = settings.MAIL_REPLY_DOMAIN
    return local if here and domain == here else ""


def _signature(words: str) -> str:
    digest = salted_hmac("games.mail.addresses", words, algorithm="sha256").digest()
    return base64.b32encode(digest).decode().lower()[:SIGNATURE]
