"""Notes to the other players, added after the move they belong to."""

from django.utils.translation import gettext as _

from games.log import announcements, table_events
from games.log.entry import Entry
from games.log.game_log import Log
from games.models import TableNote, User

from . import quotas
from .errors import NotAllowed, ServiceError
from .locked_game import LockedGame
from .texts import MAX_NOTE, clean_note


def add_note(locked: LockedGame, user: User, text: str) -> bool:
    """Put a note beside this user's last move, below what stands there; before their first move,
    beside the line that says that they joined. Whether it stands beside a move."""
    note = clean_note(text)
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
    seq = first.seq
    row = TableNote.objects.filter(game=locked.game, seq=seq).first()
    row = row or TableNote(game=locked.game, seq=seq, seat=seat.number)
    row.text, row.at = f"{row.text}\n{note}".lstrip("\n"), locked.now
    if len(row.text) > MAX_NOTE:
        raise ServiceError(
            _("Notes on one move can have at most %(most)s characters in total.")
            % {"most": MAX_NOTE}
        )
    quotas.spend(quotas.NOTES, person=user, table=locked.game)
    announcements.save_note(row)
    return move is not None


def _joined(log: Log, user: User) -> Entry | None:
    """The event by which this user came to the table, if they did so themselves."""
    for entry in reversed(log.entries):
        if isinstance(entry.event, table_events.Joined) and entry.by == user.pk:
            return entry
    return None
