"""Processes stored emails: one row, one transaction, at most one answer.

The end of the row, the move and the outbox row of the answer are committed together, so an email
whose worker is killed is processed again and nothing of it happens twice.
"""

import logging
import time
from datetime import timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.postgres.expressions import ArraySubquery
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import OuterRef
from django.utils import timezone, translation

from games import services
from games.mail import reply_addresses
from games.models import InboundMail, Seat, User

from . import authenticity, auto_replies, commands, handlers, intake, mime, reply_parser
from .reply_context import ReplyContext

logger = logging.getLogger(__name__)

State = InboundMail.State
Outcome = InboundMail.Outcome
SenderCheck = InboundMail.SenderCheck

MOST_TRIES = 5
LEASE = timedelta(seconds=5)  # from being counted as a try to being locked, which takes no time
RETRY_DELAY = timedelta(seconds=60)  # until an email that could not be processed is tried again
BATCH = 50

_COUNT_TRY = """
    UPDATE games_inboundmail SET attempts = attempts + 1, next_try_at = %(until)s WHERE id = (
        SELECT id FROM games_inboundmail
        WHERE id = %(key)s AND state = 'new' AND next_try_at <= %(now)s FOR UPDATE SKIP LOCKED
    ) RETURNING attempts
"""
_RESULTS = (
    *("state", "read_at", "error", "outcome", "answer", "game", "seat", "seq", "user"),
    *("sender_check", "line", "note", "message_id"),
)


def read_waiting(seconds: float = 60.0) -> int:
    """Process the emails that are due, each at most once, for about `seconds`; how many."""
    stop_at = time.monotonic() + seconds
    outcomes: dict[int, bool] = {}
    while True:
        due = InboundMail.objects.filter(state=State.NEW, next_try_at__lte=timezone.now())
        failed = [key for key, is_done in outcomes.items() if not is_done]
        due = due.exclude(pk__in=failed).order_by("next_try_at", "id")
        keys = list(due.values_list("pk", flat=True)[:BATCH])
        for key in keys:
            if time.monotonic() >= stop_at:
                return sum(outcomes.values())
            outcomes[key] = read_one(key)
        if not keys:
            return sum(outcomes.values())


def read_one(key: int) -> bool:
    """Process one email, unless another worker has done so or is at it; whether this call did."""
    if not _count_try(key):
        return False
    try:
        with transaction.atomic():
            rows = InboundMail.objects.select_for_update(skip_locked=True)
            row = rows.filter(pk=key, state=State.NEW).first()
            if row is None:
                return False
            row.outcome = _process(row)
            row.state, row.read_at, row.error = State.DONE, timezone.now(), ""
            row.save(update_fields=_RESULTS)
        return True
    except (OperationalError, InterfaceError):
        raise  # the database, not this email: it is due again when the lease is over
    except Exception as error:
        logger.exception("Inbound email %s cannot be processed.", key)
        waiting = InboundMail.objects.filter(pk=key, state=State.NEW)
        waiting.update(error=repr(error)[:500], next_try_at=timezone.now() + RETRY_DELAY)
        waiting.filter(attempts__gte=MOST_TRIES).update(state=State.FAILED)
        return False


def _count_try(key: int) -> bool:
    """Count the try, in a transaction of its own: an email that kills its workers is given up.

    False if the email is not due, or another worker has it. A worker that dies releases its lock,
    so no lease has to protect the processing itself.
    """
    now = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(_COUNT_TRY, {"key": key, "now": now, "until": now + LEASE})
        found = cursor.fetchone()
    if found is None or found[0] <= MOST_TRIES:
        return found is not None
    row = InboundMail.objects.filter(pk=key)
    row.update(state=State.FAILED, attempts=MOST_TRIES)
    row.filter(error="").update(error="the worker crashed repeatedly while reading it")
    return False


def _process(row: InboundMail) -> Outcome:
    """Do what the email asks for; fills in the row."""
    try:
        message = mime.read(bytes(row.raw))
    except mime.Unreadable:
        return Outcome.BROKEN
    row.message_id = message.message_id
    if not intake.is_ours(row.recipient):
        return Outcome.NOT_OURS
    own_address = mime.one_address(settings.MAIL_FROM)
    if silent := auto_replies.check(message, row.sender, own_address, settings.SITE_HOST):
        return silent
    user, verified = _find_user(row, message.author)
    if user is None or not user.is_active:
        return Outcome.GONE
    # The address of an account counts where nothing says that it is not verified.
    is_own = any(verified) if verified else message.author == user.email.lower()
    row.user, row.sender_check = user, SenderCheck.STRANGER
    if is_own:
        row.sender_check = authenticity.check(message, row.channel, settings.MAIL_AUTHSERV_ID)
    if not row.is_truncated:
        reply = reply_parser.read(message)
        row.line = reply.line
        row.note = commands.note_below(reply.more)[: services.MAX_NOTE]
    is_known = user.language in dict(settings.LANGUAGES)
    language = user.language if is_known else settings.LANGUAGE_CODE
    with translation.override(language), timezone.override(user.zone):
        if row.game is None or row.seat is None:
            return handlers.list_games(row, user)
        return handlers.handle(ReplyContext(row, row.game, row.seat, user))


def _find_user(row: InboundMail, author: str) -> tuple[User | None, list[bool]]:
    """The user whom the reply address belongs to; fills in the game and seat, if it names a seat.

    Also whether `author` is verified, once for each time the user has entered this address.
    """
    named = reply_addresses.read_reply_address(row.recipient)
    if named is None:
        users = User.objects.filter(pk=reply_addresses.read_person_address(row.recipient) or 0)
        user = users.annotate(verified=_verified(author, "pk")).first()
        return user, user.verified if user is not None else []
    row.seat, row.seq = named.seat, named.seq
    seats = Seat.objects.filter(game__public_id=named.public_id, number=named.seat)
    seats = seats.select_related("game", "user").annotate(verified=_verified(author, "user"))
    seat = seats.first()
    if seat is None:
        return None, []
    row.game = seat.game
    return seat.user, seat.verified


def _verified(author: str, user: str) -> ArraySubquery:
    rows = EmailAddress.objects.filter(user=OuterRef(user), email__iexact=author)
    return ArraySubquery(rows.values("verified"))
