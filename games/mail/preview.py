"""Emails as they would look, about games of the reader; never queued and never sent."""

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from games.models import OutboxMail, Seat, User

from . import kinds
from .compose import MailComposer
from .kinds.batch import turn_row

MAX_GAMES = 3  # in a preview of several games


def previewable() -> list[str]:
    """The kinds that have a preview."""
    return [name for name in kinds.names() if kinds.get(name).sample_statuses]


def mail_of(user: User, name: str) -> bytes | None:
    """An email of this kind to this user as bytes; None without a game that it could be about.

    Games that wait for the user come first; if none does, a game is shown as if it did.
    """
    kind = kinds.get(name)
    seats = Seat.objects.filter(user=user, game__status__in=kind.sample_statuses)
    newest = seats.select_related("game").order_by(
        F("asked_seq").desc(nulls_last=True), "-game__last_event_at"
    )
    mine = list(newest[:MAX_GAMES])
    if not mine:
        return None
    asked = [seat for seat in mine if seat.asked_seq is not None] or mine[:1]
    parts = [turn_row(seat, user) for seat in asked]
    row = OutboxMail(user=user) if kind.batches else parts[0]
    row.kind, row.context = name, kind.sample_context(asked[0])
    row.to_address = user.email
    row.message_id = f"<preview@{settings.SITE_HOST}>"
    row.created_at = timezone.now()
    mail = MailComposer().compose(row, parts if kind.batches else None)
    return bytes(mail.message().as_bytes())
