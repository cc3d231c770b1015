"""Whether the player of a reply can move now, and what the move that it says would do."""

from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from games.models import Game, InboundMail
from games.rules import printed_lines
from games.rules.contract import Command
from games.rules.errors import MoveError
from games.services import GameMoved, ServiceError
from games.services.moves import is_current
from games.translate import say

from . import commands
from .reply_context import ReplyContext

Outcome = InboundMail.Outcome

WEEK = timedelta(days=7)
MOST_BELOW = 10  # lines below the first one that are looked at


def read_move(context: ReplyContext, line: str) -> Command:
    """Return the command of a move that can be made now.

    Raises GameMoved if the position is no longer the one that the writer saw, and MoveError or
    ServiceError if the move cannot be made.
    """
    if not is_current(context.log, context.seat, context.row.seq):
        raise GameMoved
    require_turn(context, or_input=True)
    return printed_lines.parse(context.log.engine, line, context.view, say)


def moves_below(context: ReplyContext) -> bool:
    """Return whether another move stands below the first line. A note below may say anything."""
    engine, view = context.log.engine, context.view
    below = [line for line in context.reply.more if line.strip()]
    for line in below[:MOST_BELOW]:
        if commands.note_below([line]):
            return False
        try:
            printed_lines.parse(engine, line, view, say)
        except MoveError:
            continue
        return True
    return False


def require_turn(context: ReplyContext, *, or_input: bool = False) -> None:
    """Raise ServiceError unless the seat is asked to move, or, with or_input, may leave an order in
    advance."""
    seen = context.log.projection
    match seen.status:
        case Game.Status.PAUSED:
            raise ServiceError(_("This game is paused. Nobody can move until it’s resumed."))
        case Game.Status.FINISHED | Game.Status.ABORTED:
            raise ServiceError(_("This game is over."))
    accepts_input = or_input and context.log.engine.accepts_input(context.view)
    if context.seat not in seen.to_act and not accepts_input:
        raise ServiceError(_("It’s not your turn."))


def is_newly_asked(context: ReplyContext) -> bool:
    """Return whether the seat is asked now and was not at the position that the email showed."""
    then = context.log.until(context.row.seq)
    seat = context.seat
    return seat in context.log.projection.to_act and seat not in then.projection.to_act


def was_asked_to_resign(context: ReplyContext) -> bool:
    """Return whether this user was asked within a week whether to give up this very seat."""
    return InboundMail.objects.filter(
        game=context.game,
        seat=context.seat,
        user=context.user,
        outcome=Outcome.ASKED,
        received_at__gt=timezone.now() - WEEK,
    ).exists()


def is_over(context: ReplyContext) -> bool:
    """Return whether the game is over now."""
    return context.log.projection.status in (Game.Status.FINISHED, Game.Status.ABORTED)


def preview(context: ReplyContext, line: str) -> list[str]:
    """The effects of this move, with warnings, in sentences."""
    command = read_move(context, line)
    form = context.log.engine.presentation.preview(context.view, command)
    return [say(text, context.names) for text in (*form.preview, *form.warnings)]
