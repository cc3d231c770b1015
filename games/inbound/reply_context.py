"""The data for answering one reply about a game, loaded at most once, whether its player can move
now, and what the move that it says would do."""

from copy import copy
from functools import cached_property
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from games import selectors
from games.log.game_log import Log
from games.log.loader import read_table
from games.mail import queue
from games.mail.kinds.answer import shows_position
from games.mail.kinds.over import OVER
from games.mail.kinds.players import REPLY_SEQ as TALK_SEQ
from games.mail.kinds.turn import TURN
from games.models import Game, InboundMail, Seat, User, seat_names
from games.rules import printed_lines
from games.rules.contract import Command, View
from games.rules.errors import MoveError
from games.services import GameMoved, ServiceError, quotas
from games.services.locked_game import LockedGame
from games.services.moves import is_current
from games.translate import join_names, say

from . import command_words, commands, game_words, letter
from .letter import Letter
from .reply_parser import Reply

Outcome = InboundMail.Outcome

NOTHING = Reply()


class ReplyContext:
    """A reply: its row, the game and seat it is about, and the user on that seat.

    Use it inside one transaction. Nothing is loaded before it is needed. A reply that may change
    the game locks it before the log is read; the log is then that of the locked game, also after
    the change.
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
        sits: bool = True,
        locked: LockedGame | None = None,
    ) -> None:
        """reply: what the email says. answered: the Message-ID of the email it answers, or "".
        sits: whether the user has this seat. locked: the game, where it is locked already."""
        self.row = row
        self.game = game
        self.seat = seat
        self.user = user
        self.reply = reply
        self.answered = answered
        self.sits = sits
        self._locked = locked
        self._unlocked: tuple[Log, list[Seat]] | None = None

    def lock(self) -> LockedGame:
        """The game, locked until the transaction ends."""
        if self._locked is None:
            self._locked = LockedGame(self.game.pk)
        return self._locked

    def copy(self) -> "ReplyContext":
        """A context of the same reply, in which nothing is loaded; for what is rolled back."""
        return ReplyContext(
            copy(self.row), self.game, self.seat, self.user, reply=self.reply, sits=self.sits
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

    @cached_property
    def players(self) -> list[tuple[str, User]]:
        """The names and rows of those who play at the table, then of those who have played there
        and have another name than these."""
        pairs = zip(self.names, self.seats, strict=True)
        seated = [(name, seat.user) for name, seat in pairs if seat.user is not None]
        known = {commands.plain_name(name) for name, _person in seated}
        gone = self.log.seating.players - {person.pk for _name, person in seated}
        former = [(person.shown_name, person) for person in User.objects.filter(pk__in=gone)]
        return seated + [pair for pair in former if commands.plain_name(pair[0]) not in known]

    @property
    def is_trusted(self) -> bool:
        """Whether the email is known to come from the user."""
        return self.row.sender_check == InboundMail.SenderCheck.PASS

    @property
    def is_from_stranger(self) -> bool:
        """Whether the sender's address is not one of the user's."""
        return self.row.sender_check == InboundMail.SenderCheck.STRANGER

    @cached_property
    def letter(self) -> Letter:
        """What the email says, read once and stored in its row; what was read before if the player
        confirms it. The text of a report is kept with the report, not with its first line."""
        if self.row.letter is not None:
            return msgspec.convert(self.row.letter, Letter)
        found = letter.read(self.reply, table_of(self))
        first = next(iter(found.acts), None)
        is_report = isinstance(first, commands.Report)
        self.row.line = found.line.split(maxsplit=1)[0] if is_report else found.line
        self.keep(found)
        return found

    def keep(self, found: Letter) -> None:
        """Store a letter, as far as it is about the game."""
        own = msgspec.structs.replace(found, parts=found.own)
        self.row.letter = msgspec.to_builtins(own)

    @property
    def how_to_report(self) -> str:
        """How to report another player, with the names."""
        names = [name for name, person in self.players if person != self.user]
        how = _(
            "To report someone, write “report”, the name of the player as the table shows it, "
            "and what happened. You can also report a message on the game page."
        )
        return f"{how} {_('Players: %(names)s.') % {'names': join_names(names)}}"

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
        or that of the turn if it asks the open question. waits_for_bots: see queue.answer. Lines
        that were meant as reports are not listed as unread, with the advice to send them to all.
        QuotaExceeded if this user got too many answers to emails whose sender is not verified.
        """
        row = self.row
        unread = content.get("unread", ())
        content["unread"] = [line for line in unread if not command_words.REPORT.match(line)]
        if len(content["unread"]) < len(unread) and self.how_to_report not in str(content):
            content["also"] = [*content.get("also", ()), self.how_to_report]
        if not self.is_trusted and not row.confirmed_at:
            quotas.spend(quotas.UNVERIFIED_REPLIES, person=self.user, table=self.game)
        is_loaded = self._locked is not None or self._unlocked is not None
        seen = self.log.projection if is_loaded else self.game
        seq = seen.version if seq is None else seq
        context = {"what": what, "message_id": row.message_id, **content}
        asked = seen.status == Game.Status.RUNNING and self.seat in seen.to_act
        instead_of = OVER.name if final else ""
        if asked and self.sits and seq == seen.version and shows_position(context):
            instead_of = TURN.name
        # After its apology, an email may be processed again; it is answered again once confirmed.
        suffix = "f" if content.get("topic") == "failed" else "c" if row.confirmed_at else ""
        row.answer_id = queue.answer(
            self.game,
            self.seat,
            self.user,
            seq=seq,
            about=f"{row.pk}{suffix}",
            context=context,
            instead_of=instead_of,
            waits_for_bots=waits_for_bots,
        )


def table_of(context: ReplyContext, *, now: bool = False) -> "_Table":
    """The game of a reply, for the reader of its letter. now: in the present position, else in that
    of the answered email."""
    return _Table(context, now=now)


class _Table:
    """What the reader of a letter asks about its game. A line that is no command may be a move: the
    game is locked before it is looked at, if the sender may move at once."""

    def __init__(self, context: ReplyContext, *, now: bool) -> None:
        self._context = context
        self._now = now
        self._meanings: dict[str, str] = {}

    @cached_property
    def _view(self) -> View:
        """The position that the writer saw; that of now below an email with messages."""
        context = self._context
        if context.is_trusted and context.sits and not context.reply.is_reaction:
            context.lock()
        seq, log = context.row.seq, context.log
        if self._now:
            return context.view
        then = log.until(seq) if TALK_SEQ < seq < log.version else log
        return then.engine.rules.view((then if then.effective else log).state, context.seat)

    @cached_property
    def names(self) -> frozenset[str]:
        """The words of the players' names."""
        _view = self._view  # loads the game, locked if need be
        words = (commands.words_of(name) for name in self._context.names)
        return frozenset(word for found in words for word in found)

    def is_legal(self, line: str) -> bool:
        """Return whether a line is a move that can be made."""
        return self._legal(line) != ""

    def meaning(self, line: str) -> str:
        """The move that a line is, in notation if it is legal; "" if it is none."""
        if line not in self._meanings:
            is_named = game_words.are_all(self._context.game.kind, line)
            self._meanings[line] = self._legal(line) or (line if is_named else "")
        return self._meanings[line]

    def _legal(self, line: str) -> str:
        view, engine = self._view, self._context.log.engine
        try:
            return engine.notation.describe(printed_lines.parse(engine, line, view, say), view)
        except MoveError:
            return ""

    def near(self, line: str) -> str:
        """The move that a line comes close to, in notation; "" for none."""
        engine, view = self._context.log.engine, self._view
        command = printed_lines.suggest(engine, line, view, say)
        return engine.notation.describe(command, view) if command is not None else ""

    def is_for_later(self, line: str) -> bool:
        """Return whether a line answers a question that comes later in the turn."""
        return game_words.is_for_later(self._context.game.kind, line)

    def names_player(self, text: str) -> bool:
        """Return whether a text begins with the first word of a player's name, or of several."""
        names = [commands.plain_name(name).split()[:1] for name, _person in self._context.players]
        return commands.plain_name(text).split()[:1] in [name for name in names if name]


def named_player(context: ReplyContext, text: str) -> tuple[User, str] | None:
    """The player whose name, or the beginning of whose name alone, begins a text, and what follows
    it; None for no name. Of two names, the longer one counts."""
    people = context.players
    names = [name for name, _person in people]
    found = selectors.name_at_start(names, text, commands.plain_name)
    return (people[found[0]][1], found[1]) if found is not None else None


def read_move(context: ReplyContext, line: str, seq: int | None = None) -> Command:
    """Return the command of a move that can be made now.

    Raises GameMoved if the position is no longer the one that the writer saw (seq, by default that
    of the email), and MoveError or ServiceError if the move cannot be made.
    """
    if not is_current(context.log, context.seat, context.row.seq if seq is None else seq):
        raise GameMoved
    require_turn(context, or_input=True)
    return printed_lines.parse(context.log.engine, line, context.view, say)


def require_turn(context: ReplyContext, *, or_input: bool = False) -> None:
    """Raise ServiceError unless the seat is asked to move, or, with or_input, may leave an order in
    advance."""
    seen = context.log.projection
    match seen.status:
        case Game.Status.PAUSED:
            raise ServiceError(" ".join(selectors.pause_sentences(context.log)))
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


def is_over(context: ReplyContext) -> bool:
    """Return whether the game is over now."""
    return context.log.projection.status in (Game.Status.FINISHED, Game.Status.ABORTED)


def preview(context: ReplyContext, line: str, seq: int | None = None) -> list[str]:
    """The effects of this move, with warnings, in sentences."""
    command = read_move(context, line, seq)
    form = context.log.engine.presentation.preview(context.view, command)
    return [say(text, context.names) for text in (*form.preview, *form.warnings)]
