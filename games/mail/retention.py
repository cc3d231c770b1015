"""Mails of long ago: rows that nobody will ask for again, and files of a local service.

A row of the outbox is also the memory of who has been told what. That memory stays as long as the
question stands, or the invitation; what was given up stays for the moderators.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

from games.models import Game, MailReport, OutboxMail, Seat

from .backends import forget_files

State = OutboxMail.State

BATCH = 500  # rows in one statement
MOST = 20_000  # rows in one go; the next one takes the rest


def forget(now: datetime) -> int:
    """Delete what is older than MAIL_KEEP_DAYS, nothing where that is 0; the number of mails.

    Local files go after FOLDER_KEEP_DAYS, however long rows are kept.
    """
    forget_files(now)
    if not settings.MAIL_KEEP_DAYS:
        return 0
    before = now - timedelta(days=settings.MAIL_KEEP_DAYS)
    MailReport.objects.filter(worked_at__lt=before).delete()
    gone = 0
    while gone < MOST and (ids := list(_forgettable(before).values_list("pk", flat=True)[:BATCH])):
        gone += OutboxMail.objects.filter(pk__in=ids).delete()[1].get("games.OutboxMail", 0)
    return gone


def _forgettable(before: datetime) -> QuerySet[OutboxMail]:
    """Rows at their end that keep nobody from being told twice. A carrier goes after its rows."""
    asked = Seat.objects.filter(game=OuterRef("game"), asked_seq=OuterRef("seq"))
    invited = OutboxMail.objects.filter(
        pk=OuterRef("pk"),
        kind=OutboxMail.Kind.INVITATION,
        game__status=Game.Status.GATHERING,
    )
    carried = OutboxMail.objects.filter(carrier=OuterRef("pk"))
    old = OutboxMail.objects.filter(state__in=(State.SENT, State.DROPPED), created_at__lt=before)
    return old.filter(~Exists(asked), ~Exists(invited), ~Exists(carried)).order_by("created_at")
