"""Keeping what comes in: a row per mail and address, before anybody looks into it.

Every way in ends here. Reads nothing but the Message-ID, sends nothing, decides nothing; a mail
that comes twice is one row. Whoever hands a mail over may forget it once this has returned.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from games import mail
from games.mail import queue
from games.models import InboundMail

MOST_BYTES = 256 * 1024
TASK = "games.tasks.read_inbound"

_MESSAGE_ID = re.compile(rb"^message-id:\s*(<[^\s<>]{1,240}>)", re.IGNORECASE | re.MULTILINE)


def is_ours(address: str) -> bool:
    """Whether mail to this address may be for us: our host, our signature. Asks no database."""
    named = mail.read_reply_address(address), mail.read_person_address(address)
    return any(found is not None for found in named)


def keep(
    raw: bytes, *, door: InboundMail.Door, sender: str | None, recipients: Iterable[str]
) -> list[InboundMail]:
    """The rows of this mail, one per recipient of ours; those that were there already included.

    sender: of the envelope, "" for the null sender, None where it is not known.
    """
    rows = [_keep(raw, door, sender, address) for address in dict.fromkeys(map(_tidy, recipients))]
    return [row for row in rows if row is not None]


def _tidy(address: str) -> str:
    """An address of an envelope as the database takes it."""
    printable = "".join(char for char in address if char.isprintable())
    return printable.strip().strip("<>").lower()[:320]


def _keep(
    raw: bytes, door: InboundMail.Door, sender: str | None, recipient: str
) -> InboundMail | None:
    if not is_ours(recipient):
        return None
    key = _key(raw, recipient)
    now = timezone.now()
    fresh = InboundMail(
        door=door,
        sender=None if sender is None else _tidy(sender),
        recipient=recipient,
        key=key,
        raw=raw[:MOST_BYTES],
        cut=len(raw) > MOST_BYTES,
        received_at=now,
        next_try_at=now,
    )
    try:
        with transaction.atomic():
            fresh.save(force_insert=True)
            queue.nudge(TASK)
    except IntegrityError:
        InboundMail.objects.filter(key=key).update(copies=F("copies") + 1)
        return InboundMail.objects.get(key=key)
    return fresh


def _key(raw: bytes, recipient: str) -> str:
    """The same for the same mail to the same address, however often and by what door it comes.

    By its Message-ID, without one by its bytes from the first line that does not differ each time.
    """
    head, _blank, body = raw.partition(b"\r\n\r\n" if b"\r\n\r\n" in raw else b"\n\n")
    found = _MESSAGE_ID.search(head)
    words = found[1] if found else body or raw
    return hashlib.sha256(recipient.encode() + b"\0" + words).hexdigest()


def forget(days: int | None = None) -> int:
    """Empty the text of mails that were read this many days ago; how many."""
    kept = settings.INBOUND_KEEP_DAYS if days is None else days
    before = timezone.now() - timedelta(days=kept)
    old = InboundMail.objects.filter(received_at__lt=before).exclude(raw=b"")
    return old.exclude(state=InboundMail.State.NEW).update(raw=b"")
