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
from django.db.models import QuerySet
from django.utils import timezone, translation

from games import mail as post
from games.models import Game, InboundMail, Seat, User

from . import authenticity, auto_replies, handlers, intake, mime, rate_limits, reply_parser
from .own_addresses import belongs_to

logger = logging.getLogger(__name__)

State = InboundMail.State
Sender = InboundMail.Sender
Verdict = InboundMail.Verdict

MOST_TRIES = 5
LEASE = timedelta(seconds=5)  # from being counted as a try to being locked, which takes no time
PUT_OFF = timedelta(seconds=60)  # until a mail that could not be read is tried again
BATCH = 50


def read_waiting(seconds: float = 60.0) -> int:
    """Work off the mails that are due, each at most once, for about `seconds`; how many."""
    stop_at = time.monotonic() + seconds
    done = 0
    tried: list[int] = []
    while time.monotonic() < stop_at:
        due = InboundMail.objects.filter(state=State.NEW, next_try_at__lte=timezone.now())
        due = due.exclude(pk__in=tried).order_by("next_try_at", "id")
        keys = list(due.values_list("pk", flat=True)[:BATCH])
        if not keys:
            break
        for key in keys:
            if read_one(key):
                done += 1
            else:
                tried.append(key)
            if time.monotonic() >= stop_at:
                break
    return done


def read_one(key: int) -> bool:
    """Work off one mail, unless somebody else is at it or has done so; whether this call did."""
    if not _begin(key):
        return False
    try:
        with transaction.atomic():
            row = _free(key).first()
            if row is None:
                return False
            _read(row)
            row.state, row.read_at, row.error = State.DONE, timezone.now(), ""
            row.save()
        return True
    except (OperationalError, InterfaceError):
        raise  # the database, not this mail: it is due again when the lease is over
    except Exception as error:
        logger.exception("Inbound mail %s cannot be worked off.", key)
        _put_off(key, error)
        return False


def _free(key: int) -> QuerySet[InboundMail]:
    """The row, locked until the end of the transaction, unless another holds it or it is read
    already. Who dies lets go of it, so no lease has to guard the reading."""
    rows = InboundMail.objects.select_for_update(skip_locked=True, of=("self",))
    return rows.filter(pk=key, state=State.NEW)


def _begin(key: int) -> bool:
    """Count the try, in a transaction of its own: a mail that kills its readers is given up."""
    now = timezone.now()
    with transaction.atomic():
        row = _free(key).defer("raw").first()
        if row is None or row.next_try_at > now:
            return False
        if row.attempts >= MOST_TRIES:
            row.state, row.error = State.FAILED, row.error or "its readers died again and again"
        else:
            row.attempts, row.next_try_at = row.attempts + 1, now + LEASE
        row.save(update_fields=["state", "error", "attempts", "next_try_at"])
    return row.state == State.NEW


def _put_off(key: int, error: Exception) -> None:
    rows = InboundMail.objects.filter(pk=key, state=State.NEW)
    rows.update(error=repr(error)[:500], next_try_at=timezone.now() + PUT_OFF)
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
    if not intake.is_ours(row.recipient):
        return Verdict.NOT_OURS
    own = mime.one_address(settings.MAIL_FROM)
    if verdict := auto_replies.reason(letter, row.sender, own, settings.SITE_HOST):
        return verdict
    row.user = _reader(row)
    if row.user is None or not row.user.is_active:
        return Verdict.GONE
    row.authentic = (
        authenticity.authentic(letter, row.door, settings.MAIL_AUTHSERV_ID)
        if belongs_to(row.user, letter.author)
        else Sender.STRANGER
    )
    if not row.cut:
        said = reply_parser.read(letter)
        row.line = said.line
        row.note = handlers.note_of(said)
    return ""


def _reader(row: InboundMail) -> User | None:
    """Whom our mail with this address went to, or who sits there now; fills in game and seat, where
    the address is one of a seat."""
    named = post.read_reply_address(row.recipient)
    if named is None:
        person = post.read_person_address(row.recipient)
        return User.objects.filter(pk=person).first() if person is not None else None
    row.game = Game.objects.filter(public_id=named.public_id).first()
    row.seat, row.seq = named.seat, named.seq
    seats = Seat.objects.filter(game=row.game, number=named.seat).select_related("user")
    seat = seats.first() if row.game is not None else None
    return seat.user if seat is not None else None


def _verdict(row: InboundMail) -> str:
    """What was done about a mail of a player."""
    if row.game is None:
        return handlers.list_games(row)
    if limited := rate_limits.verdict(row):
        return limited
    if row.cut:
        return handlers.too_large(row)
    return handlers.carry_out(row)


def _language(user: User) -> str:
    known = dict(settings.LANGUAGES)
    return user.language if user.language in known else settings.LANGUAGE_CODE
