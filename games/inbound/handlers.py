"""Carries out the first own line of a reply and answers it.

A verified sender is obeyed at once. For all others, whatever would change the game waits behind a
link with a button; what only shows something is sent, to the user's own address.
"""

from datetime import date, datetime
from typing import Any

from django.utils.translation import gettext as _

from games import selectors, services
from games.mail import queue
from games.mail.kinds import answer
from games.mail.kinds.players import REPLY_SEQ as TALK_SEQ
from games.models import InboundMail, User, database_clock
from games.rules import printed_lines
from games.rules.errors import IllegalMove, MoveError
from games.services import GameMoved, QuotaExceeded, ServiceError, quotas
from games.translate import say

from . import answers, auto_replies, commands, player_reports, questions, reply_context, votes
from .reply_context import ReplyContext
from .reply_parser import LONGEST, Problem

Outcome = InboundMail.Outcome

_LIMITS_OF_ANSWERS = {quotas.UNVERIFIED_REPLIES.name, quotas.UNCLEAR_REPLIES.name}


def list_games(row: InboundMail, user: User, problem: Problem | None = None) -> Outcome:
    """Answer a reply about several games with where to write about each.

    Of a verified sender, what is about no game is carried out: all emails off or on, an absence.
    problem: why the reply cannot be read.
    """
    if row.sender_check == InboundMail.SenderCheck.STRANGER:
        return Outcome.STRANGER
    if auto_replies.is_reaction(row.line):
        return Outcome.REACTION
    known: dict[str, Any] = {"message_id": row.message_id}
    limits = quotas.UNVERIFIED_REPLIES
    if row.sender_check == InboundMail.SenderCheck.PASS:
        known |= _handle_for_all_games(row, user)
        limits = quotas.GAME_LISTS
    try:
        quotas.spend(limits, person=user)
    except QuotaExceeded:
        return Outcome.QUIET
    if problem is Problem.CUT:
        known["topic"] = "large"
    row.answer_id = queue.answer(None, None, user, seq=0, about=str(row.pk), context=known)
    return Outcome.LARGE if problem is Problem.CUT else Outcome.SHOWN


def _handle_for_all_games(row: InboundMail, user: User) -> dict[str, Any]:
    """Carry out what is about no game; what the answer says of it, {} if there is nothing."""
    match commands.parse(row.line):
        case commands.StopAll(off):
            services.all_mail_switch(user=user, off=off)
            return {"topic": "stop" if off else "start"}
        case commands.Away() as away:
            try:
                lines = _enter_absence(user, away, row.received_at)
            except ServiceError as error:
                lines = [error.text]
            return {"topic": "away", "lines": lines}
    return {}


def handle(context: ReplyContext) -> Outcome:
    """Do what the reply says, as far as its sender is trusted, and answer it."""
    try:
        return _handle(context)
    except QuotaExceeded as exceeded:
        return over_limit(context, exceeded)


def over_limit(context: ReplyContext, exceeded: QuotaExceeded) -> Outcome:
    """Answer the first email over a limit, if its sender is verified. Later ones are ignored
    silently, because only machines send that many."""
    if not exceeded.is_first or not context.is_trusted:
        return Outcome.QUIET
    context.answer(answer.NOTICE, topic="limit", reason=exceeded.text, board=False)
    return Outcome.LIMIT


def handle_lost(context: ReplyContext) -> Outcome:
    """Answer a player whose seat a bot has taken: they may take it back, and stop all email."""
    if context.is_from_stranger:
        return Outcome.STRANGER
    if context.reply.is_reaction or auto_replies.is_reaction(context.row.line):
        return Outcome.REACTION
    command = commands.parse(context.row.line)
    if not context.is_trusted and not isinstance(command, commands.TakeBack):
        return Outcome.QUIET
    try:
        return _handle_lost(context, command)
    except QuotaExceeded:
        return Outcome.QUIET
    except ServiceError as error:
        context.answer(answer.NOTICE, topic="no_seat", reason=error.text, board=False)
        return Outcome.REFUSED


def _handle_lost(context: ReplyContext, command: commands.ReplyCommand) -> Outcome:
    match command:
        case commands.TakeBack():
            if not context.is_trusted:
                raise ServiceError(
                    _("We couldn’t verify the sender. Take the seat back on the game page.")
                )
            services.take_seat_back(context.lock(), context.user)
            answers.report(context, "seat_back", board=True)
            return Outcome.ORDERED
        case commands.StopAll():
            return execute(context, command)
    raise ServiceError(
        _(
            "A bot has taken your seat, so your reply wasn’t carried out. If you want the seat back, "
            "reply “take my seat back”."
        )
    )


def _handle(context: ReplyContext) -> Outcome:
    command = commands.parse(context.row.line)
    if context.is_from_stranger:
        return _handle_stranger(context, command)
    if context.reply.problem is Problem.CUT:  # what was cut off might change the meaning
        answers.report(context, "large", board=False)
        return Outcome.LARGE
    if context.reply.problem is not None:
        return answers.not_readable(context, context.reply.problem)
    if auto_replies.is_reaction(context.row.line):
        return Outcome.REACTION
    try:
        if context.row.seq == TALK_SEQ:
            return _handle_message(context, command)
        meant = _meant(context, command)
        if context.reply.is_reaction and meant == command:
            return Outcome.REACTION
        command = meant
        return _handle_player(context, command)
    except GameMoved:
        return answers.stale(context)
    except MoveError as error:
        if votes.is_answered(context):
            return answers.not_understood(context, votes.how_to_answer(), with_notation=False)
        # The reply answers an email from before the question.
        if reply_context.is_newly_asked(context):
            return answers.stale(context)
        is_malformed = not isinstance(error, IllegalMove)
        reason = answers.reason_of(error, context)
        offer = questions.suggestion(context) if isinstance(command, commands.Move) else ""
        if not offer and isinstance(command, commands.Move) and _is_for_players(command):
            return answers.offer_to_say(context, with_notation=is_malformed)
        return answers.not_understood(context, reason, with_notation=is_malformed, offer=offer)
    except ServiceError as error:
        if isinstance(error, QuotaExceeded) and error.quota.action in _LIMITS_OF_ANSWERS:
            raise
        if isinstance(command, commands.Move) and _is_for_players(command):
            return answers.offer_to_say(context, error.text)
        return answers.not_understood(context, error.text, with_notation=False)


def _is_for_players(command: commands.Move) -> bool:
    line = command.line
    return commands.is_to_players(line) and not commands.is_about_absence(line)


def _handle_message(context: ReplyContext, command: commands.ReplyCommand) -> Outcome:
    """Carry out a reply to an email with messages, which needs no word of a command. What reads as
    a command or a move is neither carried out nor sent to the others before they agree."""
    if context.reply.is_reaction:
        return Outcome.REACTION
    if isinstance(command, commands.Report) and player_reports.find(context) is not None:
        return _handle_player(context, command)
    if not isinstance(command, commands.Say):
        if not context.row.line:
            return answers.nothing_read(context)
        is_move = isinstance(command, commands.Move)
        if not is_move or questions.suggestion(context):
            return answers.offer_to_say(context)
        _take_as_message(context)
    return _handle_player(context, commands.Say(context.row.note))


def _take_as_message(context: ReplyContext) -> None:
    """Read the whole reply as a message."""
    context.row.note = answers.whole_text(context)
    context.row.line = f"{answer.SAY} {context.row.line}"[:LONGEST]


def apologise(context: ReplyContext) -> Outcome:
    """Answer an email that could not be processed, after the last try. Reads no text of it."""
    if context.is_from_stranger:
        return Outcome.STRANGER
    try:
        if context.is_trusted:
            quotas.spend(quotas.REPLIES, person=context.user, table=context.game)
        answers.report(context, "failed", board=False)
    except QuotaExceeded:
        return Outcome.QUIET
    return Outcome.NONE


def _handle_stranger(context: ReplyContext, command: commands.ReplyCommand) -> Outcome:
    """Ask the player to confirm a move that could be made; ignore everything else."""
    if not isinstance(command, commands.Move) or not command.line or context.reply.problem:
        return Outcome.STRANGER
    try:
        reply_context.read_move(context, command.line)
    except (MoveError, ServiceError):
        return Outcome.STRANGER
    return answers.ask_to_confirm(context)


def _meant(context: ReplyContext, command: commands.ReplyCommand) -> commands.ReplyCommand:
    """The command, where a word may be something else at this table.

    A word of a command may be a move of the game, and "yes" answers what was asked last.
    """
    line = context.row.line
    is_yes = isinstance(command, commands.Move) and commands.is_yes(line)
    is_no = isinstance(command, commands.Move) and commands.is_no(line)
    if context.is_trusted and (
        is_yes or is_no or isinstance(command, commands.StopAll | commands.Undo)
    ):
        context.lock()  # before the log is read for the first time
    if isinstance(answered := votes.meant(context, command), commands.AnswerVote):
        return answered
    match command:
        case commands.Move() if is_yes:
            return _agreed(context, command)
        case commands.Move() if is_no and not context.reply.is_reaction:
            return command if questions.find(context) is None else commands.Decline()
        case commands.StopAll() | commands.Undo() | commands.Rules():
            try:
                printed_lines.parse(context.log.engine, line, context.view, say)
            except MoveError:
                return command
            return commands.Move(line)
    return command


def _agreed(context: ReplyContext, command: commands.Move) -> commands.ReplyCommand:
    """The line to which the player agrees: the move that was offered or to resign; else their line
    as a move."""
    asked = questions.find(context)
    if asked is None:
        return command
    row = context.row
    if asked.outcome == Outcome.ASKED:
        row.line = "resign: yes"
        return commands.Resign(is_sure=True)
    if asked.offer == answer.SAY:
        row.line, row.note = f"{answer.SAY} {asked.line}"[:LONGEST], asked.note
        return commands.Say(asked.note)
    if asked.answer is None:
        raise GameMoved
    row.line, row.seq, row.note = asked.offer, asked.answer.seq, row.note or asked.note
    return commands.Move(asked.offer)


def _handle_player(context: ReplyContext, command: commands.ReplyCommand) -> Outcome:
    match command:
        case commands.Show():
            answers.show(context, "board", board=True)
        case commands.ShowWords():
            answers.show(context, "words", answers.position(context))
        case commands.Help():
            answers.show(context, "help", answers.help_lines(context))
        case commands.Rules():
            answers.show(context, "rules", answers.notation(context))
        case commands.Status():
            answers.show(context, "status", answers.games_of(context.user))
        case commands.Legal():
            reply_context.require_turn(context)
            lines = answers.legal_move_lines(context.log, context.seat)
            answers.show(context, "legal", lines, board=True)
        case commands.Preview(line):
            answers.show(context, "preview", reply_context.preview(context, line))
        case commands.Resign(is_sure=False):
            return _ask_to_resign(context)
        case commands.TakeBack():
            raise ServiceError(_("You already have this seat."))
        case commands.Decline():
            answers.report(context, "declined", board=True)
        case commands.Move(line) if not line:
            return answers.nothing_read(context)
        case _ if not context.is_trusted:
            _require_possible(context, command)
            return answers.ask_to_confirm(context)
        case _:
            return execute(context, command)
    return Outcome.SHOWN


def _require_possible(context: ReplyContext, command: commands.ReplyCommand) -> None:
    """Raise the error with which the table would refuse this command now: what is refused needs no
    confirmation."""
    match command:
        case commands.Move(line):
            reply_context.read_move(context, line)
        case commands.Note() | commands.Say():
            services.require_talk_open(context.game)
        case commands.Resign():
            services.require_may_resign(context.lock(), context.user)
        case commands.AskVote() | commands.AnswerVote() | commands.Undo() | commands.Report():
            services.require_possible(lambda: execute(context.as_confirmed(), command))


def _ask_to_resign(context: ReplyContext) -> Outcome:
    """Ask whether the player wants to resign, if they can."""
    services.require_may_resign(context.lock(), context.user)
    return answers.ask_to_resign(context)


def execute(context: ReplyContext, command: commands.ReplyCommand) -> Outcome:
    """Carry out a command that changes something, for a trusted sender.

    Raises MoveError, GameMoved or ServiceError; then nothing has changed.
    """
    row, user = context.row, context.user
    match command:
        case commands.Move(line):
            locked = context.lock()
            unread = reply_context.moves_below(context)
            played = services.play_line(
                locked,
                user=user,
                seat=context.seat,
                line=line,
                version=row.seq,
                note=row.note,
            )
            answers.report_move(context, played, unread=unread)
            return Outcome.REPEATED if played.repeated else Outcome.PLAYED
        case commands.Note(text):
            has_moved = services.add_note(context.lock(), user, text)
            answers.report(context, "note" if has_moved else "first_note", board=False)
        case commands.Say():
            services.write_message(context.game.pk, user, row.note)
            answers.report(context, "said", board=False)
        case commands.Report():
            player_reports.file(context)
            answers.report(context, "reported", board=False)
        case commands.SwitchMail(on):
            services.game_mail_switch(game_id=context.game.pk, user=user, off=not on)
            answers.report(context, "mails_on" if on else "mails_off", board=False)
        case commands.StopAll(off):
            services.all_mail_switch(user=user, off=off)
            answers.report(context, "stop" if off else "start", board=False)
        case commands.Away():
            answers.show(context, "away", _enter_absence(user, command, row.received_at))
        case commands.AskVote():
            votes.ask(context, command)
        case commands.AnswerVote():
            votes.answer(context, command)
        case commands.Undo():
            services.undo_step(context.lock(), user)
            answers.report(context, "undo", board=True)
        case commands.Resign():
            if not row.confirmed_at and not reply_context.was_asked_to_resign(context):
                return _ask_to_resign(context)
            services.resign(context.lock(), user)
            answers.report(context, "resigned", board=False, final=reply_context.is_over(context))
        case _:
            raise ValueError(f"{command!r} changes nothing")
    return Outcome.ORDERED


def _enter_absence(user: User, command: commands.Away, written: datetime) -> list[str]:
    """Enter the absence; return lines about the deadlines. ServiceError for no such day."""
    now = database_clock.now()
    last = last_day_of_absence(user, command, written)
    effects = services.enter_absence(user, now.astimezone(user.zone).date(), last, now)
    until = _("You’re away until %(day)s.") % {"day": selectors.day(last)}
    return [until, *selectors.effect_lines(effects)]


def last_day_of_absence(user: User, command: commands.Away, written: datetime) -> date:
    """Return the last day of the absence. ServiceError if there is no such day.

    written: when the reply arrived. A day without a year, or a weekday, is the next one after that,
    also if the reply is confirmed later.
    """
    try:
        return command.until.seen_from(written.astimezone(user.zone).date())
    except ValueError as error:
        raise ServiceError(_("This date doesn’t exist. Check the day and the month.")) from error
