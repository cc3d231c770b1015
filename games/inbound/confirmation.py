"""The link that confirms a reply: what its page shows, and what its button does."""

from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from games import selectors
from games.models import InboundMail
from games.rules.errors import MoveError
from games.services import ServiceError

from . import answers, commands, handlers, player_reports, reply_context, votes
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
        return Confirmation(context, tuple(_sentences(context)))
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
            row.outcome = handlers.execute(context, votes.meant(context, commands.parse(row.line)))
        except (MoveError, ServiceError) as error:
            return Confirmation(context, problem=answers.reason_of(error, context))
        row.save(update_fields=["confirmed_at", "outcome", "answer", "line", "note"])
        return Confirmation(context, done=True)


def _find(rows: QuerySet[InboundMail], key: int) -> ReplyContext | None:
    recent = rows.filter(pk=key, received_at__gte=timezone.now() - GOOD_FOR)
    row = recent.select_related("game", "user").first()
    if row is None or row.game is None or row.seat is None or row.user is None:
        return None
    if not row.confirmed_at and row.outcome != InboundMail.Outcome.CONFIRM:
        return None
    return ReplyContext(row, row.game, row.seat, row.user)


def _sentences(context: ReplyContext) -> list[str]:
    match votes.meant(context, commands.parse(context.row.line)):
        case commands.AskVote() as vote:
            votes.known(vote)
            if vote.is_sure:
                return [_("End the game now, without a result. This can’t be undone.")]
            return [_("Ask the others for this vote: %(line)s") % {"line": context.row.line}]
        case commands.AnswerVote(agrees):
            agreed = _("Agree to the vote.")
            return [agreed if agrees else _("Say no to the vote.")]
        case commands.Move(line):
            return reply_context.preview(context, line)
        case commands.Note(text):
            return [_("Add a note to your last move: %(text)s") % {"text": text}]
        case commands.Say():
            return [_("Write to the others at the table: %(text)s") % {"text": context.row.note}]
        case commands.Report():
            person, text = player_reports.require(context)
            known = {"name": person.name, "text": text}
            return [_("Report %(name)s to the moderators: %(text)s") % known]
        case commands.SwitchMail(on):
            off = _("Turn off emails for this game.")
            return [_("Turn emails for this game back on.") if on else off]
        case commands.StopAll(off):
            off_all = _("Turn off all emails of this service.")
            return [off_all if off else _("Turn all emails of this service back on.")]
        case commands.Undo():
            return [_("Take back your last step.")]
        case commands.Away() as away:
            last = handlers.last_day_of_absence(context.user, away, context.row.received_at)
            return [_("Enter an absence until %(day)s.") % {"day": selectors.day(last)}]
        case commands.Resign():
            return [_("You’re about to resign. This can’t be undone.")]
    raise ServiceError(_("There’s nothing to confirm."))
