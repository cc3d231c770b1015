"""How much is read from one seat, from one person, and from those nobody vouches for.

The first mail over a limit is told so, the next ones are not: who sends hundreds is a machine.
"""

from __future__ import annotations

from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from games.models import InboundMail

from . import answers

Sender = InboundMail.Sender
Verdict = InboundMail.Verdict

SEAT_HOUR = 60  # mails of one seat that are read in an hour
PERSON_HOUR = 150  # of one person, at all tables
UNSURE_DAY = 8  # answers in a day to mails to one seat for which nobody vouches
LISTS_HOUR = 8  # answers in an hour to mails to no single game
UNCLEAR_HOUR = 8  # answers in an hour to what is not understood, one after the other

UNREAD = (Verdict.UNCLEAR, Verdict.REFUSED)


def verdict(row: InboundMail) -> str:
    """LIMIT (answered here) or QUIET for a mail over a limit, "" for one that is read."""
    hour = timezone.now() - timedelta(hours=1)
    read = InboundMail.objects.filter(received_at__gt=hour, state=InboundMail.State.DONE)
    seat = read.filter(game=row.game, seat=row.seat)
    if row.authentic != Sender.PASS:
        day = timezone.now() - timedelta(days=1)
        unsure = InboundMail.objects.filter(game=row.game, seat=row.seat, received_at__gt=day)
        unsure = unsure.exclude(authentic__in=(Sender.PASS, "")).filter(answer__isnull=False)
        return Verdict.QUIET if unsure.count() >= UNSURE_DAY else ""
    if seat.count() >= SEAT_HOUR:
        return _first_of(row, seat)
    person = read.filter(user=row.user)
    return _first_of(row, person) if person.count() >= PERSON_HOUR else ""


def lists_are_over(row: InboundMail) -> bool:
    """Whether this person was told often enough which games wait."""
    hour = timezone.now() - timedelta(hours=1)
    told = InboundMail.objects.filter(user=row.user, game=None, received_at__gt=hour)
    return told.filter(answer__isnull=False).count() >= LISTS_HOUR


def _first_of(row: InboundMail, read: QuerySet[InboundMail]) -> str:
    if read.filter(verdict=Verdict.LIMIT).exists():
        return Verdict.QUIET
    answers.told(row, "limit", board=False)
    return Verdict.LIMIT


def unclear_before(row: InboundMail) -> int:
    """How many mails of this person on this seat right before this one were not understood, in
    the last day."""
    day = timezone.now() - timedelta(days=1)
    earlier = InboundMail.objects.filter(
        game=row.game, seat=row.seat, user=row.user, received_at__gt=day
    )
    earlier = earlier.filter(state=InboundMail.State.DONE).exclude(pk=row.pk)
    verdicts = earlier.order_by("-read_at", "-pk").values_list("verdict", flat=True)[:50]
    count = 0
    for found in verdicts:
        if found not in UNREAD and found != Verdict.QUIET:
            break
        count += found in UNREAD
    return count
