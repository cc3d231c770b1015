"""Moves of players and bots, and resigning."""

import logging
import time
from collections.abc import Callable, Sequence

import msgspec
from django.conf import settings
from django.utils.translation import gettext as _

from games.log import table_events
from games.log.game_log import Log
from games.log.loader import read_table
from games.models import Game, Seat, TableNote, User
from games.rules.chance import SeededChance, bot_chance
from games.rules.contract import Chance, Command, Event
from games.rules.errors import MoveError
from games.rules.search import Budget

from .errors import GameMoved, NotAllowed, ServiceError
from .locked_game import LockedGame
from .prepared_moves import is_current
from .quotas import atomic
from .seat_holders import give_to_bot
from .sweeps import Sweep
from .texts import clean_note

logger = logging.getLogger(__name__)

MOST_COMMANDS = 50  # of one turn
MOST_BOT_MOVES = 500  # in one go; more than any game has turns


class Played(msgspec.Struct, frozen=True):
    """A move that is in the log: the version after it and what happened, as it happened
    (secrets included: pass `engine.rules.visible` before anybody reads it).

    repeated: it was there already, this was the same form sent a second time. to_act: the seats
    that are asked now. asked: the seat was asked, it did not merely leave orders in advance. order:
    the number of a private order; it has no number in the log, and nobody else noticed. first: the
    number of the move's first event.
    """

    version: int
    events: tuple[Event, ...]
    repeated: bool = False
    to_act: tuple[int, ...] = ()
    asked: bool = True
    order: int = 0
    first: int = 0


def game_play(
    *, game_id: int, user: User, seat: int, command: Command, version: int, note: str = ""
) -> Played:
    """Make a move. version: what the player saw.

    GameMoved where the position is another by now, unless the change was this very move; the
    engine's MoveError where the rules forbid it; NotAllowed on somebody else's seat.
    """
    with atomic():
        return _play(LockedGame(game_id), user, seat, lambda _log: command, version, note)


def game_play_line(
    *, game_id: int, user: User, seat: int, line: str, version: int, note: str = ""
) -> Played:
    """Make a move written in the game's notation, read on the board that the player saw.

    As game_play; MalformedMove or AmbiguousMove where the line cannot be read.
    """
    with atomic():
        return play_line(
            LockedGame(game_id), user=user, seat=seat, line=line, version=version, note=note
        )


def play_line(
    locked: LockedGame, *, user: User, seat: int, line: str, version: int, note: str = ""
) -> Played:
    """As game_play_line, on a game that the caller has locked. An error has written nothing."""

    def read(log: Log) -> Command:
        then = log.until(version)
        return log.engine.notation.parse(line, log.engine.rules.view(then.state, seat))

    return _play(locked, user, seat, read, version, note)


def _play(
    locked: LockedGame,
    user: User,
    seat: int,
    read: Callable[[Log], Command],
    version: int,
    note: str,
) -> Played:
    note = clean_note(note)
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
        raise ServiceError(_("It is not your turn."))
    first = locked.log.version + 1
    command = read(locked.log)
    events = locked.decide(seat, command)
    if engine.rules.is_order(command):
        due = engine.rules.due_command(engine.fold(events[:1], state), seat)
        if len(events) == 1 or due is not None:
            if due is None:
                return _left_order(locked, user, seat, command, note)
            locked.leave_order(seat, command, user)
            events = locked.decide(seat, due)
    if note:
        TableNote.objects.create(game=locked.game, seq=first, seat=seat, text=note, at=locked.now)
    locked.write(*events, by=user, moved=seat)
    return _played(locked, events, asked=asked)


def _left_order(locked: LockedGame, user: User, seat: int, command: Command, note: str) -> Played:
    """Leave a private order: nobody else can notice it. The same one once more is left once."""
    if note:
        raise ServiceError(
            _("Others must not notice an order, so it cannot have a note. Send it with a move.")
        )
    rules, mine = locked.log.engine.rules, [o for o in locked.log.orders if o.seat == seat]
    repeated = (
        bool(mine)
        and (mine[-1].seq, mine[-1].by) == (locked.log.version, user.pk)
        and rules.command_of(mine[-1].event) == (seat, command)
    )
    order = mine[-1] if repeated else locked.leave_order(seat, command, user)
    if not repeated:
        locked.write_order()
    return Played(
        locked.log.version,
        (order.event,),
        repeated=repeated,
        to_act=tuple(locked.game.to_act),
        asked=seat in locked.game.to_act,
        order=order.order,
    )


def _played(locked: LockedGame, events: tuple[Event, ...], *, asked: bool) -> Played:
    # Events that move deadlines or reveal the seed may follow those of the move.
    first = locked.log.effective[-1].seq - len(events) + 1
    to_act = tuple(locked.game.to_act)
    return Played(locked.log.version, events, to_act=to_act, asked=asked, first=first)


def _played_before(
    locked: LockedGame, user: User, seat: int, read: Callable[[Log], Command], version: int
) -> Played | None:
    """The move of this person that followed `version`, if it was this very command.

    The same command at the same place in the log has the same luck and so the same events: that
    is how it is recognised, however the form spelt it.
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
    """Resign. A bot takes the seat, or the game ends: when nobody but bots would be
    left, and by the host's option (resign_policy "end") when only one person would be."""
    with atomic():
        return resign(LockedGame(game_id), user)


def resign(locked: LockedGame, user: User) -> Game:
    """As game_resign, on a game that the caller has locked."""
    seat = locked.seat_of(user)
    if seat is None:
        raise NotAllowed(_("You are not a player in this game."))
    locked.require_not_over()
    left = sum(other.user_id is not None for other in locked.seats) - 1
    if left == 0 or (left == 1 and locked.game.resign_policy == Game.ResignPolicy.END):
        locked.write(table_events.Resigned(seat=seat.number, to="end"), by=user)
    else:
        give_to_bot(locked, seat)
        locked.write(table_events.Resigned(seat=seat.number, to="bot"), by=user)
    return locked.game


# -- bots ------------------------------------------------------------------------------------


def bots_waiting(*, limit: int = 500) -> list[int]:
    """The games (pk) in which a bot is asked to move, the longest waiting first."""
    asked = Seat.objects.filter(
        asked_seq__isnull=False, is_bot=True, game__status=Game.Status.RUNNING
    )
    games = asked.order_by("asked_at").values_list("game_id", flat=True)[:limit]
    return list(dict.fromkeys(games))


def bots_sweep(*, sweep: Sweep | None = None) -> int:
    """Let the bots of all games move where they are asked; the number of moves."""
    return (sweep or Sweep()).drain_unclaimed(
        bots_waiting, lambda game_id: bots_play(game_id=game_id)
    )


def bots_play(*, game_id: int) -> int:
    """Let the bots of a game move until a player is asked; the number of moves.

    Each move is a transaction of its own. Another worker at the same game is no harm: whose
    version is old stops.
    """
    for moves in range(MOST_BOT_MOVES):
        game, log, seats = read_table(game_id)
        asked = [seat.number for seat in seats if seat.is_bot and seat.asked_seq is not None]
        if not asked or game.status != Game.Status.RUNNING:
            return moves
        try:
            _bot_play(game, log, asked[0])
        except (GameMoved, ServiceError):
            return moves
    return MOST_BOT_MOVES


def _bot_play(game: Game, log: Log, seat: int) -> None:
    """One move of a bot that is asked.

    The bot decides before the game is locked, outside any transaction, and sees its own view only.
    """
    chance = bot_chance(bytes(game.seed), seat, log.version + 1)
    command = _bot_command(log, seat, chance)
    with atomic():
        locked = LockedGame(game.pk)
        if locked.log.version != log.version or not locked.seat(seat).is_bot:
            raise GameMoved
        locked.require_running()
        events = decide_for_bot(locked, seat, command)
        locked.write(*events, moved=seat)


class _SearchTooLongError(Exception):
    """A search was still at work when its time was over."""


def _bot_command(log: Log, seat: int, chance: Chance) -> Command:
    """What the bot of this seat does, in a bounded time: a search that takes too long is given up,
    and the normal bot decides."""
    engine, level = log.engine, log.table.levels[seat]
    end = time.monotonic() + settings.BOT_SECONDS

    def check() -> None:
        if time.monotonic() > end:
            raise _SearchTooLongError

    playouts = settings.BOT_PLAYOUTS.get(engine.key, engine.playouts)
    view = engine.rules.view(log.state, seat)
    try:
        return engine.bot_command(level, view, chance, Budget(playouts, check))
    except _SearchTooLongError:
        logger.warning("A bot's search was given up after %s seconds.", settings.BOT_SECONDS)
        return engine.bot.choose(view, chance)


def decide_for_bot(
    locked: LockedGame,
    seat: int,
    command: Command,
    *,
    after: Sequence[Event | table_events.Event] = (),
) -> tuple[Event, ...]:
    """The events of a bot's command, or of the first legal one where the bot was wrong: a fault
    in it must not hold up a table for days. The fault is logged as an error."""
    try:
        return locked.decide(seat, command, after=after)
    except MoveError:
        logger.exception("A bot chose an illegal move in game %s", locked.game.pk)
        first = next(iter(locked.log.engine.rules.legal_commands(locked.state_after(after), seat)))
        return locked.decide(seat, first, after=after)


def turn_by_bot(
    locked: LockedGame, seat: int, *first: table_events.Event
) -> list[Event | table_events.Event]:
    """`first` and then what the bot does until the seat is no longer asked or another turn has
    begun."""
    engine = locked.log.engine
    events: list[Event | table_events.Event] = [*first]
    turn = engine.rules.turn_number(locked.log.state)
    for number in range(MOST_COMMANDS):
        state = locked.state_after(events)
        if seat not in engine.rules.to_act(state):
            break
        if number and (turn is None or engine.rules.turn_number(state) != turn):
            break
        seq = locked.log.version + len(events) + 1
        chance = bot_chance(bytes(locked.game.seed), seat, seq)
        command = engine.bot.choose(engine.rules.view(state, seat), chance)
        played = decide_for_bot(locked, seat, command, after=events)
        events += played
        if any(getattr(event, "seat", seat) != seat for event in played):
            break  # others have acted: what is asked now is another turn
    return events
