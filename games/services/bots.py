"""Moves of bots: on their own seats, and for players who are late."""

import logging
import time
from collections.abc import Sequence

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from games.log import table_events
from games.log.game_log import Log
from games.log.loader import read_table
from games.models import Game, Seat
from games.rules import GAMES
from games.rules.bots import Budget
from games.rules.chance import bot_chance
from games.rules.contract import BotChance, Command, Event
from games.rules.errors import MoveError

from .errors import GameMoved, ServiceError
from .locked_game import AnyEvent, LockedGame
from .quotas import atomic
from .sweeps import Sweep

logger = logging.getLogger(__name__)

MOST_COMMANDS = 50  # of one turn
MOST_BOT_MOVES = 500  # in one go; more than any game has turns


def check_setting() -> None:
    """ImproperlyConfigured if the setting BOT_PLAYOUTS names an unknown game."""
    if unknown := sorted(settings.BOT_PLAYOUTS.keys() - GAMES.keys()):
        raise ImproperlyConfigured(
            f"BOT_PLAYOUTS names an unknown game: {unknown[0]}. There are {', '.join(GAMES)}."
        )


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
        bots_waiting, lambda game_id: game_play_bots(game_id=game_id)
    )


def game_play_bots(*, game_id: int) -> int:
    """Let the bots of a game move until a player is asked; the number of moves.

    Each move is a transaction of its own. Two workers at the same game do no harm: the one whose
    version is older stops.
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
    """Make one move of a bot that is asked.

    The bot decides before the game is locked, outside any transaction, and sees its own view only.
    """
    chance = bot_chance(bytes(game.seed), seat, log.version + 1)
    command = _bot_command(log, seat, chance)
    with atomic():
        locked = LockedGame(game.pk)
        if locked.log.version != log.version or not locked.seat(seat).is_bot:
            raise GameMoved
        locked.require_running()
        events = _decide_for_bot(locked, seat, command)
        locked.write(*events, moved=seat)


class _SearchTooLongError(Exception):
    """A search was still at work when its time was over."""


def _bot_command(log: Log, seat: int, chance: BotChance) -> Command:
    """The command of the bot of this seat, in a bounded time: a search that takes too long is given
    up, and the normal bot decides."""
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


def _decide_for_bot(
    locked: LockedGame,
    seat: int,
    command: Command,
    *,
    after: Sequence[AnyEvent] = (),
) -> tuple[Event, ...]:
    """The events of a bot's command, or of the first legal one where the bot was wrong: a fault
    in it must not hold up a table for days. The fault is logged as an error."""
    try:
        return locked.decide(seat, command, after=after)
    except MoveError:
        logger.exception("A bot chose an illegal move in game %s", locked.game.pk)
        first = next(iter(locked.log.engine.rules.legal_commands(locked.state_after(after), seat)))
        return locked.decide(seat, first, after=after)


def turn_by_bot(locked: LockedGame, seat: int, *first: table_events.Event) -> list[AnyEvent]:
    """`first` and then what the bot does until the seat is no longer asked or another turn has
    begun."""
    engine = locked.log.engine
    events: list[AnyEvent] = [*first]
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
        played = _decide_for_bot(locked, seat, command, after=events)
        events += played
        if any(getattr(event, "seat", seat) != seat for event in played):
            break  # others have acted: what is asked now is another turn
    return events
