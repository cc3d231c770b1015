"""Words to the table after the move they belong to."""

from __future__ import annotations

from django.utils.translation import gettext as _

from games.models import TableNote, User

from .locked_game import MAX_NOTE, NotAllowed, ServiceError, Table, atomic, clean_note


def note_add(*, game_id: int, user: User, text: str) -> int:
    """Put a note beside this person's last move, below what stands there; the move's number."""
    note = clean_note(text)
    if not note:
        raise ServiceError(_("There is nothing in this note."))
    with atomic():
        desk = Table(game_id)
        seat = desk.seat_of(user)
        if seat is None:
            raise NotAllowed(_("You do not sit at this table."))
        move = desk.log.last_move(seat.number, user.pk)
        if move is None:
            raise ServiceError(
                _(
                    "A note goes with a move of yours, and you have made none yet: write it below one."
                )
            )
        before = TableNote.objects.filter(game=desk.game, seq=move.first.seq).first()
        words = f"{before.text}\n{note}" if before is not None else note
        if len(words) > MAX_NOTE:
            raise ServiceError(
                _("The notes to a move may have %(most)s characters at most.") % {"most": MAX_NOTE}
            )
        TableNote.objects.update_or_create(
            game=desk.game,
            seq=move.first.seq,
            defaults={"seat": seat.number, "text": words, "at": desk.now},
        )
        return move.first.seq
