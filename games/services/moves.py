"""Moves of players with notes on them, taking back a step, and resigning."""

from collections.abc import Callable

import msgspec
from django.utils.translation import gettext as _

from games.log import table_events
from games.log.entry import Entry
from games.log.game_log import Log
from games.mail import queue
from games.models import Game, Seat, User
from games.rules import printed_lines
from games.rules.chance import SeededChance
from games.rules.contract import Command, Event
from games.rules.errors import MoveError
from games.translate import say

from . import quotas, talk
from .clean_text import clean_talk
from .errors import GameMoved, NotAllowed, ServiceError
from .locked_game import LockedGame
from .quotas import atomic
from .seats import give_to_bot


class Played(msgspec.Struct, frozen=True):
    """The result of a move that was made.

    version: that of the game after the move. events: the events of the move, secrets included; they
    must go through `engine.rules.visible` before anybody reads them. repeated: the move was in the
    log already, because the same form was sent twice. to_act: the seats that are asked now. asked:
    whether the seat was asked; if not, it left an order in advance. order: the number of a private
    order, which has no number in the log; 0 for a move. first: the number of the first event of the
    move. note_refused: why the note on it was not sent, "" if it was or there was none.
    """

    version: int
    events: tuple[Event, ...]
    repeated: bool = False
    to_act: tuple[int, ...] = ()
    asked: bool = True
    order: int = 0
    first: int = 0
    note_refused: str = ""


def game_play(
    *, game_id: int, user: User, seat: int, command: Command, version: int, note: str = ""
) -> Played:
    """Make a move. version: that of the position that the player saw.

    Raises GameMoved if the position has changed since then, unless this very move changed it; the
    engine's MoveError if the rules forbid the move; NotAllowed on somebody else's seat.
    """
    with atomic():
        return _play(LockedGame(game_id), user, seat, lambda _log: command, version, note)


def game_play_line(
    *, game_id: int, user: User, seat: int, line: str, version: int, note: str = ""
) -> Played:
    """Make a move that is written in the game's notation, as it reads on the board that the player
    saw.

    Raises the errors of game_play, and MalformedMove or AmbiguousMove for a line that cannot be
    read.
    """
    with atomic():
        return game_play_line_locked(
            LockedGame(game_id), user=user, seat=seat, line=line, version=version, note=note
        )


def game_play_line_locked(
    locked: LockedGame, *, user: User, seat: int, line: str, version: int, note: str = ""
) -> Played:
    """Make a move for a caller who has locked the game. An error has written nothing."""

    def read(log: Log) -> Command:
        then = log.until(version)
        view = log.engine.rules.view(then.state, seat)
        return printed_lines.parse(log.engine, line, view, say)

    return _play(locked, user, seat, read, version, note)


def _play(
    locked: LockedGame,
    user: User,
    seat: int,
    read: Callable[[Log], Command],
    version: int,
    note: str,
) -> Played:
    """Make the move that `read` finds in the log as it stands under the lock."""
    note = clean_talk(note)
    if locked.seat(seat).user_id != user.pk:
        raise NotAllowed(_("This is not your seat."))
    if not is_current(locked.log, seat, version):
        played = _played_before(locked, user, seat, read, version)
        if played is None:
            raise GameMoved
        return played
    locked.require_running()
    engine, state = locked.log.engine, locked.log.state
    asked = seat in locked.game.to_act
    if not (asked or engine.accepts_input(engine.rules.view(state, seat))):
        raise ServiceError(_("It’s not your turn."))
    first = locked.log.version + 1
    command = read(locked.log)
    events = locked.decide(seat, command)
    if engine.rules.is_order(command):
        due = engine.rules.due_command(engine.fold(events[:1], state), seat)
        if due is not None:  # the order answers the question that the seat is asked now
            locked.leave_order(seat, command, user)
            events = locked.decide(seat, due)
        elif len(events) == 1:  # nothing follows from it yet
            return _leave_order(locked, user, seat, command, note)
    refused = ""
    if note:
        try:
            talk.post(locked.game, locked.seats, locked.seat(seat), note, locked.now, first)
        except ServiceError as error:
            refused = _("Your note was not added. %(reason)s") % {"reason": error.text}
    locked.write(*events, by=user, moved=seat)
    played = _played(locked, events, first, asked=asked)
    return msgspec.structs.replace(played, note_refused=refused)


def _leave_order(locked: LockedGame, user: User, seat: int, command: Command, note: str) -> Played:
    """Leave a private order, which nobody else can notice. An order that repeats the last one is
    not stored again."""
    if note:
        raise ServiceError(
            _(
                "The other players must not notice an order, so you cannot attach a note to it. "
                "Send the note with a move."
            )
        )
    rules, mine = locked.log.engine.rules, [o for o in locked.log.orders if o.seat == seat]
    repeated = (
        bool(mine)
        and (mine[-1].seq, mine[-1].by) == (locked.log.version, user.pk)
        and rules.command_of(mine[-1].event) == (seat, command)
    )
    if repeated:
        order = mine[-1]
    else:
        quotas.spend(quotas.ORDERS, person=user, table=locked.game)
        order = locked.leave_order(seat, command, user)
        locked.write_order()
    return Played(
        locked.log.version,
        (order.event,),
        repeated=repeated,
        to_act=tuple(locked.game.to_act),
        asked=seat in locked.game.to_act,
        order=order.order,
    )


def _played(locked: LockedGame, events: tuple[Event, ...], first: int, *, asked: bool) -> Played:
    # Events that move deadlines, moves that were planned and the seed may follow those of the move.
    to_act = tuple(locked.game.to_act)
    return Played(locked.log.version, events, to_act=to_act, asked=asked, first=first)


def _played_before(
    locked: LockedGame, user: User, seat: int, read: Callable[[Log], Command], version: int
) -> Played | None:
    """Return the move of this person that followed `version`, if it was this very command.

    The same command at the same place in the log draws from the same stream of chance and leads to
    the same events. So the events are compared, not the line, which may be written in several ways.
    """
    later = (entry for entry in locked.log.effective if entry.seq > version)
    first = next((entry for entry in later if entry.by == user.pk and entry.seat == seat), None)
    if first is None:
        return None
    before = locked.log.until(first.seq - 1)
    if not is_current(before, seat, version):
        return None
    try:
        chance = SeededChance(bytes(locked.game.seed), first.seq)
        rules, command = before.engine.rules, read(locked.log)
        if rules.is_order(command):  # what the log has is the answer that the order gave
            command = rules.due_command(before.state, seat) or command
        events = rules.decide(before.state, seat, command, chance)
    except MoveError:
        return None
    last = first.seq + len(events) - 1
    logged = tuple(e.event for e in locked.log.effective if first.seq <= e.seq <= last)
    if logged != events:
        return None
    ended = locked.log.table.seed is not None and last == locked.log.version - 1
    to_act = tuple(locked.game.to_act)
    return Played(last + ended, events, repeated=True, to_act=to_act, first=first.seq)


def game_resign(*, game_id: int, user: User) -> Game:
    """Resign. A bot takes the seat, or the game ends: if only bots would be left, or if only one
    person would be left and the host chose that (resign_policy "end")."""
    with atomic():
        return game_resign_locked(LockedGame(game_id), user)


def game_vacate(*, game_id: int, user: User) -> Game:
    """Resign for somebody whose account is deleted. In the pause of a moderator a bot takes the
    seat, because only moderators end the game then."""
    with atomic():
        locked = LockedGame(game_id)
        if locked.log.is_held and (seat := locked.seat_of(user)) is not None:
            return _leave_to_bot(locked, seat, user)
        return game_resign_locked(locked, user)


def require_may_resign(locked: LockedGame, user: User) -> Seat:
    """Return the seat that this user can give up now; ServiceError where they cannot."""
    seat = locked.seat_of(user)
    if seat is None:
        raise NotAllowed(_("You are not a player in this game."))
    locked.require_not_over()
    if _resigning_ends(locked):
        locked.require_not_held()
    return seat


def _resigning_ends(locked: LockedGame) -> bool:
    """Return whether the game ends if one of its people resigns."""
    left = sum(seat.user_id is not None for seat in locked.seats) - 1
    return left == 0 or (left == 1 and locked.game.resign_policy == Game.ResignPolicy.END)


def game_resign_locked(locked: LockedGame, user: User) -> Game:
    """Resign for a caller who has locked the game."""
    seat = require_may_resign(locked, user)
    if _resigning_ends(locked):
        locked.write(table_events.Resigned(seat=seat.number, to="end"), by=user)
        return locked.game
    return _leave_to_bot(locked, seat, user)


def _leave_to_bot(locked: LockedGame, seat: Seat, user: User) -> Game:
    give_to_bot(locked, seat)
    seq = locked.log.version + 1
    locked.write(
        table_events.Resigned(seat=seat.number, to="bot"),
        by=user,
        also=lambda: queue.table_changed(locked.game, locked.seats, seq),
    )
    return locked.game


def step_undo_locked(locked: LockedGame, user: User) -> None:
    """Go back to the position before this user's last step, in a game that the caller has locked.

    ServiceError where the step drew, rolled or revealed something, or anybody has acted since. A
    step is taken back once, so that nobody gains time by doing so again and again.
    """
    seat = locked.seat_of(user)
    if seat is None:
        raise NotAllowed(_("You are not a player in this game."))
    locked.require_running()
    log = locked.log
    last = log.move_of_holder(seat.number)
    if last is None:
        raise ServiceError(_("You have no step to take back."))
    if last.last_seq != log.effective[-1].seq:
        raise ServiceError(_("You cannot take your last step back: others have acted since."))
    if not log.engine.rules.is_reversible([entry.event for entry in last.entries]):
        raise ServiceError(
            _(
                "You cannot take your last move back: something was drawn, rolled or revealed. "
                "Only placements and steps can be taken back."
            )
        )
    to_seq = next(move[-1].seq for move in reversed(log.moves) if move[-1].seq < last.first.seq)
    if _was_taken_back(log, seat.number, to_seq):
        raise ServiceError(_("You have already taken back a step here. Choose another one."))
    event = table_events.RolledBack(to_seq=to_seq, seat=seat.number)
    locked.write(event, by=user, moved=seat.number)


def _was_taken_back(log: Log, seat: int, to_seq: int) -> bool:
    """Return whether this seat has gone back to the same position before."""
    return any(
        isinstance(entry.event, table_events.RolledBack)
        and (entry.event.seat, entry.event.to_seq) == (seat, to_seq)
        for entry in log.entries
    )


def is_current(log: Log, seat: int, version: int) -> bool:
    """Return whether a move of this seat that was prepared at `version` still fits the game.

    It does while the position is unchanged, and also if only other seats have moved since that
    were asked at the same time or left orders in advance.
    """
    if version > log.version:
        return False
    if log.moved_at <= version:
        return True
    if any(isinstance(e.event, table_events.RolledBack) for e in log.entries if e.seq > version):
        return False
    made = (log.engine.rules.command_of(e.event) for e in log.effective if e.seq > version)
    if any(move is not None and move[0] == seat for move in made):
        return False
    engine, then = log.engine, log.until(version)
    if not then.effective:
        return False
    before = engine.rules.view(then.state, seat)
    if seat not in engine.rules.to_act(then.state):
        return engine.accepts_input(before)
    still = seat in engine.rules.to_act(log.state)
    return still and engine.rules.question(before) == engine.rules.question(
        engine.rules.view(log.state, seat)
    )


def note_add_locked(locked: LockedGame, user: User, text: str) -> bool:
    """Put a note beside this user's last move, below those that stand there; before their first
    move, beside the line that says that they joined. Whether it stands beside a move."""
    note = clean_talk(text)
    if not note:
        raise ServiceError(_("Your note is empty."))
    seat = locked.seat_of(user)
    if seat is None:
        raise NotAllowed(_("You are not a player in this game."))
    move = locked.log.last_move(seat.number, user.pk)
    first = move.first if move is not None else _joined(locked.log, user)
    if first is None:
        raise ServiceError(
            _(
                "Notes are attached to your moves, and you have not made one yet. Send the note "
                "together with your first move."
            )
        )
    quotas.spend(quotas.MESSAGES, person=user, table=locked.game)
    talk.post(locked.game, locked.seats, seat, note, locked.now, first.seq)
    return move is not None


def _joined(log: Log, user: User) -> Entry | None:
    """The event by which this user came to the table, if they did so themselves."""
    for entry in reversed(log.entries):
        if isinstance(entry.event, table_events.Joined) and entry.by == user.pk:
            return entry
    return None
