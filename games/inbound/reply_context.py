"""The data for answering one reply about a game, loaded at most once, whether its player can move
now, and what the move that it says would do."""

from copy import copy
from datetime import timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from games.log.game_log import Log
from games.log.loader import read_table
from games.mail import queue
from games.mail.kinds.answer import shows_position
from games.mail.kinds.over import OVER
from games.mail.kinds.turn import TURN
from games.models import Game, InboundMail, Seat, User, seat_names
from games.rules import printed_lines
from games.rules.contract import Command, View
from games.rules.errors import MoveError
from games.services import GameMoved, ServiceError, quotas
from games.services.locked_game import LockedGame
from games.services.moves import is_current
from games.translate import say

from . import commands
from .reply_parser import Reply

Outcome = InboundMail.Outcome

NOTHING = Reply("")
WEEK = timedelta(days=7)
MOST_BELOW = 10  # lines below the first one that are looked at


class ReplyContext:
    """A reply: its row, the game and seat it is about, and the user on that seat.

    Use it inside one transaction. Nothing is loaded before it is needed. A reply that changes the
    game calls `lock` first: the log is then that of the locked game, also after the change.
    """

    def __init__(
        self,
        row: InboundMail,
        game: Game,
        seat: int,
        user: User,
        *,
        reply: Reply = NOTHING,
        answered: str = "",
        locked: LockedGame | None = None,
    ) -> None:
        """reply: what the email says. answered: the Message-ID of the email it answers, or "".
        locked: the game, where it is locked already."""
        self.row = row
        self.game = game
        self.seat = seat
        self.user = user
        self.reply = reply
        self.answered = answered
        self._locked = locked
        self._unlocked: tuple[Log, list[Seat]] | None = None

    def lock(self) -> LockedGame:
        """The game, locked until the transaction ends."""
        if self._locked is None:
            self._locked = LockedGame(self.game.pk)
        return self._locked

    def as_confirmed(self) -> "ReplyContext":
        """A copy of this context, as if its player had confirmed the reply."""
        row = copy(self.row)
        row.confirmed_at = timezone.now()
        return ReplyContext(
            row, self.game, self.seat, self.user, reply=self.reply, answered=self.answered
        )

    def _load(self) -> tuple[Log, list[Seat]]:
        if self._locked is not None:
            return self._locked.log, self._locked.seats
        if self._unlocked is None:
            _game, log, seats = read_table(self.game.pk)
            self._unlocked = log, seats
        return self._unlocked

    @property
    def log(self) -> Log:
        """The log of the game."""
        return self._load()[0]

    @property
    def view(self) -> View:
        """The position as the seat sees it."""
        return self.log.engine.rules.view(self.log.state, self.seat)

    @property
    def seats(self) -> list[Seat]:
        """The seats of the game, in order."""
        return self._load()[1]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the players by seat number."""
        return seat_names(self.seats)

    @property
    def is_trusted(self) -> bool:
        """Whether the email is known to come from the user."""
        return self.row.sender_check == InboundMail.SenderCheck.PASS

    @property
    def is_from_stranger(self) -> bool:
        """Whether the sender's address is not one of the user's."""
        return self.row.sender_check == InboundMail.SenderCheck.STRANGER

    def answer(
        self,
        what: str,
        *,
        seq: int | None = None,
        final: bool = False,
        waits_for_bots: bool = False,
        **content: Any,
    ) -> None:
        """Queue an answer to the user's own address; its template is reply_<what>.

        seq: the position it shows, by default the present one. final: the reply has just ended the
        game. The answer takes the place of a queued email that would say the same: the final one,
        or that of the turn if it asks the open question. waits_for_bots: see queue.answer.
        QuotaExceeded if this user got too many answers to emails whose sender is not verified.
        """
        row = self.row
        if not self.is_trusted and not row.confirmed_at:
            quotas.spend(quotas.UNVERIFIED_REPLIES, person=self.user, table=self.game)
        is_loaded = self._locked is not None or self._unlocked is not None
        seen = self.log.projection if is_loaded else self.game
        seq = seen.version if seq is None else seq
        context = {"what": what, "message_id": row.message_id, **content}
        asked = seen.status == Game.Status.RUNNING and self.seat in seen.to_act
        instead_of = OVER.name if final else ""
        if asked and seq == seen.version and shows_position(context):
            instead_of = TURN.name
        row.answer_id = queue.answer(
            self.game,
            self.seat,
            self.user,
            seq=seq,
            about=f"{row.pk}c" if row.confirmed_at else str(row.pk),
            context=context,
            instead_of=instead_of,
            waits_for_bots=waits_for_bots,
        )


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
