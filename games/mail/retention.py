"""Delete old outbox rows, and old files of a local service.

A row also remembers who got which email. It stays while that question or invitation is open, and
rows that were given up stay for the moderators.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

from games.models import MAX_WAIT, Game, MailReport, OutboxMail, Seat, TablePresence

from .backends import purge_old_files
from .kinds.invitation import INVITATION

State = OutboxMail.State

BATCH = 500  # rows in one statement
MAX_ROWS = 20_000  # in one call; the next one deletes the rest


def purge_old(now: datetime) -> int:
    """Delete rows older than MAIL_KEEP_DAYS, none where that is 0; the number of emails.

    Local files are deleted after FOLDER_KEEP_DAYS, however long rows are kept. When players had a
    table open is deleted as soon as no email waits for it.
    """
    purge_old_files(now)
    TablePresence.objects.filter(at__lt=now - MAX_WAIT).delete()
    if not settings.MAIL_KEEP_DAYS:
        return 0
    before = now - timedelta(days=settings.MAIL_KEEP_DAYS)
    MailReport.objects.filter(worked_at__lt=before).delete()
    count = 0
    while count < MAX_ROWS and (
        ids := list(_deletable(before).values_list("pk", flat=True)[:BATCH])
    ):
        count += OutboxMail.objects.filter(pk__in=ids).delete()[1].get("games.OutboxMail", 0)
    return count


def _deletable(before: datetime) -> QuerySet[OutboxMail]:
    """Finished rows that are not needed to avoid a second email. A batch goes after its rows."""
    asked = Seat.objects.filter(game=OuterRef("game"), asked_seq=OuterRef("seq"))
    invited = OutboxMail.objects.filter(
        pk=OuterRef("pk"), kind=INVITATION.name, game__status=Game.Status.GATHERING
    )
    merged = OutboxMail.objects.filter(batched_into=OuterRef("pk"))
    old = OutboxMail.objects.filter(state__in=(State.SENT, State.DROPPED), created_at__lt=before)
    return old.filter(~Exists(asked), ~Exists(invited), ~Exists(merged)).order_by("created_at")
