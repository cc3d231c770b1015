"""Players take back their own last step."""

from django.utils.translation import gettext as _

from games.log import table_events
from games.log.game_log import Log
from games.models import User

from .errors import NotAllowed, ServiceError
from .locked_game import LockedGame


def undo_step(locked: LockedGame, user: User) -> None:
    """Go back to the position before this user's last step, in a game that the caller has locked.

    ServiceError where the step drew, rolled or revealed something, or anybody has acted since. A
    step is taken back once, so that nobody gains time by doing so again and again.
    """
    seat = locked.seat_of(user)
    if seat is None:
        raise NotAllowed(_("You are not a player in this game."))
    locked.require_running()
    log = locked.log
    last = log.last_move(seat.number, user.pk)
    if last is None:
        raise ServiceError(_("There is no step of yours to take back."))
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
    """Whether this seat has gone back to the same position before."""
    return any(
        isinstance(entry.event, table_events.RolledBack)
        and (entry.event.seat, entry.event.to_seq) == (seat, to_seq)
        for entry in log.entries
    )
