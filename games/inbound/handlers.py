"""Carries out the first own line of a reply and answers it.

A verified sender is obeyed at once. For all others, whatever would change the game waits behind a
link with a button; what only shows something is sent, to the user's own address.
"""

from collections.abc import Sequence
from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from games import services
from games.mail import queue
from games.mail.kinds import answer
from games.models import Game, InboundMail, User
from games.rules.contract import Command, IllegalMove, MoveError
from games.rules.text import Text
from games.services import GameMoved, QuotaExceeded, ServiceError, quotas
from games.services.locked_game import is_current
from games.translate import say

from . import commands, legal_move_help, offers, statements, unclear_replies
from .reply_context import ReplyContext

Outcome = InboundMail.Outcome

WEEK = timedelta(days=7)
LIMITS_OF_ANSWERS = {quotas.UNVERIFIED_REPLIES.name, quotas.UNCLEAR_REPLIES.name}
UNCLEAR_BEFORE_FORM = 2  # emails not understood before the one that is answered with a form's link


def list_games(row: InboundMail, user: User) -> Outcome:
    """Answer a reply about several games, whatever it says, with where to write about each."""
    if row.sender_check == InboundMail.SenderCheck.STRANGER:
        return Outcome.STRANGER
    command = commands.parse(row.line)
    if isinstance(command, commands.StopAll) and row.sender_check == InboundMail.SenderCheck.PASS:
        services.all_mail_switch(user=user, off=command.off)
    try:
        quotas.spend(quotas.GAME_LISTS, person=user)
    except QuotaExceeded:
        return Outcome.QUIET
    known = {"message_id": row.message_id}
    if isinstance(command, commands.StopAll):
        known["topic"] = "stop" if command.off else "start"
    row.answer_id = queue.answer(None, None, user, seq=0, about=str(row.pk), context=known)
    return Outcome.SHOWN


def handle(context: ReplyContext) -> Outcome:
    """Do what the reply says, as far as its sender is trusted, and answer it.

    The first email over a limit is answered with a notice, if its sender is verified; later ones
    are ignored silently, because only machines send that many.
    """
    try:
        if context.is_trusted:
            quotas.spend(quotas.REPLIES, person=context.user, table=context.game)
        return _handle(context)
    except QuotaExceeded as exceeded:
        if not exceeded.is_first or not context.is_trusted:
            return Outcome.QUIET
        context.answer(answer.TOLD, topic="limit", reason=exceeded.text, board=False)
        return Outcome.LIMIT


def _handle(context: ReplyContext) -> Outcome:
    command = commands.parse(context.row.line)
    if context.is_from_stranger:
        return _handle_stranger(context, command)
    if context.row.is_truncated:  # only its beginning was stored, so nothing of it counts
        _report(context, "large", board=False)
        return Outcome.LARGE
    if context.reply.problem == "encrypted":
        reason = _(
            "Your email is encrypted, or signed in a way that hides its text from us. Please send it "
            "again without encryption and signature."
        )
        return _not_understood(context, reason, with_notation=False)
    if context.reply.differs:
        reason = _(
            "Your email contains two versions of your text, and they differ: one as plain text, one "
            "with formatting. Please send your move again as plain text."
        )
        return _not_understood(context, reason, with_notation=False)
    try:
        meant = _meant(context, command)
        if context.reply.is_reaction and meant == command:
            return Outcome.REACTION
        command = meant
        return _handle_player(context, command)
    except GameMoved:
        return _stale(context)
    except MoveError as error:
        if _is_newly_asked(context):  # the reply answers an email from before the question
            return _stale(context)
        is_malformed = not isinstance(error, IllegalMove)
        reason = reason_of(error, context)
        offer = offers.suggestion(context) if isinstance(command, commands.Move) else ""
        return _not_understood(context, reason, with_notation=is_malformed, offer=offer)
    except ServiceError as error:
        if isinstance(error, QuotaExceeded) and error.quota.action in LIMITS_OF_ANSWERS:
            raise
        return _not_understood(context, error.text, with_notation=False)


def apologise(context: ReplyContext) -> Outcome:
    """Answer an email that could not be processed, after the last try. Reads no text of it."""
    if context.is_from_stranger:
        return Outcome.STRANGER
    if context.is_trusted:
        try:
            quotas.spend(quotas.REPLIES, person=context.user, table=context.game)
        except QuotaExceeded:
            return Outcome.QUIET
    _report(context, "failed", board=False)
    return Outcome.NONE


def _handle_stranger(context: ReplyContext, command: commands.ReplyCommand) -> Outcome:
    """Ask the player to confirm a move that could be made; ignore everything else."""
    if not isinstance(command, commands.Move) or not command.line or context.reply.differs:
        return Outcome.STRANGER
    try:
        _read_move(context, command.line)
    except (MoveError, ServiceError):
        return Outcome.STRANGER
    return _ask_to_confirm(context)


def _meant(context: ReplyContext, command: commands.ReplyCommand) -> commands.ReplyCommand:
    """The command, where a word may be something else at this table.

    A word of a command may be a move of the game, and "yes" answers what was asked last.
    """
    is_yes = isinstance(command, commands.Move) and commands.is_yes(context.row.line)
    if context.is_trusted and (is_yes or isinstance(command, commands.StopAll | commands.Undo)):
        context.lock()  # before the log is read for the first time
    match command:
        case commands.Move() if is_yes:
            return _agreed(context, command)
        case commands.StopAll() | commands.Undo() | commands.Rules():
            line = context.row.line
            try:
                context.log.engine.notation.parse(line, context.view)
            except MoveError:
                return command
            return commands.Move(line)
    return command


def _agreed(context: ReplyContext, command: commands.Move) -> commands.ReplyCommand:
    """What the player agrees to: the move that was offered or to resign; else their line as a move.

    GameMoved if the position is no longer that of the offer.
    """
    asked = offers.find(context)
    if asked is None:
        return command
    if asked.outcome == Outcome.ASKED:
        context.row.line = "resign: yes"
        return commands.Resign(is_sure=True)
    if asked.answer is None or not offers.is_current(context, asked):
        raise GameMoved
    row = context.row
    row.line, row.seq, row.note = asked.offer, asked.answer.seq, row.note or asked.note
    return commands.Move(asked.offer)


def _handle_player(context: ReplyContext, command: commands.ReplyCommand) -> Outcome:
    match command:
        case commands.Show():
            _show(context, "board", board=True)
        case commands.ShowWords():
            _show(context, "words", statements.position(context))
        case commands.Help():
            _show(context, "help", [*commands_help(), *more_commands_help(), *_notation(context)])
        case commands.Rules():
            _show(context, "rules", _notation(context))
        case commands.Status():
            _show(context, "status", statements.games_of(context.user))
        case commands.Legal():
            _require_turn(context)
            lines = legal_move_help.lines(context.log.engine, context.view)
            _show(context, "legal", lines, board=True)
        case commands.Preview(line):
            _show(context, "preview", preview(context, line))
        case commands.Resign(is_sure=False):
            if context.game.is_over:
                raise ServiceError(_("This game is over."))
            return _ask_to_resign(context)
        case commands.Move(line) if not line:
            return _nothing_read(context)
        case _ if not context.is_trusted:
            if isinstance(command, commands.Move):
                _read_move(context, command.line)  # what is wrong need not be confirmed first
            return _ask_to_confirm(context)
        case _:
            return execute(context, command)
    return Outcome.SHOWN


def execute(context: ReplyContext, command: commands.ReplyCommand) -> Outcome:
    """Carry out a command that changes something, for a trusted sender.

    Raises MoveError, GameMoved or ServiceError; then nothing has changed.
    """
    row, user = context.row, context.user
    match command:
        case commands.Move(line):
            played = services.play_line(
                context.lock(),
                user=user,
                seat=context.seat,
                line=line,
                version=row.seq,
                note=row.note,
            )
            _report_move(context, played)
            return Outcome.REPEATED if played.repeated else Outcome.PLAYED
        case commands.Note(text):
            has_moved = services.add_note(context.lock(), user, text)
            _report(context, "note" if has_moved else "first_note", board=False)
        case commands.SwitchMail(on):
            services.game_mail_switch(game_id=context.game.pk, user=user, off=not on)
            _report(context, "mails_on" if on else "mails_off", board=False)
        case commands.StopAll(off):
            services.all_mail_switch(user=user, off=off)
            _report(context, "stop" if off else "start", board=False)
        case commands.Undo():
            services.undo_step(context.lock(), user)
            _report(context, "undo", board=True)
        case commands.Resign():
            if not row.confirmed_at and not _was_asked_to_resign(context):
                return _ask_to_resign(context)
            services.resign(context.lock(), user)
            _report(context, "resigned", board=False, final=_is_over(context))
        case _:
            raise ValueError(f"{command!r} changes nothing")
    return Outcome.ORDERED


def preview(context: ReplyContext, line: str) -> list[str]:
    """What this move would do, with warnings, in sentences."""
    command = _read_move(context, line)
    form = context.log.engine.presentation.preview(context.view, command)
    return [say(text, context.names) for text in (*form.preview, *form.warnings)]


def reason_of(error: MoveError | ServiceError, context: ReplyContext) -> str:
    """Why it was not done, without the line itself, which the answer shows beside it."""
    if isinstance(error, ServiceError):
        return error.text
    reason = dict(error.text.params).get("reason")
    return say(reason if isinstance(reason, Text) else error.text, context.names)


def commands_help() -> list[str]:
    """What a player can write besides moves."""
    return [
        _("a move, as described below; add a line “note …” to send a note to the other players"),
        _("show: see the board and your hand again"),
        _("legal: list your legal moves"),
        _("preview and a move: see what the move would do"),
        _("note and a text: add a note to your last move"),
        _("pause emails, resume emails: turn emails for this game off or on"),
        _("resign: resign from the game; we ask you to confirm"),
        _("help: show this list"),
    ]


def more_commands_help() -> list[str]:
    """What a player can write besides moves and needs less often."""
    return [
        _("show words: see the board and your hand in words, without a picture"),
        _(
            "undo: take back your last placement or step, while nothing was revealed and nobody acted"
        ),
        _("status: list all your games and the time left"),
        _("stop, start: turn all emails of this service off or on; deadlines go on"),
        _("rules: how a move is written, and where to read the rules"),
    ]


# -- checks ----------------------------------------------------------------------------------


def _read_move(context: ReplyContext, line: str) -> Command:
    """The command of a move that could be made now, on the board that its writer saw.

    Raises MoveError, GameMoved or ServiceError if it could not.
    """
    if not is_current(context.log, context.seat, context.row.seq):
        raise GameMoved
    _require_turn(context, or_input=True)
    return context.log.engine.notation.parse(line, context.view)


def _require_turn(context: ReplyContext, *, or_input: bool = False) -> None:
    """ServiceError unless the seat is asked to act. or_input: or may give orders in advance."""
    seen = context.log.projection
    match seen.status:
        case Game.Status.PAUSED:
            raise ServiceError(_("This game is paused. Nobody can move until it is resumed."))
        case Game.Status.FINISHED | Game.Status.ABORTED:
            raise ServiceError(_("This game is over."))
    accepts_input = or_input and context.log.engine.accepts_input(context.view)
    if context.seat not in seen.to_act and not accepts_input:
        raise ServiceError(_("It is not your turn."))


def _is_newly_asked(context: ReplyContext) -> bool:
    """Whether the seat is asked now and was not at the position that the email showed."""
    then = context.log.until(context.row.seq)
    seat = context.seat
    return seat in context.log.projection.to_act and seat not in then.projection.to_act


def _was_asked_to_resign(context: ReplyContext) -> bool:
    """Whether this user was asked within a week whether to give up this very seat."""
    return InboundMail.objects.filter(
        game=context.game,
        seat=context.seat,
        user=context.user,
        outcome=Outcome.ASKED,
        received_at__gt=timezone.now() - WEEK,
    ).exists()


# -- answers ---------------------------------------------------------------------------------


def _report_move(context: ReplyContext, played: services.Played) -> None:
    """Answer with what the move did, the board, the new hand, and whose turn it is."""
    if played.order:
        context.answer(
            answer.PLAYED, seq=played.version, order=played.order, repeated=played.repeated
        )
        return
    first = played.version - len(played.events) + 1
    # The end of a game reveals its seed in one more event.
    if context.log.table.seed is not None and played.version == context.log.version:
        first -= 1
    context.answer(
        answer.PLAYED,
        seq=played.version,
        first=first,
        repeated=played.repeated,
        final=not played.repeated and _is_over(context),
    )


def _is_over(context: ReplyContext) -> bool:
    """Whether the game is over now."""
    return context.log.projection.status in (Game.Status.FINISHED, Game.Status.ABORTED)


def _report(context: ReplyContext, topic: str, *, board: bool, final: bool = False) -> None:
    context.answer(answer.TOLD, topic=topic, board=board, final=final)


def _show(
    context: ReplyContext, topic: str, lines: Sequence[str] = (), *, board: bool = False
) -> None:
    context.answer(answer.SHOWN, topic=topic, lines=list(lines), board=board)


def _stale(context: ReplyContext) -> Outcome:
    _report(context, "stale", board=True)
    return Outcome.STALE


def _ask_to_confirm(context: ReplyContext) -> Outcome:
    context.answer(answer.CONFIRM, why=context.row.sender_check, inbound=context.row.pk)
    return Outcome.CONFIRM


def _ask_to_resign(context: ReplyContext) -> Outcome:
    context.answer(answer.RESIGN)
    return Outcome.ASKED


def _nothing_read(context: ReplyContext) -> Outcome:
    reason = _(
        "We found only quoted text, a signature or an attachment. Write your move above the quoted "
        "email."
    )
    return _not_understood(context, reason, with_notation=True)


def _not_understood(
    context: ReplyContext, reason: str, *, with_notation: bool, offer: str = ""
) -> Outcome:
    """Answer with the line, the reason, and how a move is written if that is the trouble; the
    third time in a row with a link to the form."""
    quotas.spend(quotas.UNCLEAR_REPLIES, person=context.user, table=context.game)
    before = unclear_replies.count_in_a_row(context)
    line = context.row.line
    if with_notation and (commands.is_greeting(line) or not offer):
        reason = _hint(line) or reason
    # The reason may come with an example.
    (reason,) = legal_move_help.without_moves([reason], context.log.engine, context.view, own=line)
    context.row.offer = offer
    context.answer(
        answer.UNCLEAR,
        line=line[:200],
        reason=reason,
        lines=_notation(context) if with_notation and not offer else [],
        why="form" if before >= UNCLEAR_BEFORE_FORM else "",
        offer=offer,
    )
    return Outcome.UNCLEAR if with_notation else Outcome.REFUSED


def _hint(line: str) -> str:
    """What to say of a line that is no move at all, where more can be said; else ""."""
    if commands.is_greeting(line):
        return _(
            "Your email starts with a greeting. Put the move on the first line; you can write "
            "anything else below it."
        )
    if commands.is_about_absence(line):
        return _(
            "You cannot tell us by email that you are away, so your deadlines go on. You can let the "
            "others know with a note: write “note” and your text."
        )
    if (near := commands.nearest(line)) is not None:
        return _("We do not know “%(word)s”. Did you mean “%(near)s”?") % {
            "word": line[:60],
            "near": near,
        }
    return ""


def _notation(context: ReplyContext) -> list[str]:
    """How a move is written, without an example that could be played now."""
    game = context.log.engine
    lines = [say(text) for text in game.notation.help_lines()]
    return legal_move_help.without_moves(lines, game, context.view)
