"""Notes to the other players, added after the move they belong to."""

from django.utils.translation import gettext as _

from games.models import TableNote, User

from . import quotas
from .locked_game import MAX_NOTE, LockedGame, NotAllowed, ServiceError, clean_note


def add_note(locked: LockedGame, user: User, text: str) -> None:
    """Put a note beside this user's last move, below what stands there."""
    note = clean_note(text)
    if not note:
        raise ServiceError(_("Your note is empty."))
    seat = locked.seat_of(user)
    if seat is None:
        raise NotAllowed(_("You are not a player in this game."))
    move = locked.log.last_move(seat.number, user.pk)
    if move is None:
        raise ServiceError(
            _(
                "Notes are attached to your moves, and you have not made one yet. Send the note "
                "together with your first move."
            )
        )
    seq = move.first.seq
    row = TableNote.objects.filter(game=locked.game, seq=seq).first()
    row = row or TableNote(game=locked.game, seq=seq, seat=seat.number)
    row.text, row.at = f"{row.text}\n{note}".lstrip("\n"), locked.now
    if len(row.text) > MAX_NOTE:
        raise ServiceError(
            _("Notes on one move can have at most %(most)s characters in total.")
            % {"most": MAX_NOTE}
        )
    quotas.spend(quotas.NOTES, person=user, table=locked.game)
    row.save()
