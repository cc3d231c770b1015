"""Reply addresses: move+<game.seat.seq.signature>@host for one position of one seat, and
move+<p…user.signature>@host for replies to an email about several games, and
move+<a…decision.signature>@host for appeals against a decision.

The local part has at most 64 characters and ignores case, which mail servers may change. Anybody
who knows an address can write to it; games.inbound.authenticity decides whether to believe the
sender. Addresses are signed, so nothing is looked up here.
"""

import base64
import re
from typing import NamedTuple

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

PREFIX = "move+"
SIGNATURE = 26  # characters of base32: 130 bits
LONGEST = 64  # characters before the @, by RFC 5321

_SIGNED = rf"([a-z2-7]{{{SIGNATURE}}})"
_LOCAL = re.compile(
    rf"{re.escape(PREFIX)}([a-z2-7]{{12}})\.([0-9]{{1,2}})\.([0-9]{{1,9}})\.{_SIGNED}"
)
_KEY = re.compile(rf"{re.escape(PREFIX)}([pa])([0-9]{{1,18}})\.{_SIGNED}")  # a seat's has more dots
# Of the test email of `check_mail`. No game has it: a reply is stored, and otherwise ignored.
TEST_GAME_ID = "doctordoctor"


class ReplyTokenData(NamedTuple):
    """The seat `seat` of the game `public_id`, as it stood after event `seq`."""

    public_id: str
    seat: int
    seq: int


def reply_address(public_id: str, seat: int, seq: int) -> str | None:
    """The address for replies to this position; None if replies are not read."""
    return _signed_address(f"{public_id}.{seat}.{seq}")


def person_address(person: int) -> str | None:
    """The address for replies of this user (pk) to an email about several games."""
    return _signed_address(f"p{person}")


def appeal_address(decision: int) -> str | None:
    """The address for appeals against this decision (pk)."""
    return _signed_address(f"a{decision}")


def _signed_address(words: str) -> str | None:
    local = f"{PREFIX}{words}.{_signature(words)}"
    assert len(local) <= LONGEST
    return f"{local}@{settings.MAIL_REPLY_DOMAIN}" if settings.MAIL_REPLY_DOMAIN else None


def read_reply_address(address: str) -> ReplyTokenData | None:
    """The content of a reply address; None for any other or a forged address."""
    found = _LOCAL.fullmatch(_local_part(address))
    if found is None:
        return None
    words = f"{found[1]}.{found[2]}.{found[3]}"
    if not _is_signature(found[4], words):
        return None
    return ReplyTokenData(found[1], int(found[2]), int(found[3]))


def read_person_address(address: str) -> int | None:
    """The user (pk) whose `person_address` this is; None for any other or a forged address."""
    return _read_key("p", address)


def read_appeal_address(address: str) -> int | None:
    """The decision (pk) whose `appeal_address` this is; None for any other or a forged address."""
    return _read_key("a", address)


def _read_key(kind: str, address: str) -> int | None:
    found = _KEY.fullmatch(_local_part(address))
    if found is None or found[1] != kind or not _is_signature(found[3], f"{kind}{found[2]}"):
        return None
    return int(found[2])


def _local_part(address: str) -> str:
    """The local part of an address at MAIL_REPLY_DOMAIN; "" for any other address."""
    local, _at, domain = address.strip().strip("<>").lower().rpartition("@")
    here = settings.MAIL_REPLY_DOMAIN
    return local if here and domain == here else ""


def _is_signature(found: str, words: str) -> bool:
    """Whether these words were signed, with the present secret key or a former one."""
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(found, _signature(words, key)) for key in keys)


def _signature(words: str, key: str | None = None) -> str:
    """key: None for the present secret key."""
    digest = salted_hmac("games.mail.addresses", words, secret=key, algorithm="sha256").digest()
    return base64.b32encode(digest).decode().lower()[:SIGNATURE]
