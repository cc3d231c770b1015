"""Mails as they would look, about games of the reader, never queued and never sent."""

from __future__ import annotations

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from games.models import Game, OutboxMail, Seat, User

from . import digest
from .compose import Desk

Kind = OutboxMail.Kind

KINDS = (
    *(Kind.TURN, Kind.REMINDER, Kind.DEADLINE, Kind.STARTED, Kind.OVER),
    *(Kind.GATHERED, Kind.DIGEST),
)
MOST = 3  # games in a gathered one


def mail_of(user: User, kind: str) -> bytes | None:
    """A mail of this kind to this person as bytes; None while no game of theirs has come so far.

    The games that wait for them come first; where none does, a game is shown as if it did.
    """
    stages = (Game.Status.RUNNING, Game.Status.PAUSED)
    if kind == Kind.OVER:
        stages = (Game.Status.FINISHED, Game.Status.ABORTED)
    seats = Seat.objects.filter(user=user, game__status__in=stages).select_related("game")
    mine = list(seats.order_by(F("asked_seq").desc(nulls_last=True), "-game__last_event_at")[:MOST])
    if not mine:
        return None
    asked = [seat for seat in mine if seat.asked_seq is not None] or mine[:1]
    rows = [digest.turn_of(seat, user) for seat in asked]
    desk = Desk()
    if kind in digest.CARRIERS:
        row = OutboxMail(kind=kind, user=user)
        _envelope(row)
        return bytes(desk.compose_bundle(row, rows).message().as_bytes())
    row = rows[0]
    row.kind, row.context = kind, _context(kind, asked[0])
    _envelope(row)
    return bytes(desk.compose(row).message().as_bytes())


def _context(kind: str, seat: Seat) -> dict[str, object]:
    match kind:
        case Kind.REMINDER:
            return {"which": "half"}
        case Kind.DEADLINE:
            return {"late": seat.number}
    return {}


def _envelope(row: OutboxMail) -> None:
    assert row.user is not None
    row.to_address = row.user.email
    row.message_id = f"<preview@{settings.SITE_HOST}>"
    row.created_at = timezone.now()
