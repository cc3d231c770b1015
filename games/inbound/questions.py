"""Questions in answers that a "yes" or a "no" answers: the one move that a reply came close to, and
whether somebody really resigns.

The row of the reply that was answered keeps the offer. `find` alone decides whether it still holds:
until it was declined, another question was asked, the player wrote anything else than a command
that only shows something, or the position changed.
"""

from collections.abc import Sequence
from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from games.mail.kinds.answer import SAY
from games.models import InboundMail
from games.rules import printed_lines
from games.rules.errors import MoveError
from games.services import GameMoved, ServiceError
from games.translate import say

from . import commands
from .reply_context import ReplyContext
from .reply_parser import Reply

GOOD_FOR = timedelta(days=7)
MOST = 20  # emails that are looked at for the question

Outcome = InboundMail.Outcome

_WITHOUT_EFFECT = (Outcome.REACTION, Outcome.QUIET, Outcome.STRANGER)
_ENDING = (Outcome.PLAYED, Outcome.REPEATED, Outcome.UNCLEAR, Outcome.REFUSED)


def find(context: ReplyContext) -> InboundMail | None:
    """The email whose answer asked the question that this "yes" or "no" answers; None for none.

    That is the email whose answer is named in In-Reply-To, else the last email, if its answer asked
    anything. ServiceError if the question is over, or if the line is a move of its own as well;
    GameMoved if the position is no longer the one in which the move was offered.
    """
    rows = _recent(context)
    asked = [n for n, row in enumerate(rows) if _asks(row)]
    named = next((n for n in asked if _is_answered(rows[n], context)), None)
    at = next(iter(asked), None) if named is None else named
    if at is None:
        return None
    found, since = rows[at], rows[:at]
    is_current = found.answer is not None and context.log.moved_at <= found.answer.seq
    if named is None and (meant := _own_meaning(context)) and meant != found.offer:
        if since or not is_current:
            return None
        raise ServiceError(
            _("“%(line)s” could mean two things here. Write the move itself.")
            % {"line": context.row.line[:60]}
        )
    if why := _why_over(since):
        raise ServiceError(why)
    if since and named is None:
        return None
    if found.outcome != Outcome.ASKED and found.offer != SAY and not is_current:
        raise GameMoved
    return found


def _recent(context: ReplyContext) -> list[InboundMail]:
    """The last emails of this player on this seat that say something, the newest first."""
    earlier = InboundMail.objects.filter(
        game=context.game,
        seat=context.seat,
        user=context.user,
        state=InboundMail.State.DONE,
        received_at__gt=timezone.now() - GOOD_FOR,
    )
    rows = earlier.exclude(pk=context.row.pk).select_related("answer")
    return [
        row
        for row in rows.order_by("-read_at", "-pk")[:MOST]
        if row.outcome not in _WITHOUT_EFFECT or _is_thumbs_down(row)
    ]


def _is_thumbs_down(row: InboundMail) -> bool:
    return row.outcome == Outcome.REACTION and commands.is_no(row.line)


def _asks(row: InboundMail) -> bool:
    return row.offer != "" or row.outcome == Outcome.ASKED


def _is_answered(row: InboundMail, context: ReplyContext) -> bool:
    return row.answer is not None and row.answer.message_id == context.answered


def _why_over(since: Sequence[InboundMail]) -> str:
    """Return why a question is over after these emails, "" if it is not."""
    if any(commands.is_no(row.line) for row in since):
        return _("You answered “no” to this question. Write the move that you want to make.")
    if any(_asks(row) for row in since):
        return _("This answers an earlier question. Answer the last one, or write the move itself.")
    if any(row.outcome in _ENDING for row in since):
        return _("You’ve written something else since this question. Write the move itself.")
    return ""


def _own_meaning(context: ReplyContext) -> str:
    """The line as a move of its own, in notation; "" if it is none."""
    engine, view = context.log.engine, context.view
    try:
        command = printed_lines.parse(engine, context.row.line, view, say)
        return engine.notation.describe(command, view)
    except MoveError:
        return ""


def suggestion(context: ReplyContext) -> str:
    """The move to offer in answer to a reply that was not understood, in notation; "" for none."""
    engine, view = context.log.engine, context.view
    for line in lines_of(context.reply):
        try:
            command = printed_lines.parse(engine, line, view, say)
        except MoveError:
            command = printed_lines.suggest(engine, line, view, say)
        if command is not None:
            return engine.notation.describe(command, view)
    return ""


def lines_of(reply: Reply) -> list[str]:
    """The lines in which a move may stand: the first, and the one below a greeting."""
    more = [line for line in reply.more if line.strip()]
    below = more[:1] if commands.is_greeting(reply.line) else []
    return [commands.split_note(line)[0] for line in (reply.line, *below)]
