"""Votes by reply: the answer to the email of a vote, and asking for one."""

from datetime import date

from django.utils.translation import gettext as _

from games import services
from games.rules import table_events
from games.services import ServiceError

from . import answers, commands, reply_context
from .reply_context import ReplyContext


def is_answered(context: ReplyContext) -> bool:
    """Return whether the email answers that of a vote. No other email has the address of an event
    that opened one."""
    return any(
        entry.seq == context.row.seq and isinstance(entry.event, table_events.VoteOpened)
        for entry in context.log.entries
    )


def meant(context: ReplyContext, command: commands.ReplyCommand) -> commands.ReplyCommand:
    """The command, or the answer to a vote that a "yes" or a "no" is: whatever else was asked, it
    answers nothing else."""
    if not isinstance(command, commands.Move):
        return command
    agrees = commands.is_yes(context.row.line)
    if (agrees or commands.is_no(context.row.line)) and is_answered(context):
        return commands.AnswerVote(agrees)
    return command


def how_to_answer() -> str:
    """The answer to a line below the email of a vote that is neither a command nor a move."""
    return _("This email asks for your vote. Answer “yes” or “no”.")


def known(command: commands.AskVote) -> table_events.Proposal:
    """The subject of the vote. ServiceError, with what can be written, if we do not know it."""
    if command.about is None or (command.about == "pause" and command.until is None):
        raise ServiceError(
            _(
                "Write “vote pause until 3 January”, “vote resume”, “vote take back”, “vote bot” and a "
                "name, or “vote cancel”."
            )
        )
    return command.about


def ask(context: ReplyContext, command: commands.AskVote) -> None:
    """Ask the others for a vote, and answer that they are asked. ServiceError if that cannot be."""
    passed = services.open_vote(
        context.lock(),
        context.user,
        known(command),
        until=_day(context, command),
        late=_late(context, command),
        is_sure=command.is_sure,
    )
    topic = "vote_passed" if passed else "vote_asked"
    answers.report(context, topic, board=False, final=reply_context.is_over(context))


def answer(context: ReplyContext, command: commands.AnswerVote) -> None:
    """Answer the vote. ServiceError, with how it ended, if it is not open."""
    locked, seq = context.lock(), context.row.seq
    assert seq is not None, "the event of the vote"
    services.answer_vote(locked, context.user, seq, agrees=command.agrees)
    topic = "vote_yes" if command.agrees else "vote_no"
    context.row.line = f"vote: {context.row.line}"  # it answers no other question
    answers.report(context, topic, board=False, final=reply_context.is_over(context))


def _day(context: ReplyContext, command: commands.AskVote) -> date | None:
    if command.until is None:
        return None
    try:
        return command.until.seen_from(context.row.received_at.astimezone(context.user.zone).date())
    except ValueError as error:
        raise ServiceError(_("This date doesn’t exist. Check the day and the month.")) from error


def _late(context: ReplyContext, command: commands.AskVote) -> int | None:
    """The seat of the player who is named, or of the only one who is late."""
    if command.about != "bot":
        return None
    named = [
        number
        for number, name in enumerate(context.names)
        if commands.is_name(name, command.player)
    ]
    if not command.player:
        named = [seat.number for seat in context.lock().seats if seat.overdue]
    if len(named) != 1:
        raise ServiceError(
            _("Write the name of the player who is late, as at the table: “vote bot” and the name.")
        )
    return named[0]
