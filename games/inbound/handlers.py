"""An order carried out: the service call behind the first own line, and the answer to it.

Who is vouched for is obeyed at once. For all others whatever would change anything is put behind a
link that leads to a button; what only shows something is shown, to the player's own address.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from games import services
from games.log import event_store
from games.log.game_log import Log
from games.models import InboundMail
from games.rules.contract import IllegalMove, MoveError
from games.rules.text import Text
from games.services import GameMoved, ServiceError
from games.services.locked_game import is_current
from games.translate import say

from . import answers, legal_move_help, rate_limits
from .commands import Help, Legal, Mails, Move, Note, Order, Preview, Resign, Show, order_of
from .commands import note_below as _note_below
from .reply_parser import Reply

Sender = InboundMail.Sender
Verdict = InboundMail.Verdict

WEEK = timedelta(days=7)
_GREETING = re.compile(
    r"(hi|hello|hey|dear|good (morning|evening|day)|hallo|liebe[rs]?|moin|servus"
    r"|guten (morgen|tag|abend)|bonjour|bonsoir|salut|cher|chère)\b",
    re.IGNORECASE,
)
THIRD = 2  # mails not understood before the one that gets the form's link


def note_of(said: Reply) -> str:
    """The note to the table below the first line, cut to what a note may have."""
    return _note_below(said.more)[: services.MAX_NOTE]


def too_large(row: InboundMail) -> str:
    """A mail of which we have only the beginning says nothing."""
    if row.authentic == Sender.STRANGER:
        return Verdict.STRANGER
    answers.told(row, "large", board=False)
    return Verdict.LARGE


def list_games(row: InboundMail) -> str:
    """A reply to a mail about several games: whatever it says, it is told where to write."""
    if row.authentic == Sender.STRANGER:
        return Verdict.STRANGER
    if rate_limits.lists_are_over(row):
        return Verdict.QUIET
    answers.listed(row)
    return Verdict.SHOWN


def carry_out(row: InboundMail) -> str:
    """Do what the line says, as far as its sender is believed; the verdict."""
    order = order_of(row.line)
    try:
        if row.authentic == Sender.STRANGER:
            return _of_a_stranger(row, order)
        return _of_the_player(row, order)
    except GameMoved:
        answers.told(row, "stale")
        return Verdict.STALE
    except MoveError as error:
        if _asked_since(row):  # an answer to a mail from before the question
            answers.told(row, "stale")
            return Verdict.STALE
        may_be = not isinstance(error, IllegalMove)
        return _not_understood(row, reason_of(error, names_at(row)), allowed=may_be)
    except ServiceError as error:
        return _not_understood(row, error.text, allowed=False)


def _of_a_stranger(row: InboundMail, order: Order) -> str:
    """Somebody else's address: a move that could be made is put before the player, nothing else."""
    if not isinstance(order, Move) or not row.line:
        return Verdict.STRANGER
    try:
        read_move(row, order.line)
    except (MoveError, ServiceError):
        return Verdict.STRANGER
    answers.confirm(row)
    return Verdict.CONFIRM


def _of_the_player(row: InboundMail, order: Order) -> str:
    sure = row.authentic == Sender.PASS
    match order:
        case Show():
            answers.shown(row, "board")
        case Help():
            answers.shown(row, "help", [*commands_help(), *_notation(row)])
        case Legal():
            answers.shown(row, "legal", legal_move_help.lines(*_now(row)))
        case Preview(move):
            answers.shown(row, "preview", foreseen(row, move))
        case Resign(sure=False):
            _need_seat(row)
            answers.ask_to_resign(row)
            return Verdict.ASKED
        case Move(line) if not line:
            return _nothing_read(row)
        case _ if not sure:
            if isinstance(order, Move):
                read_move(row, order.line)  # who is told what is wrong need not confirm it first
            answers.confirm(row)
            return Verdict.CONFIRM
        case _:
            return obey(row, order)
    return Verdict.SHOWN


def obey(row: InboundMail, order: Order) -> str:
    """An order that changes something, of somebody who is believed; the verdict.

    Raises MoveError, GameMoved or ServiceError, and then nothing has changed.
    """
    assert row.game is not None and row.user is not None and row.seat is not None
    game_id, user = row.game.pk, row.user
    match order:
        case Move(line):
            done = services.game_play_line(
                game_id=game_id,
                user=user,
                seat=row.seat,
                line=line,
                version=row.seq,
                note=row.note,
            )
            answers.played(row, done)
            return Verdict.REPEATED if done.repeated else Verdict.PLAYED
        case Note(text):
            services.note_add(game_id=game_id, user=user, text=text)
            answers.told(row, "note", board=False)
        case Mails(off):
            services.mails_switch(game_id=game_id, user=user, off=off)
            answers.told(row, "mails_off" if off else "mails_on", board=False)
        case Resign():
            if not row.confirmed_at and not _was_asked(row):
                answers.ask_to_resign(row)
                return Verdict.ASKED
            services.game_resign(game_id=game_id, user=user)
            answers.told(row, "resigned", board=False)
        case _:
            raise ValueError(f"{order!r} changes nothing")
    return Verdict.ORDERED


def read_move(row: InboundMail, line: str) -> tuple[Log, Any]:
    """(the log, the command) of a move that could be made now, on the board that its writer saw.

    MoveError, GameMoved or ServiceError where it could not.
    """
    assert row.game is not None and row.seat is not None
    log = event_store.load(row.game)
    if not is_current(log, row.seat, row.seq):
        raise GameMoved
    _need_turn(row, log, ahead=True)
    return log, log.engine.notation.parse(line, log.engine.rules.view(log.state, row.seat))


def _now(row: InboundMail) -> tuple[Log, Any]:
    """(the log, what the seat sees); ServiceError unless it is asked to move."""
    assert row.game is not None and row.seat is not None
    log = event_store.load(row.game)
    _need_turn(row, log)
    return log, log.engine.rules.view(log.state, row.seat)


def _need_turn(row: InboundMail, log: Log, *, ahead: bool = False) -> None:
    """ServiceError unless the seat is asked, or may leave orders in advance where `ahead` counts."""
    assert row.game is not None
    match log.projection.status:
        case row.game.Status.PAUSED:
            raise ServiceError(_("This game is paused. Nobody can move until it is resumed."))
        case row.game.Status.FINISHED | row.game.Status.ABORTED:
            raise ServiceError(_("This game is over."))
    if ahead and log.engine.accepts_input(log.engine.rules.view(log.state, row.seat)):
        return
    if row.seat not in log.projection.to_act:
        raise ServiceError(_("It is not your turn."))


def _asked_since(row: InboundMail) -> bool:
    """Whether the seat is asked now and was not on the board that the mail showed."""
    assert row.game is not None
    log = event_store.load(row.game)
    then = log.until(row.seq)
    return row.seat in log.projection.to_act and row.seat not in then.projection.to_act


def _need_seat(row: InboundMail) -> None:
    assert row.game is not None
    if row.game.is_over:
        raise ServiceError(_("This game is over."))


def _was_asked(row: InboundMail) -> bool:
    """Whether this person was asked within a week whether to give up this very seat."""
    earlier = InboundMail.objects.filter(
        game=row.game,
        seat=row.seat,
        user=row.user,
        verdict=Verdict.ASKED,
        received_at__gt=timezone.now() - WEEK,
    )
    return earlier.exclude(pk=row.pk).exists()


# -- words -----------------------------------------------------------------------------------


def foreseen(row: InboundMail, move: str) -> list[str]:
    """What this move would do, and what a careful friend would say to it."""
    log, command = read_move(row, move)
    assert row.game is not None
    view = log.engine.rules.view(log.state, row.seat)
    names = names_at(row)
    dialog = log.engine.presentation.preview(view, command)
    return [say(text, names) for text in (*dialog.preview, *dialog.warnings)]


def names_at(row: InboundMail) -> list[str]:
    """Who sits at the table, in order."""
    assert row.game is not None
    return [seat.name for seat in row.game.seats.select_related("user").order_by("number")]


def _not_understood(row: InboundMail, reason: str, *, allowed: bool) -> str:
    """Answered once, with how it is written where that is the trouble; the third time in a row
    with the way to the form; then, for a while, not at all."""
    before = rate_limits.unclear_before(row)
    if before >= rate_limits.UNCLEAR_HOUR:
        return Verdict.QUIET
    lines = _notation(row) if allowed else ()
    if allowed and _GREETING.match(row.line):
        reason = _(
            "Your email starts with a greeting. Put the move on the first line; you can write "
            "anything else below it."
        )
    (told,) = _without_moves(row, [reason], own=row.line)  # it may come with an example
    answers.unclear(row, told, lines=lines, form=before >= THIRD)
    return Verdict.UNCLEAR if allowed else Verdict.REFUSED


def _nothing_read(row: InboundMail) -> str:
    reason = _(
        "We found only quoted text, a signature or an attachment. Write your move above the quoted "
        "email."
    )
    return _not_understood(row, reason, allowed=True)


def reason_of(error: MoveError, names: Sequence[str]) -> str:
    """Why a move was not made, without the line itself, which is told beside it."""
    reason = dict(error.text.params).get("reason")
    return say(reason if isinstance(reason, Text) else error.text, names)


def _notation(row: InboundMail) -> Sequence[str]:
    assert row.game is not None
    engine = event_store.load(row.game).engine
    return _without_moves(row, [say(text) for text in engine.notation.help_lines()])


def _without_moves(row: InboundMail, lines: Sequence[str], *, own: str = "") -> list[str]:
    """No example that could be taken for a move of this seat, as the game stands now."""
    assert row.game is not None
    log = event_store.load(row.game)
    return legal_move_help.without_moves(
        lines, log, log.engine.rules.view(log.state, row.seat), own=own
    )


def commands_help() -> list[str]:
    """What one can write besides moves."""
    return [
        _("a move, as described below; add a line “note …” to send a note to the other players"),
        _("show: see the board and your hand again"),
        _("legal: list your legal moves"),
        _("preview and a move: see what the move would do"),
        _("note and a text: add a note to your last move"),
        _("pause mails, resume mails: turn emails for this game off or on"),
        _("resign: resign from the game; we ask you to confirm"),
        _("help: show this list"),
    ]
