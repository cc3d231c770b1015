"""Words to the table after the move they belong to."""

from __future__ import annotations

from django.utils.translation import gettext as _

from games.models import TableNote, User

from .locked_game import MAX_NOTE, LockedGame, NotAllowed, ServiceError, atomic, clean_note


def note_add(*, game_id: int, user: User, text: str) -> int:
    """Put a note beside this person's last move, below what stands there; the move's number."""
    with atomic():
        return add_note(LockedGame(game_id), user, text)


def add_note(locked: LockedGame, user: User, text: str) -> int:
    """As note_add, on a game that the caller has locked."""
    note = clean_note(text)
    if not note:
        raise ServiceError(_("There is nothing in this note."))
    seat = locked.seat_of(user)
    if seat is None:
        raise NotAllowed(_("You do not sit at this table."))
    move = locked.log.last_move(seat.number, user.pk)
    if move is None:
        raise ServiceError(
            _("A note goes with a move of yours, and you have made none yet: write it below one.")
        )
    seq = move.first.seq
    row = TableNote.objects.filter(game=locked.game, seq=seq).first()
    row = row or TableNote(game=locked.game, seq=seq, seat=seat.number)
    row.text, row.at = f"{row.text}\n{note}".lstrip("\n"), locked.now
    if len(row.text) > MAX_NOTE:
        raise ServiceError(
            _("The notes to a move may have %(most)s characters at most.") % {"most": MAX_NOTE}
        )
    row.save()
    return seq
