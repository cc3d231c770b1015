"""Processes stored emails: one row, one transaction, at most one answer.

The end of the row, the move and the outbox row of the answer are committed together, so an email
whose worker is killed is processed again and nothing of it happens twice.
"""

import logging
import re
import threading
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.postgres.expressions import ArraySubquery
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import OuterRef, Q
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from games import selectors, services
from games.mail import queue, reply_addresses, signed_links
from games.models import Action, Decision, Game, InboundMail, Seat, User, database_clock
from games.services import QuotaExceeded, quotas
from games.services.locked_game import LockedGame

from . import (
    appeals,
    authenticity,
    auto_replies,
    handlers,
    intake,
    limited_reader,
    mime,
    reply_context,
)
from .mime import ParsedMail
from .reply_context import ReplyContext

logger = logging.getLogger(__name__)

State = InboundMail.State
Outcome = InboundMail.Outcome
SenderCheck = InboundMail.SenderCheck

MOST_TRIES = 5
LEASE = timedelta(seconds=5)  # from the claim to the lock, which takes no time
RETRY_DELAY = timedelta(seconds=60)  # until an email that could not be processed is tried again
MOST_HEAD = 64 * 1024
MOST_AT_ONCE = 2  # emails that one process reads, so that its other threads can send

_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
_NETWORK = re.compile(r"\[(?:IPv6:)?([0-9a-f.:]{3,45})\]", re.IGNORECASE)
_readers = threading.BoundedSemaphore(MOST_AT_ONCE)
_look_again = threading.Event()

# In an email that cannot be parsed, what speaks against an answer (RFC 3834).
_BY_MACHINE = re.compile(
    rb"mailer-daemon|postmaster@|auto-submitted|auto_reply|list-id|multipart/report"
)
# Choose, count and lease in one statement. The order is that of the index games_inbound_due.
_CLAIM = """
    UPDATE games_inboundmail SET attempts = attempts + 1, next_try_at = %(now)s + %(lease)s
    WHERE id = (
        SELECT id FROM games_inboundmail
        WHERE state = 'new' AND next_try_at <= %(now)s AND id <> ALL(%(except)s)
            AND (%(key)s::bigint IS NULL OR id = %(key)s)
        ORDER BY next_try_at, id LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING id, attempts
"""
# Nobody reads these any more, and strangers can cause them: their text is not kept.
_UNREAD = (Outcome.NOT_OURS, Outcome.GONE, Outcome.STRANGER, Outcome.QUIET)
_RESULTS = (
    "raw",
    "state",
    "read_at",
    "error",
    "outcome",
    "answer",
    "game",
    "seat",
    "seq",
    "user",
    "sender_check",
    "line",
    "letter",
    "offer",
    "message_id",
)


def read_waiting(seconds: float = 60.0) -> int:
    """Process the emails that are due, each at most once, for about `seconds`; how many.

    If MOST_AT_ONCE threads of this process do so already, they look once more instead.
    """
    stop_at = time.monotonic() + seconds
    done, failed = 0, list[int]()
    _look_again.set()
    while _look_again.is_set() and _readers.acquire(blocking=False):
        try:
            _look_again.clear()
            while time.monotonic() < stop_at and (claimed := _claim(failed)) is not None:
                if _read(claimed):
                    done += 1
                else:
                    failed.append(claimed.key)
        finally:
            _readers.release()
    return done


def read_one(key: int) -> bool:
    """Process one email, unless another worker has done so or is at it; whether this call did."""
    claimed = _claim([], key)
    return claimed is not None and _read(claimed)


class _Claim(NamedTuple):
    """An email that this worker may process, and the number of this try."""

    key: int
    attempt: int


def _claim(failed: Sequence[int], key: int | None = None) -> _Claim | None:
    """Claim the email that has waited longest, or that with this key; None if none is due.

    failed: keys of emails that this call of the reader leaves alone.

    The try is counted in a transaction of its own: an email that kills its workers is given up.
    Until the lease ends, no other worker chooses the email; after that, the lock of its processing
    protects it. A worker that dies releases that lock.
    """
    values: dict[str, Any] = {
        "now": database_clock.now(),
        "lease": LEASE,
        "except": list(failed),
        "key": key,
    }
    with connection.cursor() as cursor:
        cursor.execute(_CLAIM, values)
        found = cursor.fetchone()
    return _Claim(*found) if found is not None else None


def _read(claim: _Claim) -> bool:
    """Process a claimed email; whether that succeeded."""
    row = InboundMail.objects.filter(pk=claim.key, state=State.NEW, attempts=claim.attempt)
    if claim.attempt > MOST_TRIES:
        row.filter(error="").update(error="the worker crashed repeatedly while reading it")
        if row.update(state=State.FAILED, attempts=MOST_TRIES):
            _apologise(claim.key)
        return False
    try:
        with transaction.atomic():
            # Wait for the lock: a worker that looks for its next email may hold it for a moment.
            locked = row.select_for_update().first()
            if locked is None:
                return False  # this worker stood still, and another has claimed the email since
            locked.outcome = _process(locked)
            # A provider's form that cannot be read keeps its error: somebody has to change it.
            is_unread = locked.outcome == Outcome.BROKEN and locked.error != ""
            locked.state = State.FAILED if is_unread else State.DONE
            locked.read_at = database_clock.now()
            if not is_unread:
                locked.error = ""
            if locked.outcome in _UNREAD and not _is_test(locked):
                locked.raw, locked.line, locked.letter = b"", "", None
            locked.save(update_fields=_RESULTS)
        return True
    except (OperationalError, InterfaceError):
        raise  # the database, not this email: it is due again when the lease is over
    except Exception as error:
        logger.exception("Inbound email %s cannot be processed.", claim.key)
        row.update(error=_reason(error), next_try_at=database_clock.now() + RETRY_DELAY)
        if row.filter(attempts__gte=MOST_TRIES).update(state=State.FAILED):
            _apologise(claim.key)
        return False


def _is_test(row: InboundMail) -> bool:
    """Return whether this answers the operator's test email, which `check_mail` reads then."""
    named = reply_addresses.read_reply_address(row.recipient)
    return named is not None and named.public_id == reply_addresses.TEST_GAME_ID


def _reason(error: Exception) -> str:
    """Return the error as moderators read it, without the values of rows in PostgreSQL's detail."""
    return repr(error).partition("\\nDETAIL:")[0][:500]


def _apologise(key: int) -> None:
    """Answer an email that was given up, without reading its text."""
    try:
        with transaction.atomic():
            row = InboundMail.objects.select_for_update().get(pk=key)
            _process(row, is_given_up=True)
            row.save(update_fields=["game", "seat", "seq", "user", "sender_check", "answer"])
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        logger.exception("Inbound email %s cannot be answered either.", key)


def _process(row: InboundMail, *, is_given_up: bool = False) -> Outcome:
    """Do what the email asks for; fills in the row. is_given_up: only say that it failed."""
    if row.outcome == Outcome.BROKEN:  # of a provider, whose form cannot be read
        return _answer_unreadable(row)
    try:
        message = mime.read(_head(bytes(row.raw)))
    except mime.Unreadable:
        return _answer_unreadable(row)
    row.message_id = message.message_id
    if not intake.is_ours(row.recipient):
        return Outcome.NOT_OURS
    own_address = mime.one_address(settings.MAIL_FROM)
    if silent := auto_replies.check(message, row.sender, own_address, settings.SITE_HOST):
        return silent
    found = _find_user(row, message.author)
    user, verified = found.user, found.verified
    if user is None:
        return Outcome.GONE
    may_act = found.appealed is not None or selectors.may_act(user, message.author)
    if not may_act and not user.is_frozen:
        if user.is_suspended:
            _tell_of_suspension(user)
        return Outcome.GONE
    # The address of an account counts where nothing says that it is not verified.
    is_own = any(verified) if verified else message.author == user.email.lower()
    row.user, row.sender_check = user, SenderCheck.STRANGER
    if is_own:
        row.sender_check = authenticity.check(message, row, user)
    with translation.override(_language(user)), timezone.override(user.zone):
        reply = reply_context.NOTHING
        if not is_given_up:
            try:
                _spend(row, user, message)
            except QuotaExceeded as exceeded:
                return _over_limit(row, found, exceeded)
            if not may_act:
                return _tell_how_to_restore(row, user)
            reply = limited_reader.read(bytes(row.raw), is_truncated=row.is_truncated)
        if found.appealed is not None:
            return appeals.handle(row, user, found.appealed, reply)
        if row.game is None or row.seat is None:
            return handlers.list_games(row, user, reply)
        context = ReplyContext(
            row,
            row.game,
            row.seat,
            user,
            reply=reply,
            answered=_answered(message),
            sits=found.former is None,
            locked=found.former,
        )
        return handlers.apologise(context) if is_given_up else handlers.handle(context)


def _tell_of_suspension(user: User) -> None:
    """Answer the first email of a suspended person, once for each decision."""
    with translation.override(_language(user)), timezone.override(user.zone):
        body = _(
            "Your email hasn’t been read, and nothing has been changed. Deadlines still apply at "
            "tables where you keep your seat. We won’t answer further emails during the "
            "suspension."
        )
        context = {
            "language": _language(user),
            "subject": _("Your account is suspended"),
            "body": f"{selectors.why_not_active(user)} {body}\n\n"
            f"{settings.SITE_URL}{reverse('account_login')}",
        }
        decided = Decision.objects.filter(person=user, action=Action.SUSPEND)
        newest = decided.order_by("-pk").values_list("pk", flat=True).first()
        queue.account(user.email, dedupe=f"suspended:{newest}", context=context, user=user)


def _tell_how_to_restore(row: InboundMail, user: User) -> Outcome:
    """Answer for a frozen account, by which the writer's address does nothing."""
    change = services.freezing_change(user)
    path = signed_links.not_me_path(change.pk) if change else reverse("account_login")
    body = _(
        "Your email hasn’t been read: your account is frozen, because someone reported a change to "
        "it. To use it again, restore it here:"
    )
    context = {
        "language": _language(user),
        "subject": _("Your account is frozen"),
        "body": f"{body}\n\n{settings.SITE_URL}{path}",
    }
    queue.account(user.email, dedupe=f"frozen:{row.pk}", context=context, user=user)
    return Outcome.REFUSED


def _head(raw: bytes) -> bytes:
    """The headers, as far as they are read before it is known whose email this is."""
    return _END_OF_HEAD.split(raw[:MOST_HEAD], 1)[0]


def _answer_unreadable(row: InboundMail) -> Outcome:
    """Answer an email that nobody can parse, if the player's address and no sign of a machine
    occurs in it."""
    text = bytes(row.raw).lower()
    found = _find_user(row, "") if row.sender != "" and intake.is_ours(row.recipient) else NOBODY
    user = found.user
    may_act = user is not None and (found.appealed is not None or selectors.may_act(user))
    if user is None or not may_act or _BY_MACHINE.search(text):
        return Outcome.BROKEN
    addresses = {
        user.email,
        *EmailAddress.objects.filter(user=user).values_list("email", flat=True),
    }
    if not any(address.lower().encode() in text for address in addresses):
        return Outcome.BROKEN
    row.user, row.sender_check = user, SenderCheck.UNKNOWN
    with translation.override(_language(user)), timezone.override(user.zone):
        if found.appealed is not None:
            appeals.handle(row, user, found.appealed, reply_context.NOTHING)
        elif row.game is None or row.seat is None:
            handlers.list_games(row, user, reply_context.NOTHING)
        else:
            handlers.apologise(ReplyContext(row, row.game, row.seat, user))
    return Outcome.BROKEN


def _language(user: User) -> str:
    is_known = user.language in dict(settings.LANGUAGES)
    return user.language if is_known else settings.LANGUAGE_CODE


def _spend(row: InboundMail, user: User, message: ParsedMail) -> None:
    """Count this email before its text is read. Raises QuotaExceeded."""
    if row.sender_check == SenderCheck.PASS:
        quotas.spend(quotas.REPLIES, person=user, table=row.game)
        return
    # The topmost field is that of our own mail server, or of the provider's.
    has_server = row.channel in authenticity.AUTHENTICATED_CHANNELS
    found = _NETWORK.search(message.first("received")) if has_server else None
    network = found[1] if found else ""
    quotas.spend(quotas.READINGS, person=user, table=row.game, network=network)


def _over_limit(row: InboundMail, found: "_Found", exceeded: QuotaExceeded) -> Outcome:
    if row.game is None or row.seat is None or found.user is None or found.former is not None:
        return Outcome.QUIET
    return handlers.over_limit(ReplyContext(row, row.game, row.seat, found.user), exceeded)


def _answered(message: ParsedMail) -> str:
    """The Message-ID of the email that this one answers: some programs name it in References
    alone."""
    named = message.first("in-reply-to").split() or message.first("references").split()[-1:]
    return named[0] if named else ""


class _Found(NamedTuple):
    """The user to whom a reply address belongs.

    verified: for each address record of the user with the author's address, whether it is verified.
    former: the game, locked, if the user no longer has a seat there. appealed: the decision (pk)
    against which they appeal, who may be suspended then.
    """

    user: User | None
    verified: list[bool]
    former: LockedGame | None = None
    appealed: int | None = None


NOBODY = _Found(None, [])


def _find_user(row: InboundMail, author: str) -> _Found:
    """Find the user to whom the reply address belongs, and fill in the game and seat it names."""
    named = reply_addresses.read_reply_address(row.recipient)
    if named is None:
        appealed = reply_addresses.read_appeal_address(row.recipient)
        if appealed is not None:
            key = Decision.objects.filter(pk=appealed).values_list("person", flat=True).first()
        else:
            key = reply_addresses.read_person_address(row.recipient)
        users = User.objects.filter(pk=key or 0).annotate(verified=_verified(author, "pk"))
        user = users.first()
        return _Found(user, user.verified if user is not None else [], appealed=appealed)
    row.seat, row.seq = named.seat, named.seq
    seats = Seat.objects.filter(game__public_id=named.public_id, number=named.seat)
    seats = seats.select_related("game", "user").annotate(verified=_verified(author, "user"))
    seat = seats.first()
    if seat is None:
        return NOBODY
    row.game = seat.game
    is_holder = seat.user is not None and (seat.verified or author == seat.user.email.lower())
    return (not is_holder and _former(seat.game, author)) or _Found(seat.user, seat.verified)


def _former(game: Game, author: str) -> _Found | None:
    """The person with this address who had a seat in this game and has none now, if any."""
    known = EmailAddress.objects.filter(email__iexact=author, verified=True).values("user")
    found = User.objects.filter(Q(pk__in=known) | Q(email__iexact=author))
    user = found.annotate(verified=_verified(author, "pk")).first() if author else None
    if user is None:
        return None
    locked = LockedGame(game.pk)  # they may want their seat back
    if locked.seat_of(user) is not None or user.pk not in locked.log.seating.players:
        return None
    return _Found(user, user.verified, locked)


def _verified(author: str, user: str) -> ArraySubquery:
    rows = EmailAddress.objects.filter(user=OuterRef(user), email__iexact=author)
    return ArraySubquery(rows.values("verified"))
