"""Changes the holder of a seat in a game that has started: a bot takes it, or a player does.

The caller writes the event that says so, and with it the row of the seat and the host, who may have
changed.
"""

from datetime import datetime

from games.models import Seat, User
from games.rules.levels import Level

from .locked_game import LockedGame


def give_to_bot(locked: LockedGame, seat: Seat, *, open_since: datetime | None = None) -> None:
    """Replace the player of this seat by a bot, which answers an open question. open_since: others
    may take the seat over."""
    former = seat.user_id
    if seat.asked_seq is not None:
        locked.clocks.end(seat)
    seat.user, seat.is_bot, seat.bot_level = None, True, Level.NORMAL
    seat.open_since = open_since
    locked.changed_holders.append((seat, former))
    _pass_host_on(locked, seat, former)


def give_to_player(locked: LockedGame, seat: Seat, user: User, *, keep_mails: bool = False) -> None:
    """Let this user play on the seat from now on, in place of its bot or its player.

    keep_mails: whether they get the emails of the game stays as it was, for a player who returns.
    """
    former = seat.user_id
    seat.user, seat.is_bot, seat.bot_level, seat.open_since = user, False, Level.NORMAL, None
    seat.joined_at = locked.now
    if not keep_mails:
        seat.mails_off = False
    locked.changed_holders.append((seat, former))
    _pass_host_on(locked, seat, former)


def _pass_host_on(locked: LockedGame, seat: Seat, former: int | None) -> None:
    """Pass the host's role on if the former player (pk) of this seat had it, or nobody has it: to
    a player on another seat, otherwise to the new holder of this one."""
    if locked.game.host_id in (None, former):
        others = (s.user for s in locked.seats if s is not seat and s.user_id is not None)
        locked.game.host = next(others, seat.user)
