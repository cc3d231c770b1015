"""Offers in answers: the one move that a reply came close to, which a reply of "yes" then plays.

An offer holds while the position is unchanged. The row of the reply that was answered keeps it.
"""

from datetime import timedelta

from django.utils import timezone

from games.models import InboundMail
from games.rules.errors import MoveError

from . import commands
from .reply_context import ReplyContext
from .reply_parser import Reply

GOOD_FOR = timedelta(days=7)
MOST = 5  # emails that are looked at for the question that a "yes" answers

Outcome = InboundMail.Outcome


def find(context: ReplyContext) -> InboundMail | None:
    """The email whose answer asked the question that this "yes" answers; None where there is none.

    That is the email whose answer is named in In-Reply-To, else the last one before it.
    """
    row = context.row
    earlier = InboundMail.objects.filter(
        game=context.game,
        seat=context.seat,
        user=context.user,
        state=InboundMail.State.DONE,
        received_at__gt=timezone.now() - GOOD_FOR,
    )
    recent = earlier.exclude(pk=row.pk).exclude(outcome__in=(Outcome.REACTION, Outcome.QUIET))
    rows = list(recent.select_related("answer").order_by("-read_at", "-pk")[:MOST])
    named = (r for r in rows if r.answer is not None and r.answer.message_id == context.answered)
    found = next(named, None)
    if found is None and rows and not _says_something(context, rows[0]):
        found = rows[0]
    asks = found is not None and (found.offer or found.outcome == Outcome.ASKED)
    return found if asks else None


def _says_something(context: ReplyContext, last: InboundMail) -> bool:
    """Whether the line is a move of its own here, and not the one that was offered last."""
    log = context.log
    try:
        meant = log.engine.notation.parse(context.row.line, context.view)
        return bool(log.engine.notation.describe(meant, context.view) != last.offer)
    except MoveError:
        return False


def is_current(context: ReplyContext, asked: InboundMail) -> bool:
    """Whether the position is still the one in which the move was offered."""
    return asked.answer is not None and context.log.moved_at <= asked.answer.seq


def suggestion(context: ReplyContext) -> str:
    """The move to offer in answer to a reply that was not understood, in notation; "" for none."""
    engine, view = context.log.engine, context.view
    for line in lines_of(context.reply):
        try:
            command = engine.notation.parse(line, view)
        except MoveError:
            command = engine.notation.suggest(line, view)
        if command is not None:
            return engine.notation.describe(command, view)
    return ""


def lines_of(reply: Reply) -> list[str]:
    """The lines in which a move may stand: the first, and the one below a greeting."""
    more = [line for line in reply.more if line.strip()]
    below = more[:1] if commands.is_greeting(reply.line) else []
    return [commands.split_note(line)[0] for line in (reply.line, *below)]
