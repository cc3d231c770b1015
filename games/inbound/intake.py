"""Stores incoming emails: a row for each email and address, before anything is read.

Every channel ends here. Reads nothing but the Message-ID, and addresses where the envelope is not
known; sends nothing, decides nothing. An email that comes twice is one row. Once `store` has
returned, the sending side need not keep the email.

Every channel accepts ACCEPTED_BYTES, and of an email KEPT_BYTES are stored, which hold all texts
of an ordinary reply: mail programs put pictures and other attachments below them.
"""

import hashlib
import re
from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.db import connection, transaction

from games.mail import reply_addresses, workers
from games.models import InboundMail, database_clock

ACCEPTED_BYTES = 30 * 1024 * 1024
KEPT_BYTES = 512 * 1024
TOO_LARGE = (
    f"5.3.4 Emails of more than {ACCEPTED_BYTES >> 20} MB are not accepted. Send your reply again "
    "without attachments"
)
TASK = "games.tasks.read_inbound"

_ADDRESS_HEADERS = {"to", "cc", "delivered-to", "x-original-to", "x-envelope-to", "envelope-to"}
_ADDRESS = re.compile(rb"[\w.+-]{1,64}@[\w.-]{1,255}")
_MESSAGE_ID = re.compile(rb"^message-id:\s*(<[^\s<>]{1,240}>)", re.IGNORECASE | re.MULTILINE)


def is_ours(address: str) -> bool:
    """Return whether this is a reply address with our host and signature. Asks no database."""
    named = (
        reply_addresses.read_reply_address(address),
        reply_addresses.read_person_address(address),
        reply_addresses.read_appeal_address(address),
    )
    return any(found is not None for found in named)


def recipients_in(headers: Iterable[tuple[str, object]]) -> list[str]:
    """Return everything in these headers that looks like an address; signatures decide which are
    ours."""
    texts = (str(value) for name, value in headers if name.lower() in _ADDRESS_HEADERS)
    words = [word for text in texts for word in text.replace(",", " ").replace("<", " ").split()]
    return [word.strip("<>\"'()[];") for word in words if "@" in word]


def ours_in(content: bytes) -> list[str]:
    """The addresses of ours that occur anywhere in the part of this content that is stored."""
    found = _ADDRESS.findall(content[:KEPT_BYTES].lower())
    return [address for address in dict.fromkeys(one.decode() for one in found) if is_ours(address)]


def store(
    raw: bytes, *, channel: InboundMail.Channel, sender: str | None, recipients: Iterable[str]
) -> list[InboundMail]:
    """Store an email, and return its rows: one for each recipient address of ours, whether it is
    new or was stored before.

    raw: the email, or its beginning if that is longer than KEPT_BYTES. sender: that of the
    envelope; "" for the null sender, None if unknown.
    """
    addresses = dict.fromkeys(_printable(address) for address in recipients)
    return [_store(raw, channel, sender, address) for address in addresses if is_ours(address)]


def store_unreadable(content: bytes, error: str) -> list[InboundMail]:
    """Store an email that a provider sent in a form that cannot be read, and return its rows.

    Each address of ours that occurs in it is answered; without one it is only kept. error: for
    moderators, without words of the email.
    """
    found = ours_in(content) or [""]
    return [_store_broken(content[:KEPT_BYTES], error, recipient) for recipient in found]


def _store_broken(content: bytes, error: str, recipient: str) -> InboundMail:
    row = _row(content, InboundMail.Channel.WEBHOOK, None, recipient)
    row.outcome, row.error = InboundMail.Outcome.BROKEN, error
    if not recipient:
        row.state, row.read_at = InboundMail.State.FAILED, row.received_at
    return _insert(row)


def _printable(address: str) -> str:
    """Return an address of an envelope without what the database or its column does not take."""
    printable = "".join(char for char in address if char.isprintable())
    return printable.strip().strip("<>").lower()[:320]


def _store(
    raw: bytes, channel: InboundMail.Channel, sender: str | None, recipient: str
) -> InboundMail:
    return _insert(_row(raw, channel, sender, recipient))


def _insert(row: InboundMail) -> InboundMail:
    with transaction.atomic():
        _insert_or_count(row)
        if row.state == InboundMail.State.NEW:
            workers.wake(TASK)
    return InboundMail.objects.get(key=row.key)


def _row(
    raw: bytes, channel: InboundMail.Channel, sender: str | None, recipient: str
) -> InboundMail:
    now = database_clock.now()
    return InboundMail(
        channel=channel,
        sender=None if sender is None else _printable(sender),
        recipient=recipient,
        key=_key(raw[:KEPT_BYTES], recipient),
        raw=raw[:KEPT_BYTES],
        is_truncated=len(raw) > KEPT_BYTES,
        received_at=now,
        next_try_at=now,
    )


def _insert_or_count(row: InboundMail) -> None:
    """Insert the row, or count a copy of the one with its key, by one statement.

    An error that is provoked on purpose would stand in PostgreSQL's log, with the email.
    """
    fields = [field for field in InboundMail._meta.concrete_fields if not field.primary_key]
    values = [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]
    columns = ", ".join(str(field.column) for field in fields)
    places = ", ".join(["%s"] * len(fields))
    sql = f"INSERT INTO games_inboundmail AS old ({columns}) VALUES ({places})"  # noqa: S608 (only column names and placeholders)
    with connection.cursor() as cursor:
        cursor.execute(f"{sql} ON CONFLICT (key) DO UPDATE SET copies = old.copies + 1", values)


def _key(raw: bytes, recipient: str) -> str:
    """Return the key of an email to an address, however often and by whatever channel it comes.

    It is made from the Message-ID; without one from the body, since headers may differ each time.
    Of several Message-IDs the last one counts, which the signature of the sender's server covers:
    somebody who sends another person's email again can add one above it.
    """
    head, _blank, body = raw.partition(b"\r\n\r\n" if b"\r\n\r\n" in raw else b"\n\n")
    found = _MESSAGE_ID.findall(head)
    identity = found[-1] if found else body or raw
    return hashlib.sha256(recipient.encode() + b"\0" + identity).hexdigest()


def purge_old(days: int | None = None) -> int:
    """Delete the text of emails that came this many days ago and were read; return their number."""
    before = database_clock.now() - timedelta(
        days=settings.INBOUND_KEEP_DAYS if days is None else days
    )
    old = InboundMail.objects.filter(received_at__lt=before).exclude(raw=b"")
    return old.exclude(state=InboundMail.State.NEW).update(raw=b"")
