"""From a kept mail to what becomes of it: one row, one transaction, one answer at most.

The row's end, the move and the answer's outbox row are committed together, so a mail that is
worked off by a process that is killed is worked off again, and nothing of it happens twice.
"""

from __future__ import annotations

import logging
import time
from datetime import timedelta

from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import F
from django.utils import timezone, translation

from games import mail as post
from games.models import Game, InboundMail, Seat, User

from . import authenticity, limits, mime, orders, reply, silence
from .addresses import belongs_to

logger = logging.getLogger(__name__)

State = InboundMail.State
Sender = InboundMail.Sender
Verdict = InboundMail.Verdict

MOST_TRIES = 5
LONGEST_LEASE = 60  # seconds that one mail may take before another worker tries it
BATCH = 50


def read_waiting(seconds: float = 60.0) -> int:
    """Work off the mails that are due, for at most about `seconds`; how many."""
    stop_at = time.monotonic() + seconds
    done = 0
    while time.monotonic() < stop_at:
        due = InboundMail.objects.filter(state=State.NEW, next_try_at__lte=timezone.now())
        keys = list(due.order_by("next_try_at", "id").values_list("pk", flat=True)[:BATCH])
        if not keys:
            break
        for key in keys:
            done += read_one(key)
            if time.monotonic() >= stop_at:
                break
    return done


def read_one(key: int) -> bool:
    """Work off one mail, unless somebody else is at it or has done so; whether this call did."""
    now = timezone.now()
    # Counted in a transaction of its own: a mail that kills its reader is given up in the end.
    free = InboundMail.objects.filter(pk=key, state=State.NEW, next_try_at__lte=now)
    if not free.update(attempts=F("attempts") + 1, next_try_at=now + _lease()):
        return False
    try:
        with transaction.atomic():
            row = InboundMail.objects.select_for_update(of=("self",)).get(pk=key)
            if row.state != State.NEW:
                return False
            _read(row)
            row.state, row.read_at, row.error = State.DONE, timezone.now(), ""
            row.save()
        return True
    except (OperationalError, InterfaceError):
        raise  # the database, not this mail: the lease brings it back
    except Exception as error:
        logger.exception("Inbound mail %s cannot be worked off.", key)
        _put_off(key, error)
        return False


def _lease() -> timedelta:
    """As with mails that go out; if it was too short, the row's lock still lets nobody else in."""
    return timedelta(seconds=min(LONGEST_LEASE, settings.MAIL_LEASE_SECONDS))


def _put_off(key: int, error: Exception) -> None:
    rows = InboundMail.objects.filter(pk=key, state=State.NEW)
    rows.update(error=repr(error)[:500], next_try_at=timezone.now() + _lease())
    rows.filter(attempts__gte=MOST_TRIES).update(state=State.FAILED)


def _read(row: InboundMail) -> None:
    """Say in the row what becomes of the mail, and do it."""
    row.verdict = _silence(row) or ""
    if row.verdict:
        return
    assert row.user is not None
    with (
        translation.override(_language(row.user)),
        timezone.override(row.user.zone),
    ):
        row.verdict = _verdict(row)


def _silence(row: InboundMail) -> str:
    """The verdict where the mail is not for a person here; else its rows are filled in."""
    try:
        letter = mime.read(bytes(row.raw))
    except mime.Broken as error:
        row.error = repr(error)
        return Verdict.BROKEN
    row.message_id = letter.message_id
    named = post.read_reply_address(row.recipient)
    if named is None:
        return Verdict.NOT_OURS
    own = mime.one_address(settings.MAIL_FROM)
    if verdict := silence.reason(letter, row.sender, own, settings.SITE_HOST):
        return verdict
    row.game = Game.objects.filter(public_id=named.public_id).first()
    if row.game is None:
        return Verdict.GONE
    row.seat, row.seq = named.seat, named.seq
    seat = Seat.objects.filter(game=row.game, number=named.seat).select_related("user").first()
    if seat is None or seat.user is None or not seat.user.is_active:
        return Verdict.GONE
    row.user = seat.user
    row.authentic = (
        authenticity.authentic(letter, row.door, settings.MAIL_AUTHSERV_ID)
        if belongs_to(seat.user, letter.author)
        else Sender.STRANGER
    )
    if not row.cut:
        said = reply.read(letter)
        row.line = said.line
        row.note = orders.note_of(said)
    return ""


def _verdict(row: InboundMail) -> str:
    """What was done about a mail that speaks for a seat."""
    if limited := limits.verdict(row):
        return limited
    if row.cut:
        return orders.too_large(row)
    return orders.carry_out(row)


def _language(user: User) -> str:
    known = dict(settings.LANGUAGES)
    return user.language if user.language in known else settings.LANGUAGE_CODE
