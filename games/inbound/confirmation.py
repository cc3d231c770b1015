"""The link that confirms a reply: what its page shows, and what its button does."""

from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from games import selectors
from games.models import InboundMail
from games.rules.errors import MoveError
from games.services import ServiceError

from . import answers, handlers
from .reply_context import ReplyContext

GOOD_FOR = timedelta(days=7)


@dataclass(frozen=True)
class Confirmation:
    """The effects of the confirmation, in sentences.

    problem: why it cannot be done (any more). done: it is confirmed.
    """

    context: ReplyContext
    sentences: tuple[str, ...] = ()
    problem: str = ""
    done: bool = False


def find(key: int) -> Confirmation | None:
    """The content of the page of the link; None if there is nothing to confirm (any more)."""
    context = _find(InboundMail.objects.all(), key)
    if context is None:
        return None
    if context.row.confirmed_at:
        return Confirmation(context, done=True)
    if not selectors.may_act(context.user, context.user.email):
        return Confirmation(context, problem=selectors.why_not_active(context.user))
    try:
        return Confirmation(context, tuple(handlers.sentences(context, context.letter.decided)))
    except (MoveError, ServiceError) as error:
        return Confirmation(context, problem=answers.reason_of(error, context))


def confirm(key: int) -> Confirmation | None:
    """Do it, once. Its problem says why it could not be done."""
    with transaction.atomic():
        context = _find(InboundMail.objects.select_for_update(of=("self",)), key)
        if context is None:
            return None
        if context.row.confirmed_at:
            return Confirmation(context, done=True)
        if not selectors.may_act(context.user, context.user.email):
            return Confirmation(context, problem=selectors.why_not_active(context.user))
        row = context.row
        row.confirmed_at = timezone.now()
        try:
            row.outcome = handlers.execute(context, context.letter.decided)
        except (MoveError, ServiceError) as error:
            return Confirmation(context, problem=answers.reason_of(error, context))
        row.save(update_fields=["confirmed_at", "outcome", "answer", "letter"])
        return Confirmation(context, done=True)


def _find(rows: QuerySet[InboundMail], key: int) -> ReplyContext | None:
    recent = rows.filter(pk=key, received_at__gte=timezone.now() - GOOD_FOR)
    row = recent.select_related("game", "user").first()
    if row is None or row.game is None or row.seat is None or row.user is None:
        return None
    if not row.confirmed_at and row.outcome != InboundMail.Outcome.CONFIRM:
        return None
    return ReplyContext(row, row.game, row.seat, row.user)
